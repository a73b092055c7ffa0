import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '../client.mjs';
import { interleave } from '../interleave.mjs';
import { peersOf } from '../peers.mjs';
import { ratio } from '../row.mjs';
import { median, percentile } from '../statistics.mjs';
import { User } from '../user.mjs';

/**
 * A call to a server behind the broker, and to the same server directly.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function servers({ isShort }) {
	const user = new User({ small: '# Small\n' });
	const { program } = /** @type {import('../peers.mjs').Peer} */ (peersOf(user)['server-everything']);
	const [command, args] = [process.execPath, program.args].map((value) => JSON.stringify(value));
	appendFileSync(join(user.files, 'context-map.toml'), `[mcp_servers.e]\ncommand = ${command}\nargs = ${args}\n`);
	user.build();
	const echo = (/** @type {string} */ name) => ({ name, arguments: { message: 'x'.repeat(1_000) } });
	return await withClient(user.broker, (broker) =>
		withClient(program, async (direct) => {
			await Promise.all([broker.introduce(), direct.introduce()]);
			while (!(await broker.ask('tools/list', {})).includes('"e__echo"')) await delay(20);
			const measures = {
				behind: () => broker.timeAll(50, echo('e__echo')),
				direct: () => direct.timeAll(50, echo('echo')),
			};
			// Warm-up, until V8 has compiled the hot code.
			await interleave(10, measures);
			const times = await interleave(isShort ? 10 : 40, measures);
			const [behind, alone] = [median(times.behind), median(times.direct)];
			const late = percentile(times.behind, 0.99);
			return [
				ratio('call of a server behind it, median', 'ms', behind, ['server-everything directly', alone]),
				ratio('call of a server behind it, 99 of 100 are faster', 'ms', late, [
					'directly',
					percentile(times.direct, 0.99),
				]),
			];
		}),
	);
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClient } from '../client.mjs';
import { CLAUDE_CODE, hookCall } from '../hook-calls.mjs';
import { interleave } from '../interleave.mjs';
import { ratio } from '../row.mjs';
import { median } from '../statistics.mjs';
import { catalog, User } from '../user.mjs';

/** About as many loads as thirty scans a day make in a month. */
const MANY = 1_000;

/** Number of projects with such scans. */
const PROJECTS = 300;

const SHELL = hookCall('PreToolUse', {
	tool_name: 'Bash',
	tool_use_id: 'toolu_b',
	tool_input: JSON.stringify({ command: 'git status && grep -rn "some text" src | head -n 20' }),
});

/**
 * The time of a decision that does not concern the agents that loaded before.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function remembered({ isShort }) {
	const [none, many] = [person(0), person(MANY)];
	const rounds = isShort ? 5 : 10;
	const first = await interleave(rounds, { none: () => firstDecision(none), many: () => firstDecision(many) });
	const later = await withClient(none.broker, async (withNone) =>
		withClient(many.broker, async (withMany) => {
			await withNone.introduce(CLAUDE_CODE);
			await withMany.introduce(CLAUDE_CODE);
			const measures = {
				none: () => withNone.timeAll(20, SHELL),
				many: () => withMany.timeAll(20, SHELL),
			};
			await interleave(5, measures);
			return await interleave(3 * rounds, measures);
		}),
	);
	const what = `with ${MANY.toLocaleString('en')} agents remembered`;
	return [
		ratio(`${what}: decision about a shell command`, 'ms', median(later.many), ['with none', median(later.none)], 1.1),
		ratio(`${what}: the first`, 'ms', median(first.many), ['with none', median(first.none)], 2),
	];
}

/** @param {User} user */
async function firstDecision(user) {
	return await withClient(user.broker, async (client) => {
		await client.introduce(CLAUDE_CODE);
		return await client.time(SHELL);
	});
}

/** A user with agents that have loaded. @param {number} agents */
function person(agents) {
	const user = new User({ small: catalog(10_000) });
	user.build();
	const folder = join(user.data, 'record');
	mkdirSync(folder, { recursive: true });
	const lines = Array.from({ length: agents }, (_, n) => {
		const [session, agent] = [`session-${n}`, `a${n}`];
		const transcript = join(user.home, '.claude', 'projects', `-project-${n % PROJECTS}`, `${session}.jsonl`);
		const load = {
			session,
			agent,
			type: 'context-broker:privacy-scanner',
			transcript,
			since: Date.now(),
			client: process.pid,
		};
		return `${JSON.stringify({ ...load, loaded: true, private: true })}\n`;
	});
	writeFileSync(join(folder, 'record.ndjson'), lines.join(''));
	return user;
}

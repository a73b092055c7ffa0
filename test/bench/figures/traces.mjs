import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { start, withClient } from '../client.mjs';
import { CLAUDE_CODE, hookCall } from '../hook-calls.mjs';
import { difference, value } from '../row.mjs';
import { median } from '../statistics.mjs';
import { bootstrapOf, catalog, LARGE, ROOT, User } from '../user.mjs';

const SHELL = hookCall('PreToolUse', {
	tool_name: 'Bash',
	tool_use_id: 'toolu_b',
	tool_input: JSON.stringify({ command: 'git status && grep -rn "some text" src | head -n 20' }),
});

/** A process id that no process has. */
const NO_CLIENT = 2 ** 30;

const LINE = 'An ordinary line of the output of a tool, with paths such as src/server/files/read.ts:12 in it.\n';

/**
 * Cleaning an agent's transcript in a separate process, from the process's start to its end.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function traces({ isShort }) {
	const text = catalog(LARGE);
	const user = new User({ small: catalog(10_000) });
	user.build();
	const rows = [];
	for (const megabytes of isShort ? [1, 20] : [1, 20, 200]) {
		const before = performance.now();
		await clean(user, text, megabytes);
		rows.push(value(`cleaning a transcript of ${megabytes} MB`, 'ms', performance.now() - before));
	}
	await withClient(user.broker, async (client) => {
		await client.introduce(CLAUDE_CODE);
		await client.timeAll(50, SHELL);
		const idle = median(await client.timeAll(100, SHELL));
		const cleaning = clean(user, text, 20);
		const meanwhile = median(await client.timeAll(100, SHELL));
		await cleaning;
		rows.push(
			difference('decision about a shell command while 20 MB are cleaned', 'ms', meanwhile, ['without', idle], 5),
		);
	});
	return rows;
}

/** @param {User} user @param {string} text the text that the agent loaded @param {number} megabytes */
async function clean(user, text, megabytes) {
	const session = `s${megabytes}`;
	const transcript = join(user.home, '.claude', 'projects', '-project', `${session}.jsonl`);
	const file = join(dirname(transcript), session, 'subagents', 'agent-a1.jsonl');
	mkdirSync(dirname(file), { recursive: true });
	const result = (/** @type {string} */ content) =>
		`${JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', content }] } })}\n`;
	const ordinary = result(LINE.repeat(100));
	const lines = [result(text), ...Array(Math.ceil((megabytes * 1e6 - text.length) / ordinary.length)).fill(ordinary)];
	writeFileSync(file, lines.join(''));
	const child = start({ args: [bootstrapOf(ROOT), 'clean-traces', String(NO_CLIENT)], env: user.env });
	const orders = [
		{ where: { taskFolders: [], except: [], known: [] } },
		{ texts: [text] },
		{ agent: { session, agent: 'a1', transcript, since: 0 }, isOver: true },
	];
	child.stdin.end(orders.map((order) => `${JSON.stringify(order)}\n`).join(''));
	await once(child, 'close');
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { withClient } from '../client.mjs';
import { CLAUDE_CODE, hookCall } from '../hook-calls.mjs';
import { interleave } from '../interleave.mjs';
import { difference, value } from '../row.mjs';
import { median } from '../statistics.mjs';
import { catalog, LARGE, ROOT, temporaryFolder, User } from '../user.mjs';

/** @typedef {typeof import('../../claude/harness/client.ts') & typeof import('../../claude/harness/model.ts') & typeof import('../../claude/harness/installed-clients.ts')} Harness */

/** Tool calls in one session. */
const CALLS = 200;

/** Calls until V8 has compiled the hot code. */
const WARM_UP = 10;

/** In milliseconds: twice what a hook before the call alone added. */
const MAX_ADDED_MS = 20;

/**
 * What hooks add to a tool call in sessions of Claude Code, and the broker's share of it.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function hooks({ isShort }) {
	if (isShort) return [];
	const harness = await loadHarness();
	const [noKeys, user] = [new User({}), new User({ small: catalog(10_000) })];
	const rows = await share();
	for (const version of harness.clientVersions()) {
		for (const tool of /** @type {const} */ (['Bash', 'Read'])) {
			const run = (/** @type {User} */ user, /** @type {readonly string[]} */ args) => () =>
				session(harness, version, tool, user, args);
			const times = await interleave(2, {
				without: run(noKeys, []),
				noKeys: run(noKeys, ['--plugin-dir', ROOT]),
				with: run(user, ['--plugin-dir', ROOT]),
			});
			const without = /** @type {[string, number]} */ (['without the plugin', median(times.without)]);
			const what = `hooks: a call of ${tool} in ${version}`;
			rows.push(
				difference(what, 'ms', median(times.with), without, MAX_ADDED_MS),
				difference(`${what}, no keys`, 'ms', median(times.noKeys), without, MAX_ADDED_MS),
			);
		}
	}
	return rows;
}

/** The broker's share: both questions about a call, and the comparison of a long result with a long file. */
async function share() {
	const user = new User({ large: catalog(LARGE) });
	user.build();
	const call = { tool_name: 'Bash', tool_use_id: 'toolu_b', tool_input: JSON.stringify({ command: 'git status' }) };
	const after = (/** @type {string} */ stdout) =>
		hookCall('PostToolUse', { ...call, tool_response: JSON.stringify({ stdout, stderr: '', interrupted: false }) });
	const [short, long] = [after('On branch main\n'), after(log(30_000))];
	return await withClient(user.broker, async (client) => {
		await client.introduce(CLAUDE_CODE);
		const measures = {
			before: () => client.timeAll(20, hookCall('PreToolUse', call)),
			short: () => client.timeAll(20, short),
			long: () => client.timeAll(5, long),
		};
		await interleave(10, measures);
		const times = await interleave(40, measures);
		return [
			value('hooks: both questions about a call of Bash', 'ms', median(times.before) + median(times.short), 2),
			value('hooks: a result of 30,000 characters, a file of 480,000', 'ms', median(times.long), 5),
		];
	});
}

/** The output of a build. @param {number} length @returns {string} */
function log(length) {
	let text = '';
	for (let n = 0; text.length < length; n++)
		text += `src/part-${n}.ts(${n},7): compiled in ${n % 40} ms, customer ${n}\n`;
	return text.slice(0, length);
}

/**
 * @param {Harness} harness
 * @param {string} version
 * @param {'Bash' | 'Read'} tool
 * @param {User} user
 * @param {readonly string[]} args
 * @returns {Promise<number[]>} for each call, milliseconds from the model's answer to its next request
 */
async function session(harness, version, tool, user, args) {
	const project = join(user.home, '..', 'project');
	mkdirSync(project, { recursive: true });
	const file = join(project, 'a.txt');
	writeFileSync(file, 'one\ntwo\n');
	const input = tool === 'Bash' ? { command: 'true', description: 'Nothing.' } : { file_path: file };
	/** @type {number[]} */
	const asked = [];
	const model = await harness.startModel(({ agent }) => {
		if (agent === 'main') asked.push(performance.now());
		return asked.length <= WARM_UP + CALLS ? { tool, input } : { text: 'Done.' };
	}, 2 * CALLS);
	try {
		const allowed = ['--allowedTools', 'Bash,Read'];
		const command = { version, home: user.home, cwd: project, model, prompt: 'Go.', args: [...args, ...allowed] };
		const { exitCode, stdout } = await harness.runClient({ ...command, timeoutMs: 300_000 });
		if (exitCode !== 0 || asked.length <= WARM_UP + CALLS)
			throw new Error(`the session failed: ${stdout.slice(-2_000)}`);
	} finally {
		await model.close();
	}
	return asked
		.slice(1)
		.map((time, at) => time - (asked[at] ?? time))
		.slice(WARM_UP);
}

/** The tests' harness, bundled, because Node.js 20 cannot load TypeScript. @returns {Promise<Harness>} */
async function loadHarness() {
	const folder = fileURLToPath(new URL('../../claude/harness/', import.meta.url));
	const outfile = join(temporaryFolder(), 'harness.mjs');
	const names = ['client', 'model', 'installed-clients'];
	await build({
		stdin: { contents: names.map((name) => `export * from './${name}.ts';`).join('\n'), resolveDir: folder },
		// The harness looks for the clients' versions relative to this.
		define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(folder, 'client.ts')).href) },
		...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile },
	});
	return await import(pathToFileURL(outfile).href);
}

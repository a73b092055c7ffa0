import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BOOTSTRAP } from '../support/paths.ts';
import { brokerSession, homeForTest, LOAD, SCANNER } from './broker-session.ts';
import { delegate } from './harness/delegation.ts';
import { type Home, writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { runProgram } from './harness/program.ts';
import { toolResults } from './harness/request.ts';
import { CATALOG, MARKERS } from './markers.ts';

/** What `context-broker log` prints in a terminal, where nobody names the plugin's data folder. */
async function log({ home, project }: Home, ...args: readonly string[]): Promise<string> {
	const env = { PATH: process.env.PATH ?? '', HOME: home };
	const program = {
		program: process.execPath,
		args: [BOOTSTRAP, 'log', ...args],
		cwd: project,
		env,
		timeoutMs: 60_000,
	};
	return (await runProgram(program)).stdout;
}

describe.each(clientVersions())('Claude Code %s', (version) => {
	test('a person sees afterwards that the main agent was refused, and that the scanner got the file', async () => {
		const user = await homeForTest();
		await writePrivate(user.home, 'catalog.md', CATALOG);
		await writeMap(user.home, '[keys.k]\npath = "catalog.md"\n\n[log]\ndecisions = true\n');
		const scan = delegate({ type: SCANNER, background: false, calls: [LOAD], answer: () => 'Nothing found.' });
		const { session } = await brokerSession({ version, ...user }, (request) =>
			request.agent === 'main' && toolResults(request).length === 0 ? LOAD : scan.script(request),
		);
		const id = session.events.find(({ session_id }) => session_id !== undefined)?.session_id;

		const lines = (await log(user, '--session', String(id))).trimEnd().split('\n');
		const caller = 'context-broker:privacy-scanner \\w+';
		expect(lines).toEqual([
			`Session ${id}`,
			expect.stringMatching(/Z {2}refused {4}load_context {2}main {2}agents_only {2}key [0-9a-f]{12}$/),
			expect.stringMatching(new RegExp(`Z {2}approved {3}load_context {2}${caller} {2}key [0-9a-f]{12}$`)),
			expect.stringMatching(/Z {2}private {4}this session {2}given_out$/),
			expect.stringMatching(new RegExp(`Z {2}delivered {2}load_context {2}${caller} {2}key [0-9a-f]{12}$`)),
		]);
		expect(new Set(lines.flatMap((line) => /key (\w+)/.exec(line)?.[1] ?? [])).size).toBe(1);

		const data = join(user.home, '.claude', 'plugins', 'data');
		const kept = (await readdir(data, { recursive: true })).filter((name) => name.endsWith('log.jsonl'));
		expect(kept).toHaveLength(1);
		const text = await readFile(join(data, kept[0] ?? ''), 'utf8');
		for (const marker of [...MARKERS, 'catalog.md', user.home]) expect(text).not.toContain(marker);
	});
});

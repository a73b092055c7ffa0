import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addAgent, brokerSession, LOAD, listAgents, mainSession, SCANNER, userWithKey } from './broker-session.ts';
import { delegate } from './harness/delegation.ts';
import { GIT_ENVIRONMENT } from './harness/git.ts';
import { type Home, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import type { Script } from './harness/model.ts';
import { type DeliveredResult, type ModelRequest, toolResults, userText } from './harness/request.ts';
import { CATALOG, leaks, MARKERS } from './markers.ts';
import { FILE_ACCESSES, LINKS } from './ways/file-accesses.ts';
import { findPlaces, WITH_SESSION } from './ways/places.ts';

const BYPASS = { extraArgs: ['--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } };

/** Has transcripts stay as they are: else nothing is left to protect some seconds after a scan. */
async function keepTraces({ home }: Home): Promise<void> {
	await appendFile(join(home, '.config/context-broker/context-map.toml'), '[guard]\ntraces = false\n');
}

async function userWithLinks(): Promise<Home> {
	const user = await userWithKey();
	await keepTraces(user);
	await symlink(join(user.home, '.claude', 'projects'), join(user.project, LINKS.folder));
	await symlink(join(user.home, '.config', 'context-broker', 'catalog.md'), join(user.project, LINKS.catalog));
	return user;
}

/** Each access was refused by the guard, or is not possible in this version at all. */
function expectRefused(results: readonly DeliveredResult[]): void {
	const outcomes = FILE_ACCESSES.map(({ way }, index) => {
		const { isError, text = 'not called' } = results[index] ?? {};
		return isError && /protected_file: |No such tool/.test(text) ? `${way}: refused` : `${way}: ${text}`;
	});
	expect(outcomes).toEqual(FILE_ACCESSES.map(({ way }) => `${way}: refused`));
}

describe.each(clientVersions())('Claude Code %s: everything allowed, but nothing private is read', (version) => {
	test('by the main agent', async () => {
		const user = await userWithLinks();
		const scan = delegate({ type: SCANNER, background: false, calls: [LOAD] });
		const script: Script = (request) => {
			const done = toolResults(request).length;
			if (request.agent === 'subagent' || done === 0) return scan.script(request);
			return FILE_ACCESSES[done - 1]?.call(findPlaces(user, textOf(request))) ?? { text: 'Done.' };
		};
		const { model } = await brokerSession(
			{ version, ...user, ...BYPASS, extraArgs: [...BYPASS.extraArgs, ...WITH_SESSION] },
			script,
		);
		expect(scan.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		expectRefused(toolResults(newestOf(model.requests)).slice(1));
		expect(leaks(model.requests, scan.requestsOf())).toEqual([]);
	});

	test('by another subagent', async () => {
		const user = await userWithLinks();
		await addAgent(user.home, 'snoop', 'Read, Grep, Glob, Bash');
		const scan = delegate({ type: SCANNER, background: false, calls: [LOAD] });
		const start = { description: 'x', prompt: 'Second errand.', subagent_type: 'snoop', run_in_background: false };
		let snooped: ModelRequest | undefined;
		let answered = '';
		const script: Script = (request) => {
			const done = toolResults(request).length;
			if (userText(request).includes('Second errand.') && request.agent === 'subagent') {
				snooped = request;
				return FILE_ACCESSES[done]?.call(findPlaces(user, answered)) ?? { text: 'Done.' };
			}
			if (request.agent === 'subagent' || done === 0) return scan.script(request);
			answered = textOf(request);
			return done === 1 ? { tool: 'Agent', input: start } : { text: 'Done.' };
		};
		const { model } = await brokerSession(
			{ version, ...user, ...BYPASS, extraArgs: [...BYPASS.extraArgs, ...WITH_SESSION] },
			script,
		);
		expect(scan.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		expectRefused(toolResults(snooped as ModelRequest));
		expect(leaks(model.requests, scan.requestsOf())).toEqual([]);
	});

	test.each(['--continue', 'a new session'])('by the main agent later on: %s', async (later) => {
		const user = await userWithLinks();
		const scan = delegate({ type: SCANNER, background: false, calls: [LOAD] });
		const { model: before } = await brokerSession({ version, ...user, extraArgs: WITH_SESSION }, scan.script);
		expect(scan.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		const places = findPlaces(user, textOf(newestOf(before.requests)));
		expect(readFileSync(places.transcript, 'utf8')).toContain(MARKERS[0]);
		expect(existsSync(`${places.session}.jsonl`)).toBe(true);
		const calls = FILE_ACCESSES.map(({ call }) => call(places));
		const extraArgs = [...BYPASS.extraArgs, ...(later === '--continue' ? ['--continue'] : [])];
		const { results, model } = await mainSession({ version, ...user, ...BYPASS, extraArgs }, calls);
		expectRefused(results.slice(-calls.length));
		expect(leaks(model.requests)).toEqual([]);
	});

	test('nor, when traces are cleaned, by what is not refused any more', async () => {
		const user = await userWithKey();
		const scan = delegate({ type: SCANNER, background: false, calls: [LOAD] });
		const { model: before } = await brokerSession({ version, ...user, extraArgs: WITH_SESSION }, scan.script);
		expect(scan.resultsOf()).toMatchObject([{ parts: [CATALOG] }]);
		const places = findPlaces(user, textOf(newestOf(before.requests)));
		await expect.poll(() => readFileSync(places.transcript, 'utf8')).not.toContain(MARKERS[0]);
		const calls = FILE_ACCESSES.map(({ call }) => call(places));
		const { results, model } = await mainSession({ version, ...user, ...BYPASS }, calls);
		expect(results).toHaveLength(calls.length);
		expect(results.some(({ text }) => text.includes('[Context Broker removed'))).toBe(true);
		expect(leaks(model.requests)).toEqual([]);
	});

	test("from a long result of a private agent's tool, while one of the main agent's own can be read", async () => {
		const user = await userWithKey();
		await addAgent(user.home, 'reader', `Bash, ${LOAD.tool}`);
		await listAgents(user.home, 'reader');
		await keepTraces(user);
		const long = `${CATALOG}${'- somebody else entirely\n'.repeat(5_000)}`;
		const catalog = await writePrivate(user.home, 'catalog.md', long);
		const shell = (command: string) => ({ tool: 'Bash', input: { command, description: 'x' } });
		const reader = delegate({ type: 'reader', background: false, calls: [LOAD, shell(`cat ${catalog}`)] });
		const folder = join(user.home, '.claude', 'projects');
		const spilled = (text: string) =>
			readdirSync(folder, { recursive: true, encoding: 'utf8' })
				.filter((name) => /tool-results.*\.txt$/.test(name))
				.map((name) => join(folder, name))
				.find((file) => readFileSync(file, 'utf8').includes(text)) ?? '';
		const calls = [
			() => shell('seq 1 30000'),
			() => ({ tool: 'Read', input: { file_path: spilled('29999'), limit: 5 } }),
			() => ({ tool: 'Read', input: { file_path: spilled('somebody'), limit: 5 } }),
			() => shell(`head -n 5 ${spilled('somebody')}`),
			() => shell(`cd ${dirname(spilled('somebody'))} && head -n 5 *`),
		];
		const { model } = await brokerSession({ version, ...user, ...BYPASS }, (request) => {
			const done = toolResults(request).length;
			if (request.agent === 'subagent' || done === 0) return reader.script(request);
			return calls[done - 1]?.() ?? { text: 'Done.' };
		});
		expect(reader.resultsOf()).toMatchObject([
			{ parts: [long] },
			{ text: expect.stringContaining('persisted-output') },
		]);
		const refused = { isError: true, text: expect.stringContaining('protected_file: ') };
		expect(toolResults(newestOf(model.requests)).slice(1)).toMatchObject([
			{ isError: false },
			{ isError: false, text: expect.stringContaining('5') },
			refused,
			refused,
			refused,
		]);
		expect(leaks(model.requests, reader.requestsOf())).toEqual([]);
	});

	test('from the output of a command that a private agent has left in the background', async () => {
		const user = await userWithKey();
		await addAgent(user.home, 'reader', `Bash, ${LOAD.tool}`);
		await listAgents(user.home, 'reader');
		await keepTraces(user);
		const shell = (command: string, extra: object = {}) => ({
			tool: 'Bash',
			input: { command, description: 'x', ...extra },
		});
		const leave = shell('cat ~/.config/context-broker/catalog.md; touch ~/left', { run_in_background: true });
		const wait = shell('until [ -e ~/left ]; do sleep 0.1; done');
		const reader = delegate({ type: 'reader', background: false, calls: [LOAD, leave, wait] });
		const output = () => /Output is being written to: (\S+\.output)/.exec(reader.resultsOf()[1]?.text ?? '')?.[1] ?? '';
		const calls = [
			() => ({ tool: 'Read', input: { file_path: output() } }),
			() => shell(`tail -n 20 ${output()}`),
			() => shell(`cat ${dirname(dirname(output()))}/*/b*`),
		];
		const { model } = await brokerSession({ version, ...user, ...BYPASS }, (request) => {
			const done = toolResults(request).length;
			if (request.agent === 'subagent' || done === 0) return reader.script(request);
			return calls[done - 1]?.() ?? { text: 'Done.' };
		});
		expect(readFileSync(output(), 'utf8')).toContain(CATALOG);
		const refused = { isError: true, text: expect.stringContaining('protected_file: ') };
		expect(toolResults(newestOf(model.requests)).slice(1)).toMatchObject([refused, refused, refused]);
		expect(leaks(model.requests, reader.requestsOf())).toEqual([]);
	});

	// It moves the files of the session to the folder of another project there (2.1.332).
	test('from where the files of a session are after it has entered a worktree', async () => {
		const user = await userWithKey();
		const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.org'];
		for (const args of [
			['init', '--quiet'],
			[...author, 'commit', '--quiet', '--allow-empty', '--message', 'x'],
		]) {
			execFileSync('git', args, { cwd: user.project, env: { ...process.env, ...GIT_ENVIRONMENT } });
		}
		await addAgent(user.home, 'reader', `Bash, ${LOAD.tool}`);
		await listAgents(user.home, 'reader');
		await keepTraces(user);
		const catalog = await writePrivate(user.home, 'catalog.md', `${CATALOG}${'- somebody else\n'.repeat(5_000)}`);
		const cat = { tool: 'Bash', input: { command: `cat ${catalog}`, description: 'x' } };
		const reader = delegate({ type: 'reader', background: false, calls: [LOAD, cat] });
		const folder = join(user.home, '.claude', 'projects');
		const written = (end: string) =>
			readdirSync(folder, { recursive: true, encoding: 'utf8' })
				.filter((name) => name.endsWith(end) && /subagents|tool-results/.test(name))
				.map((name) => ({ tool: 'Read', input: { file_path: join(folder, name), limit: 5 } }))[0] ?? cat;
		const calls = [
			() => ({ tool: 'ToolSearch', input: { query: 'select:EnterWorktree' } }),
			() => ({ tool: 'EnterWorktree', input: { name: 'x' } }),
			() => written('.jsonl'),
			() => written('.txt'),
		];
		const { model } = await brokerSession({ version, ...user, ...BYPASS }, (request) => {
			const done = toolResults(request).length;
			if (request.agent === 'subagent' || done === 0) return reader.script(request);
			return calls[done - 1]?.() ?? { text: 'Done.' };
		});
		const refused = { isError: true, text: expect.stringContaining('protected_file: ') };
		const [, , entered, ...reads] = toolResults(newestOf(model.requests));
		expect(entered).toMatchObject({ isError: false, text: expect.stringContaining('worktree') });
		expect(reads).toMatchObject([refused, refused]);
		expect(leaks(model.requests, reader.requestsOf())).toEqual([]);
	});

	test('but the files of the project are, as before', async () => {
		const user = await userWithKey();
		const calls = [
			{ tool: 'Bash', input: { command: 'echo hello > a.md && cat *.md && grep -r hello .', description: 'x' } },
			{ tool: 'Read', input: { file_path: join(user.project, 'a.md') } },
		];
		const { results } = await mainSession({ version, ...user, ...BYPASS }, calls);
		expect(results).toMatchObject([{ isError: false }, { isError: false }]);
	});
});

/** What the first tool gave. */
function textOf(request: ModelRequest): string {
	return toolResults(request)[0]?.text ?? '';
}

function newestOf(requests: readonly ModelRequest[]): ModelRequest {
	const newest = requests.findLast(({ agent }) => agent === 'main');
	if (newest === undefined) throw new Error('the main agent was not asked');
	return newest;
}

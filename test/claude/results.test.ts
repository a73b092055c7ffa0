import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { addAgent, type BrokerSession, brokerSession, mainSession, userWithKey } from './broker-session.ts';
import { delegate, type ToolCall } from './harness/delegation.ts';
import type { Home } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { toolResults } from './harness/request.ts';
import { CATALOG, leaks, MARKERS } from './markers.ts';
import { toldInTranscripts } from './told.ts';

const BYPASS = { extraArgs: ['--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } };

/** A program that finds the private file by itself: nothing in the command names it. */
const WALK = `node -e '
const { readdirSync, readFileSync } = require("fs");
const { homedir } = require("os");
for (const entry of readdirSync(homedir(), { recursive: true, withFileTypes: true })) {
	if (entry.isFile() && /[.]md$/.test(entry.name)) console.log(readFileSync(entry.parentPath + "/" + entry.name, "utf8"));
}'`;

const SERVER = fileURLToPath(new URL('file-server.mjs', import.meta.url));

/** Not every version has the tool in every session. */
const WITHHELD_OR_ABSENT = expect.stringMatching(/result_withheld: |No such tool available: Grep/);

const WITHHELD = expect.stringContaining('result_withheld: ');

function bash(command: string, more: object = {}): ToolCall {
	return { tool: 'Bash', input: { command, description: 'x', ...more } };
}

function session(version: string, user: Home): BrokerSession {
	return { version, ...user, ...BYPASS };
}

/** A copy that somebody has made has a name that nothing protects. */
async function userWithCopy(): Promise<Home & { readonly copy: string }> {
	const user = await userWithKey();
	const copy = join(user.project, 'notes.txt');
	await writeFile(copy, CATALOG);
	return { ...user, copy };
}

describe.each(clientVersions())('Claude Code %s: what repeats a private file is withheld', (version) => {
	test('of Bash, Read and Grep, from the main agent, also with --continue', async () => {
		const user = await userWithCopy();
		const calls = [
			bash(WALK),
			{ tool: 'Read', input: { file_path: user.copy } },
			{ tool: 'Grep', input: { pattern: '.', path: user.project, output_mode: 'content', '-n': true } },
			bash('ls; seq 3'),
		];
		const first = await mainSession(session(version, user), calls);
		const withheld = { text: WITHHELD };
		expect(first.results).toMatchObject([
			withheld,
			withheld,
			{ text: WITHHELD_OR_ABSENT },
			{ text: 'notes.txt\n1\n2\n3' },
		]);
		const again = { ...session(version, user), extraArgs: [...BYPASS.extraArgs, '--continue'] };
		const second = await mainSession(again, [bash('cat notes.txt')]);
		expect(second.results.at(-1)).toMatchObject(withheld);
		expect(leaks([...first.model.requests, ...second.model.requests])).toEqual([]);
	});

	test('of a long result that lies in a file, of a command in the background, and of a subagent', async () => {
		const user = await userWithCopy();
		await addAgent(user.home, 'snoop', 'Bash, Read');
		const errand = delegate({
			type: 'snoop',
			background: false,
			calls: [bash(WALK)],
			answer: ([one]) => one?.text ?? '',
		});
		const { model } = await brokerSession(session(version, user), (request) => {
			const results = toolResults(request);
			const said = results.map(({ text }) => text).join('\n');
			// The agent does not learn the file's name, but may look for it.
			const entries = readdirSync(join(user.home, '.claude', 'projects'), { recursive: true, encoding: 'utf8' });
			const long = entries.find((name) => /tool-results\/\S+\.txt$/.test(name)) ?? 'none';
			const [, task = 'none'] = /running in background with ID: (\w+)/.exec(said) ?? [];
			const [output = 'none'] = /\/\S+\.output/.exec(said) ?? [];
			const calls = [
				bash('cat notes.txt; seq 1 20000'),
				{ tool: 'Read', input: { file_path: join(user.home, '.claude', 'projects', long), limit: 100 } },
				bash('cat notes.txt', { run_in_background: true }),
				{ tool: 'ToolSearch', input: { query: 'select:TaskOutput' } },
				{ tool: 'TaskOutput', input: { task_id: task, block: true, timeout: 5000 } },
				{ tool: 'Read', input: { file_path: output } },
			];
			if (request.agent === 'main') return calls[results.length] ?? errand.script(request);
			return errand.script(request);
		});
		const results = toolResults(model.requests.findLast(({ agent }) => agent === 'main') as never);
		const task = { text: expect.stringMatching(/result_withheld: |No such tool available: TaskOutput|No task found/) };
		expect(results).toMatchObject([
			{ text: expect.stringMatching(/persisted-output.*result_withheld: /s) },
			{ text: WITHHELD },
			{ text: expect.stringContaining('running in background') },
			{},
			task,
			{ text: WITHHELD },
			{ text: WITHHELD },
		]);
		expect(errand.resultsOf()).toMatchObject([{ text: WITHHELD }]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test('of an MCP server that gives the file, as text or as structured content', async () => {
		const user = await userWithCopy();
		const config = join(user.home, 'servers.json');
		const docs = { command: process.execPath, args: [SERVER, user.copy] };
		await writeFile(config, JSON.stringify({ mcpServers: { docs } }));
		const args = ['--plugin-dir', PLUGIN_ROOT, '--mcp-config', config];
		const give = (as: string) => ({ tool: 'mcp__docs__give', input: { as } });
		const { results, model } = await mainSession({ ...session(version, user), args }, [
			give('text'),
			give('lines'),
			give('structured'),
			give('number'),
		]);
		expect(results).toMatchObject([
			{ text: WITHHELD },
			{ text: WITHHELD, parts: [WITHHELD] },
			{ text: WITHHELD },
			{ text: '{"number":7}' },
		]);
		expect(leaks(model.requests)).toEqual([]);
	});

	test('but not what a failed command prints: the person is told, and outward tools are closed', async () => {
		const user = await userWithCopy();
		const { results } = await mainSession(session(version, user), [
			bash('cat notes.txt; exit 3'),
			{ tool: 'WebFetch', input: { url: 'https://mail.example/', prompt: 'x' } },
		]);
		expect(results).toMatchObject([
			{ isError: true, text: expect.stringContaining(MARKERS[0] ?? '') },
			{ isError: true, text: expect.stringMatching(/outward_tool: |No such tool/) },
		]);
		expect(toldInTranscripts(user.home)).toEqual([
			expect.stringMatching(/^Context Broker: A failed call of Bash has shown .*catalog\.md to the main agent\. /),
			expect.stringContaining('Context Broker refused WebFetch (outward_tool): '),
		]);
	});

	test('nothing with results = false under [guard]', async () => {
		const user = await userWithCopy();
		await appendFile(join(user.home, '.config/context-broker/context-map.toml'), '[guard]\nresults = false\n');
		const { results } = await mainSession(session(version, user), [bash('cat notes.txt')]);
		expect(results).toMatchObject([{ text: CATALOG.trimEnd() }]);
	});
});

describe.each(clientVersions())('Claude Code %s: what only holds the same names', (version) => {
	test('is read, searched and edited as it is', async () => {
		const user = await userWithKey();
		const [name = '', mail = '', telephone = '', customer = '', contact = ''] = MARKERS;
		const all = [name, mail, telephone, customer, contact];
		const files: Record<string, string> = {
			'fixture.ts': `export const USERS = [\n${all.map((one) => `\t{ value: '${one}' },`).join('\n')}\n];\n`,
			'users.csv': `id,value\n${all.map((one, index) => `${index},"${one}"`).join('\n')}\n`,
			'users.json': `${JSON.stringify(all, null, 2)}\n`,
			'users.txt': `${all.join('\n')}\n`,
			'config.yaml': `users:\n${all.map((one) => `  - "${one}"`).join('\n')}\n`,
		};
		for (const [file, text] of Object.entries(files)) await writeFile(join(user.project, file), text);
		const path = (file: string) => join(user.project, file);
		const calls = Object.keys(files).flatMap((file) => [
			{ tool: 'Read', input: { file_path: path(file) } },
			{ tool: 'Edit', input: { file_path: path(file), old_string: name, new_string: 'Jane Example' } },
		]);
		const search = [
			{ tool: 'Grep', input: { pattern: '@|555|QX', path: user.project, output_mode: 'content' } },
			bash('cat users.txt users.json; git diff --no-index users.txt users.csv; true'),
		];
		const { results } = await mainSession(session(version, user), [...search, ...calls]);
		const [searched, ...others] = results;
		expect(searched?.text).toMatch(/QX-7781-MARK|No such tool available: Grep/);
		expect(others.filter(({ text, isError }) => isError || /result_withheld|protected_file/.test(text))).toEqual([]);
		expect(others.filter(({ text }) => text.includes(mail))).toHaveLength(1 + 5);
		for (const [file, text] of Object.entries(files)) {
			expect(readFileSync(path(file), 'utf8')).toBe(text.replace(name, 'Jane Example'));
		}
	});
});

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import {
	brokerEnvironment,
	callRequest,
	guardRequest,
	INITIALIZE,
	initializeAs,
	loadRequest,
	type Message,
	type RawBroker,
	startBroker,
} from '../support/broker.ts';
import { loggedIn } from '../support/decisions.ts';
import { BOOTSTRAP } from '../support/paths.ts';
import { createRecording, stdio } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { createUser, type User } from '../support/user.ts';

const KEY = 'key-jane-doe-marker';
const TEXT = '# Catalog\n- Jane Doe\n';
const ON = '[log]\ndecisions = true\n';
const KEYS = `[keys]\n${KEY} = "catalog-jane-doe-marker.md"\n`;
const CLAUDE_CODE = initializeAs('claude-code', '2.1.332');
const MAIN = { agent_id: '', agent_type: '' };
const SCANNER = { agent: 'a1', type: 'context-broker:privacy-scanner' };

let user: User;
let data: string;
let folder: string;

beforeEach(async () => {
	user = await createUser();
	await user.write('catalog-jane-doe-marker.md', TEXT);
	await user.writeMap(KEYS + ON);
	data = await temporaryFolder();
	folder = join(data, 'decisions');
	await symlink(join(inject('preparedData'), 'builds'), join(data, 'builds'));
});

async function ask(broker: RawBroker, ...requests: readonly object[]): Promise<Message[]> {
	const answers: Message[] = [];
	for (const request of requests) {
		broker.send(request);
		answers.push(await broker.answer());
	}
	return answers;
}

async function start(environment: Record<string, string> = {}, initialize = CLAUDE_CODE): Promise<RawBroker> {
	const broker = startBroker(user.home, { CLAUDE_PLUGIN_DATA: data, ...environment });
	await ask(broker, initialize);
	return broker;
}

/** An event of a tool, in the session `s1`. */
const before = (id: number, fields: object) => guardRequest(id, `toolu_${id}`, KEY, { session_id: 's1', ...fields });

/** The command line, and what it has printed so far. */
function run(...args: readonly string[]) {
	const env = brokerEnvironment(user.home, { CLAUDE_PLUGIN_DATA: data });
	const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [BOOTSTRAP, ...args], { env });
	onTestFinished(() => void child.kill('SIGKILL'));
	const printed = { stdout: '', stderr: '' };
	for (const name of ['stdout', 'stderr'] as const) {
		child[name].setEncoding('utf8').on('data', (text: string) => {
			printed[name] += text;
		});
	}
	return { child, printed, ended: once(child, 'close').then(([code, signal]) => ({ code, signal })) };
}

async function runToEnd(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
	const { ended, printed } = run(...args);
	return { code: (await ended).code, ...printed };
}

test('a person sees what the broker decided, and neither key nor path nor content', async () => {
	const broker = await start();
	await ask(
		broker,
		before(1, { ...MAIN }),
		before(2, {}),
		loadRequest(3, KEY, 'toolu_2'),
		loadRequest(4, KEY, 'toolu_2'),
		before(5, { ...MAIN, tool_name: 'Read', tool_input: JSON.stringify({ file_path: user.mapFile }) }),
		before(6, { tool_name: 'WebFetch', tool_input: JSON.stringify({ url: 'http://jane-doe-marker' }) }),
		before(7, { hook_event_name: 'SubagentStop', tool_name: '', last_assistant_message: 'It is Jane Doe.' }),
		before(8, {
			...{ hook_event_name: 'PostToolUse', ...MAIN, tool_name: 'Agent' },
			tool_response: JSON.stringify({ agentId: 'a1', content: [{ type: 'text', text: 'It is Jane Doe.' }] }),
		}),
		before(9, { ...MAIN, tool_name: 'Bash', tool_input: '{"command":"true"}' }),
	);
	// At its end it would write for a moment only.
	await expect.poll(() => loggedIn(data)).toHaveLength(9);
	const { errors } = await broker.finish();
	expect(errors).not.toMatch(/logged|jane/i);
	const load = { session: 's1', ...SCANNER, tool: 'load_context', key: expect.stringMatching(/^[0-9a-f]{12}$/) };
	const main = { session: 's1', agent: '', type: '' };
	const at = expect.any(Number);
	const records = await loggedIn(data);
	expect(records).toEqual([
		{ ...load, ...main, at, outcome: 'refused', reason: 'agents_only' },
		{ ...load, at, outcome: 'approved' },
		{ at, session: 's1', tool: '', outcome: 'private', reason: 'given_out' },
		{ ...load, at, outcome: 'delivered' },
		{ ...load, at, outcome: 'refused', reason: 'caller_unverified' },
		{ ...main, at, tool: 'Read', outcome: 'refused', reason: 'protected_file' },
		{ session: 's1', ...SCANNER, at, tool: 'WebFetch', outcome: 'refused', reason: 'outward_tool' },
		{ session: 's1', ...SCANNER, at, tool: '', outcome: 'withheld', reason: 'asked_again' },
		{ ...main, at, tool: 'Agent', outcome: 'changed', reason: 'quotation' },
	]);
	expect(new Set(records.map(({ key }) => key)).size).toBe(2);

	const shown = await runToEnd('log');
	expect(shown).toMatchObject({ code: 0, stderr: '' });
	expect(shown.stdout).toMatch(
		/^Session s1\n\d{4}-.*Z {2}refused {4}load_context {2}main {2}agents_only {2}key \w{12}\n/,
	);
	expect((await runToEnd('log', '--session', 's2')).stdout).toBe('No decision of session s2 is logged.\n');
	const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));
	for (const text of [...files, shown.stdout]) {
		expect(text).not.toMatch(/jane|doe|catalog|marker|\.md|toml/i);
		expect(text).not.toContain(user.home);
	}
	expect((await stat(folder)).mode & 0o777).toBe(0o700);
	expect((await stat(join(folder, 'log.jsonl'))).mode & 0o777).toBe(0o600);
});

test('calls of the shell and of a server behind the broker are permitted, or refused', async () => {
	const recording = await createRecording();
	await user.writeMap(`${KEYS}${ON}[mcp_servers.db]\n${stdio(recording)}isolated_tools = ["echo"]\n`);
	const broker = await start({ CONTEXT_BROKER_ENABLED_TOOLS: 'all' });
	const own = 'mcp__plugin_context-broker_broker__';
	await ask(
		broker,
		{ jsonrpc: '2.0', id: 'list', method: 'tools/list' },
		before(1, { ...MAIN, tool_name: `${own}run_shell_command`, tool_input: '{"command":"true"}' }),
		callRequest(2, 'run_shell_command', { command: 'true # marker' }, 'toolu_1'),
		callRequest(3, 'run_shell_command', { command: `cat ${user.mapFile}` }, 'toolu_x'),
		before(4, { ...MAIN, tool_name: `${own}db__echo`, tool_input: '{"text":"marker"}' }),
		before(5, { tool_name: `${own}db__echo`, tool_input: '{"text":"marker"}', agent_type: 'reader' }),
		callRequest(6, 'db__echo', { text: 'marker' }, 'toolu_5'),
		callRequest(7, 'db__echo', { text: 'marker' }, 'toolu_y'),
	);
	await expect.poll(() => loggedIn(data)).toHaveLength(6);
	const shell = `${own}run_shell_command`;
	expect((await loggedIn(data)).map(({ at, session, ...record }) => record)).toEqual([
		{ agent: '', type: '', tool: shell, outcome: 'permitted' },
		// No hook has announced it.
		{ tool: '', outcome: 'private', reason: 'found' },
		{ tool: 'run_shell_command', outcome: 'refused', reason: 'protected_file' },
		{ agent: '', type: '', tool: `${own}db__echo`, outcome: 'refused', reason: 'isolated_tool' },
		{ agent: 'a1', type: 'reader', tool: `${own}db__echo`, outcome: 'permitted' },
		{ tool: 'db__echo', outcome: 'refused', reason: 'isolated_tool' },
	]);
	expect(await readFile(join(folder, 'log.jsonl'), 'utf8')).not.toContain('marker');
});

test('in another client the load is delivered to nobody who is known', async () => {
	const broker = await start({}, INITIALIZE);
	await ask(broker, loadRequest(1, KEY), loadRequest(2, 'none'));
	await expect
		.poll(() => loggedIn(data))
		.toMatchObject([
			{ session: '', outcome: 'private' },
			{ session: '', tool: 'load_context', outcome: 'delivered' },
			{ session: '', tool: 'load_context', outcome: 'refused', reason: 'unknown_key' },
		]);
	expect((await runToEnd('log')).stdout).toMatch(/^Session unknown\n.*\n.*delivered {2}load_context {2}unknown {2}key/);
});

test('it is off by default, and then nothing is written; turning it on counts at once', async () => {
	await user.writeMap(KEYS);
	const broker = await start();
	await ask(broker, before(1, { ...MAIN }), before(2, {}), loadRequest(3, KEY, 'toolu_2'));
	expect(await readdir(data)).not.toContain('decisions');
	expect(await runToEnd('log')).toEqual({
		code: 0,
		stdout: expect.stringMatching(/^Decisions are not logged\. .*\n\n\[log\]\ndecisions = true\n$/),
		stderr: '',
	});
	await user.writeMap(KEYS + ON);
	await ask(broker, before(4, { ...MAIN }));
	await expect.poll(() => loggedIn(data)).toMatchObject([{ outcome: 'refused', reason: 'agents_only' }]);
	await user.writeMap(KEYS);
	await ask(broker, before(5, { ...MAIN }));
	await broker.finish();
	expect(await loggedIn(data)).toHaveLength(1);
});

test('where it can not be written, decisions are the same, and it is told once', async () => {
	await writeFile(folder, 'a file in place of the folder');
	const broker = await start();
	const [refusal, , loaded] = await ask(broker, before(1, { ...MAIN }), before(2, {}), loadRequest(3, KEY, 'toolu_2'));
	expect(JSON.stringify(refusal)).toContain('agents_only: ');
	expect(loaded).toMatchObject({ result: { content: [{ text: TEXT }] } });
	await expect.poll(broker.errors).toContain('logged');
	const { errors } = await broker.finish();
	expect(await runToEnd('log')).toEqual({
		code: 1,
		stdout: '',
		stderr: 'context-broker: The log of decisions can not be read: ENOTDIR.\n',
	});
	expect(errors.match(/Decisions can not be logged: E[A-Z]+\./g)).toHaveLength(1);
});

test('several brokers come to the bound at once: one puts the log aside, and no decision is lost', async () => {
	await mkdir(folder);
	const full = `${'x'.repeat(1024 * 1024 - 8_000)}\n`;
	await writeFile(join(folder, 'log.jsonl'), full);
	const brokers = await Promise.all(Array.from({ length: 3 }, () => start()));
	await Promise.all(
		brokers.map(async (broker, index) => {
			for (let id = 0; id < 50; id += 1) broker.send(before(id, { ...MAIN, session_id: `s${index}` }));
			for (let id = 0; id < 50; id += 1) await broker.answer();
			const mine = async () => (await loggedIn(data)).filter(({ session }) => session === `s${index}`);
			await expect.poll(mine).toHaveLength(50);
			await broker.finish();
		}),
	);
	expect(await readFile(join(folder, 'log.1.jsonl'), 'utf8')).toContain(full);
	const records = await loggedIn(data);
	expect(records).toHaveLength(150);
	for (const index of brokers.keys()) {
		expect(records.filter(({ session }) => session === `s${index}`)).toHaveLength(50);
	}
	expect(new Set(records.map(({ key }) => key)).size).toBe(1);
});

test.each(['SIGINT', 'SIGTERM'] as const)('--follow shows what comes, past the bound, until %s', async (signal) => {
	const { child, printed, ended } = run('log', '--follow', '--session', 's1');
	const broker = await start();
	await ask(broker, before(1, { ...MAIN }));
	await expect.poll(() => printed.stdout).toMatch(/^Session s1\n.*agents_only.*\n$/);
	await rename(join(folder, 'log.jsonl'), join(folder, 'log.1.jsonl'));
	await ask(broker, before(2, { session_id: 's2' }), before(3, {}));
	await expect.poll(() => printed.stdout).toMatch(/^Session s1\n.*agents_only.*\n.*approved .*\n$/);
	child.kill(signal);
	expect(await ended).toEqual({ code: 0, signal: null });
	expect(printed.stderr).toBe('');
});

test('--follow ends when nobody reads it any more', async () => {
	const { child, printed, ended } = run('log', '--follow', '--json');
	const broker = await start();
	await ask(broker, before(1, { ...MAIN }));
	await expect.poll(() => printed.stdout).toMatch(/^\{"time":.*\}\n$/);
	child.stdout.destroy();
	const line = await readFile(join(folder, 'log.jsonl'), 'utf8');
	const more = setInterval(() => void appendFile(join(folder, 'log.jsonl'), line), 100);
	onTestFinished(() => clearInterval(more));
	expect(await ended).toEqual({ code: 0, signal: null });
	expect(printed.stderr).toBe('');
});

test('--follow where it is off says so, and shows what comes once it is on', async () => {
	await user.writeMap(KEYS);
	const { printed } = run('log', '--follow');
	await expect.poll(() => printed.stderr).toMatch(/^context-broker: Decisions are not logged\. /);
	const broker = await start();
	await user.writeMap(KEYS + ON);
	await ask(broker, before(1, { ...MAIN }));
	await expect.poll(() => printed.stdout).toMatch(/agents_only/);
});

test('the command starts no server of the map', async () => {
	const started = join(data, 'started');
	await user.writeMap(`${KEYS}${ON}[mcp_servers.db]\ncommand = "touch"\nargs = ["${started}"]\n`);
	const { printed } = run('log', '--follow');
	await mkdir(folder);
	await writeFile(join(folder, 'log.jsonl'), '{"at":0,"session":"s1","tool":"","outcome":"private"}\n');
	await expect.poll(() => printed.stdout).toMatch(/private/);
	await expect(stat(started)).rejects.toThrow('ENOENT');
});

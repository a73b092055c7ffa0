import { once } from 'node:events';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, parse, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callRequest } from '../../support/broker.ts';
import {
	callTool,
	createRecording,
	freePort,
	killServer,
	listen,
	loadPrivate,
	outcome,
	type Recording,
	SERVER,
	script,
	startBrokerWith,
	stdio,
	toolNames,
} from '../../support/servers.ts';
import { expectGone, processesWith, type ShellBroker } from '../../support/shell.ts';
import { SYSTEM } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('a server that is killed', () => {
	// Only /proc shows the end at once. Elsewhere the call can be a moment too early.
	test('between two calls is started again for the next', { retry: SYSTEM === 'linux' ? 0 : 2 }, async () => {
		const recording = await createRecording();
		const broker = await startBrokerWith({ s: stdio(recording) });
		for (let i = 0; i < 3; i++) {
			expect(await outcome(broker, 's__echo', { i })).toBe(`{"i":${i}}`);
			await killServer(recording);
		}
		expect(await recording.calls()).toBe(3);
	});

	test('during a call loses it, and nobody repeats it', async () => {
		const recording = await createRecording();
		const broker = await startBrokerWith({ s: stdio(recording) });
		expect(await outcome(broker, 's__die')).toBe('upstream_lost');
		expect(await outcome(broker, 's__echo')).toBe('{}');
		expect(await recording.lines()).toEqual(['call die {}', 'call echo {}']);
	});

	test('does not get a call that is called off while it starts again', async () => {
		const recording = await createRecording();
		const broker = await startBrokerWith({ s: `${stdio(recording)}env.LATE = "1000"\n` });
		await killServer(recording);
		broker.send(callRequest(7, 's__echo', { called: 'off' }));
		await expect.poll(() => processesWith(recording.log)).not.toEqual([]);
		broker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
		expect(await outcome(broker, 's__echo', { called: 'in' })).toBe('{"called":"in"}');
		expect(await recording.lines()).toEqual(['call echo {"called":"in"}']);
		expect(broker.received.filter(({ id }) => id === 7)).toEqual([]);
	});

	test('over HTTP too, also where it comes back', async () => {
		const recording = await createRecording();
		const port = await freePort();
		const first = await listen(recording, port);
		const broker = await startBrokerWith({ s: `url = "http://127.0.0.1:${port}/mcp"\n` });
		expect(await outcome(broker, 's__die')).toBe('upstream_lost');
		await expect.poll(() => first.exitCode).toBe(1);
		expect(await outcome(broker, 's__echo')).toBe('upstream_unavailable');
		const again = await createRecording();
		await listen(again, port);
		expect(await outcome(broker, 's__echo')).toBe('{}');
		expect([await recording.calls(), await again.calls()]).toEqual([1, 1]);
	});
});

describe('a server that', () => {
	const MUTE = 'setInterval(() => {}, 1_000)';
	const BROKEN = [
		['is not there', `command = ${JSON.stringify(resolve('/none'))}\n`, 'its program was not found'],
		['has nowhere to run', `${script('')}cwd = "/none"\n`, 'its cwd is not a folder'],
		['never speaks', `${script(MUTE)}read_timeout = 2\n`, 'it did not answer in time'],
		['ends at once', script('process.exit(3)'), 'it ended before it answered'],
		[
			'says why it ends',
			script(`console.error('\\x1b[31mit is\\r \\x1b]0;x\\x07broken\\x1b[0m\\n\\nSee --help.'); process.exit(3)`),
			'it ended before it answered. It printed:\n    it is broken\n    See --help',
		],
		[
			'speaks no MCP',
			`${script("setInterval(() => console.log('no MCP'), 100)")}read_timeout = 2\n`,
			'it did not answer in time',
		],
		['refuses connections', 'url = "http://127.0.0.1:2/mcp"\n', 'ECONNREFUSED'],
		['listens where fetch does not go', 'url = "http://127.0.0.1:9/mcp"\n', 'bad port'],
	] as const;
	test.each(BROKEN)('%s takes nothing else along, and is told with the reason', async (_, fields, reason) => {
		const broker = await startBrokerWith({ broken: fields, s: stdio(await createRecording()) }, ['s']);
		expect(JSON.stringify(await loadPrivate(broker))).toContain('Jane');
		expect(await toolNames(broker)).toContain('s__echo');
		expect(await outcome(broker, 's__echo')).toBe('{}');
		await expect.poll(broker.errors).toContain(`[mcp_servers.broken]: it cannot be reached: ${reason}.\n`);
		const { errors } = await broker.finish();
		expect(errors.match(/\[mcp_servers\.broken\]/g)).toHaveLength(1);
	});

	test('never speaks, with a limit of a day, delays neither the start nor a load', async () => {
		const recording = await createRecording();
		const mute = `${script(MUTE)}read_timeout = 86400\n`;
		const silent = `${stdio(await createRecording())}env.UNANSWERED = "tools/list"\nread_timeout = 86400\n`;
		const broker = await startBrokerWith({ mute, silent, s: stdio(recording) }, ['s']);
		expect(JSON.stringify(await loadPrivate(broker))).toContain('Jane');
		expect(await outcome(broker, 's__echo')).toBe('{}');
	});

	test('is started in the project, or where the map says', async () => {
		const says = script('console.error(process.cwd())');
		const project = await temporaryFolder();
		const broker = await startBrokerWith(
			{ plain: says, home: `${says}cwd = "~/"\n`, beside: `${says}cwd = "."\n`, at: `${says}cwd = "/"\n` },
			[],
			{ CLAUDE_PROJECT_DIR: project },
		);
		const { home, configFolder } = broker.user;
		const folders = { plain: project, home, beside: configFolder, at: parse(configFolder).root };
		for (const [name, folder] of Object.entries(folders)) {
			const told = `[mcp_servers.${name}]: it cannot be reached: it ended before it answered. It printed:\n    ${folder}\n`;
			await expect.poll(broker.errors).toContain(told);
		}
	});

	test('listens later than the broker is found, its tools come, and it was told once', async () => {
		const [recording, port] = [await createRecording(), await freePort()];
		const broker = await startBrokerWith(
			{ late: `url = "http://127.0.0.1:${port}/mcp"\n`, s: stdio(await createRecording()) },
			['s'],
		);
		await expect.poll(broker.errors).toContain('[mcp_servers.late]');
		expect(await toolNames(broker)).not.toContain('late__echo');
		await listen(recording, port);
		// The pause between two attempts is a minute at most.
		await expect.poll(() => toolNames(broker), { timeout: 120_000 }).toContain('late__echo');
		expect(await outcome(broker, 'late__echo')).toBe('{}');
		const { errors } = await broker.finish();
		expect(errors.match(/\[mcp_servers\.late\]/g)).toHaveLength(1);
	});

	test.each([
		[401, 'application/json', '{"Jane":1}', 'HTTP status 401'],
		[200, 'text/html', 'Jane', 'its answer is not MCP'],
		[200, 'application/json', 'Jane', 'its answer is not MCP'],
		[200, 'application/json', '{"Jane":1}', 'its answer is not MCP'],
		[200, 'application/json', '{"jsonrpc":"2.0","id":0,"result":{"Jane":1}}', 'its answer is not MCP'],
		[
			200,
			'application/json',
			'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"Jane","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}',
			'its answer is not MCP',
		],
	])('answers with status %i and %s, %s, is told, but for what it says', async (status, type, text, reason) => {
		const other = createServer((_, response) => response.writeHead(status, { 'content-type': type }).end(text));
		other.listen(0, '127.0.0.1');
		await once(other, 'listening');
		onTestFinished(() => void other.close());
		const { port } = other.address() as AddressInfo;
		const broken = `url = "http://127.0.0.1:${port}/mcp"\n`;
		const broker = await startBrokerWith({ broken, s: stdio(await createRecording()) }, ['s']);
		await expect.poll(broker.errors).toContain(`[mcp_servers.broken]: it cannot be reached: ${reason}.\n`);
		expect((await broker.finish()).errors).not.toContain('Jane');
	});

	test('takes too long is given up, unless it shows signs of life', async () => {
		const recording = await createRecording();
		const broker = await startBrokerWith({ s: `${stdio(recording)}read_timeout = 5\n` });
		expect(await outcome(broker, 's__slow', { steps: 1, ms: 60_000 })).toBe('upstream_timeout');
		expect(await outcome(broker, 's__slow', { steps: 7, ms: 1_000, tells: true })).toBe('slept');
		expect((await recording.lines()).filter((line) => line.startsWith('cancelled'))).toHaveLength(1);
	});

	test('prints something else in between is understood all the same', async () => {
		const broker = await startBrokerWith({ s: stdio(await createRecording()) });
		expect(await outcome(broker, 's__garbage')).toBe('after garbage');
	});

	test.each(['stdio', 'http'])('answers with 50 MB over %s is passed on', async (kind) => {
		const recording = await createRecording();
		const port = await freePort();
		if (kind === 'http') await listen(recording, port);
		const fields = kind === 'stdio' ? stdio(recording) : `url = "http://127.0.0.1:${port}/mcp"\n`;
		const broker = await startBrokerWith({ s: fields });
		const text = (await outcome(broker, 's__big', { size: 50_000_000 })) ?? '';
		expect(text.length).toBe(50_000_000);
	});
});

test('a tool that clients would not take is left out and named once, and takes no other along', async () => {
	const broken = `${stdio(await createRecording(), await createRecording())}env.BROKEN_TOOL = "big"\n`;
	const broker = await startBrokerWith({ broken, s: stdio(await createRecording()) });
	const { result } = await broker.ask('tools/list', {});
	expect(ListToolsResultSchema.safeParse(result).error).toBeUndefined();
	const shown = await toolNames(broker);
	expect(shown).toEqual(expect.arrayContaining(['load_context', 'broken__echo', 's__big']));
	expect(shown).not.toContain('broken__big');
	await callTool(broker, 'broken__grow');
	await expect.poll(() => toolNames(broker)).toContain('broken__more');
	const { errors } = await broker.finish();
	expect(errors.match(/\[mcp_servers\.broken\].+/g)).toEqual([
		'[mcp_servers.broken]: its tool "big" is left out: its inputSchema does not follow MCP.',
	]);
});

test('what is too deep to be written again ends neither the broker nor the list of tools', async () => {
	const server = fileURLToPath(new URL('../../support/deep-server.mjs', import.meta.url));
	const fields = `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([server])}\n`;
	const broker = await startBrokerWith({ s: fields });
	expect(await toolNames(broker)).toEqual(['load_context', 'find_context', 's__result', 's__error', 's__progress']);
	for (const name of ['result', 'error']) expect(await outcome(broker, `s__${name}`)).toBe('-32603');
	const _meta = { progressToken: 'p' };
	const { result } = await broker.ask('tools/call', { name: 's__progress', arguments: {}, _meta });
	expect(result).toEqual({ content: [] });
	const { code, errors } = await broker.finish();
	expect(code).toBe(0);
	expect(errors).toContain('[mcp_servers.s]: its tool "listed" is left out: its _meta does not follow MCP.\n');
});

/** Of the tools it tells when it is asked for them. */
function errorsAtList(broker: ShellBroker): () => Promise<string> {
	return async () => {
		await toolNames(broker);
		return broker.errors();
	};
}

test('tools that can not be told apart are not offered, and both are named', async () => {
	const broker = await startBrokerWith(
		{ 's-1': stdio(await createRecording()), s_1: stdio(await createRecording()) },
		[],
	);
	await expect
		.poll(errorsAtList(broker))
		.toContain(
			'These tools cannot be told apart by their names, so none of them is offered: "echo" of s-1 and "echo" of s_1.\n',
		);
	expect(await toolNames(broker)).toEqual(['load_context', 'find_context']);
});

test('the lists of tools hold for them', async () => {
	const servers = { one: stdio(await createRecording()), two: stdio(await createRecording()) };
	const broker = await startBrokerWith(servers, ['two'], {
		CONTEXT_BROKER_DISABLED_TOOLS: 'one__* two-_secret nine__x',
	});
	await expect.poll(errorsAtList(broker)).toMatch(/"nine__x", which is not a tool/);
	const shown = await toolNames(broker);
	expect(shown.filter((name) => name.startsWith('one'))).toEqual([]);
	expect(shown).toContain('two__echo');
	expect(shown).not.toContain('two__secret');
	expect(await outcome(broker, 'one__echo')).toBe('-32602');
	const { errors } = await broker.finish();
	expect(errors).not.toMatch(/"one__\*"|"two-_secret"/);
});

test('a server or settings with a fault are told at the start and left out; the other servers are started, and keys are served', async () => {
	const [faulty, good] = [await createRecording(), await createRecording()];
	const wrong = '[private_data]\nallow_tools = "x"\n[shell]\ntimeout = "long"\n';
	const broker = await startBrokerWith(
		{ s: `${stdio(faulty)}env.TOKEN = "\${NOT_SET}"\n`, good: `${stdio(good)}${wrong}` },
		['good'],
	);
	expect(await outcome(broker, 'good__echo')).toBe('{}');
	expect((await loadPrivate(broker)).result).toMatchObject({
		content: [{ text: expect.stringContaining('Jane Example') }],
	});
	expect((await toolNames(broker)).filter((name) => name.startsWith('s__'))).toEqual([]);
	expect(processesWith(faulty.log)).toEqual([]);
	const { errors } = await broker.finish();
	const told = errors.matchAll(/^context-broker: config_invalid: .* Line \d+, column 1: (.*)\.$/gm);
	expect([...told].map(([, problem]) => problem)).toEqual([
		'a time limit must be a number of seconds',
		'allow_tools must be a list of names in quotes',
		'a variable in it is not set',
	]);
});

test('of a map that is no TOML no server is started', async () => {
	const recording = await createRecording();
	const broker = await startBrokerWith({ s: `${stdio(recording)}x = \n` }, []);
	expect(await toolNames(broker)).toEqual(['load_context', 'find_context']);
	expect(processesWith(recording.log)).toEqual([]);
	expect((await broker.finish()).errors).toMatch(/config_invalid: .* this is not valid TOML\.$/m);
});

test('private files are kept from them', async () => {
	const broker = await startBrokerWith({ s: stdio(await createRecording()) });
	const path = `${broker.user.configFolder}/catalog.md`;
	expect(await outcome(broker, 's__echo', { path })).toBe('protected_file');
});

test.each(['finish', 'SIGTERM', 'SIGKILL'] as const)('nothing survives the broker: %s', async (how) => {
	const recording = await createRecording();
	const launched = await launchedByScript(recording);
	const broker = await startBrokerWith({ s: `${launched}env.OUTLIVES_INPUT = "1"\n` });
	await outcome(broker, 's__echo');
	expect(processesWith(recording.log).length).toBeGreaterThan(1);
	if (how === 'finish') await broker.finish();
	else broker.kill(how);
	await expectGone(recording.log);
});

/** A server that is started by a script that waits for it, as npx and most programs of npm are. */
async function launchedByScript({ log }: Recording): Promise<string> {
	const args = [process.execPath, SERVER, log];
	if (process.platform !== 'win32')
		return `command = "sh"\nargs = ${JSON.stringify(['-c', '"$@"; true', 'sh', ...args])}\nisolate_network = true\n`;
	const file = join(await temporaryFolder(), 'launch.cmd');
	await writeFile(file, '@echo off\r\n%*\r\nexit /b\r\n');
	return `command = ${JSON.stringify(file)}\nargs = ${JSON.stringify(args)}\n`;
}

test.each([
	['answers', true],
	['does not answer', false],
])('the session with a server that listens is ended with the broker: one that %s', async (_, answers) => {
	const got: string[] = [];
	const server = createServer(async (request, response) => {
		got.push(`${request.method} ${request.headers['mcp-session-id']}`);
		if (request.method === 'DELETE') return void (answers && response.end());
		if (request.method === 'GET') return void response.writeHead(405).end();
		const { id, method } = JSON.parse(await text(request)) as { id?: number; method: string };
		const serverInfo = { name: 'a', version: '1' };
		const begun = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
		const result = method === 'initialize' ? begun : { tools: [{ name: 'a', inputSchema: { type: 'object' } }] };
		if (id === undefined) return void response.writeHead(202).end();
		response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'the-session' });
		response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
	}).listen(0, '127.0.0.1');
	onTestFinished(() => void server.close());
	await once(server, 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
	const broker = await startBrokerWith({ s: `url = "${url}"\n` });
	expect((await broker.finish()).code).toBe(0);
	expect(got.filter((line) => line.startsWith('DELETE'))).toEqual(['DELETE the-session']);
});

test('what a server prints on standard error is not passed on, also where it can not be started again', async () => {
	const recording = await createRecording();
	const folder = join(await temporaryFolder(), 'project');
	await mkdir(folder);
	const launched = script(
		'console.error("private"); import(url.pathToFileURL(process.argv[1]))',
		SERVER,
		recording.log,
	);
	const broker = await startBrokerWith({ s: `${launched}cwd = ${JSON.stringify(folder)}\n` });
	expect(await outcome(broker, 's__echo')).toBe('{}');
	expect(await outcome(broker, 's__die')).toBe('upstream_lost');
	await rmdir(folder);
	expect(await outcome(broker, 's__echo')).toBe('upstream_unavailable');
	const { errors } = await broker.finish();
	expect(errors).toContain('[mcp_servers.s]: it cannot be reached: its cwd is not a folder.\n');
	expect(errors).not.toContain('private');
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { COMMAND_VARIABLE } from '../../../server/processes/process-table.ts';
import { nameOf } from '../../../server/upstreams/tool-names.ts';
import { callRequest } from '../../support/broker.ts';
import {
	callTool,
	createRecording,
	freePort,
	listen,
	outcome,
	startBrokerWith,
	stdio,
	toolNames,
} from '../../support/servers.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const require = createRequire(import.meta.url);
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const FILESYSTEM = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

type Listed = Record<string, unknown> & { readonly name: string };

/** A client that talks to a server without the broker, and takes whatever comes. */
async function direct(transport: Transport) {
	const client = new Client({ name: 'direct', version: '1' }, { capabilities: {} });
	await client.connect(transport);
	onTestFinished(() => client.close());
	const any = z.looseObject({});
	return {
		tools: async () => (await client.request({ method: 'tools/list' }, any)).tools as Listed[],
		/** The result, or code, message and data of the error. */
		call: async (name: string, input: object) => {
			try {
				return await client.request({ method: 'tools/call', params: { name, arguments: input } }, any);
			} catch (error) {
				const { code, message, data } = error as { code: number; message: string; data?: unknown };
				return { code, message: message.replace(/^MCP error -?\d+: /, ''), ...(data === undefined ? {} : { data }) };
			}
		},
	};
}

/** server-everything, listening. @param port by default a free one */
async function startEverything(port?: number): Promise<{ url: string; port: number; child: ChildProcess }> {
	port ??= await freePort();
	const env = { ...process.env, PORT: String(port) };
	const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], { env, stdio: 'ignore' });
	onTestFinished(() => void child.kill('SIGKILL'));
	const url = `http://127.0.0.1:${port}/mcp`;
	const answers = () =>
		fetch(url).then(
			() => true,
			() => false,
		);
	await expect.poll(answers).toBe(true);
	return { url, port, child };
}

function startDirect(command: string, ...args: string[]) {
	return direct(new StdioClientTransport({ command, args, stderr: 'ignore' }));
}

const EVERYTHING_CALLS: Readonly<Record<string, readonly object[]>> = {
	echo: [{ message: 'hi' }, {}, { message: 5 }],
	'get-sum': [{ a: 1, b: 2.5 }, { a: 'x' }],
	'get-tiny-image': [{}],
	'get-annotated-message': [{ messageType: 'error', includeImage: true }, { messageType: 'none' }],
	'get-structured-content': [{ location: 'New York' }, { location: 'nowhere' }],
	'get-resource-links': [{ count: 3 }],
	'get-resource-reference': [{ resourceType: 'Text', resourceId: 1 }, { resourceType: 'Blob', resourceId: 2 }, {}],
	'get-env': [{}],
	'gzip-file-as-resource': [
		{ name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' },
		{ name: 'b.gz', data: 'data:text/plain,hello' },
		{ data: 'ftp://a.example/' },
	],
	'toggle-simulated-logging': [{}, {}],
	'toggle-subscriber-updates': [{}, {}],
	'trigger-long-running-operation': [{ duration: 0.1, steps: 2 }],
};

/** What differs between two runs of a server: the time of day, the session over HTTP, who runs it. */
const DIFFERENT: readonly (readonly [RegExp, string])[] = [
	[/\d{1,2}:\d{2}:\d{2}( [AP]M)?/g, 'TIME'],
	[/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID'],
	[/\\"HOME\\": \\"[^"]*"/g, 'HOME'],
	[new RegExp(String.raw`,\\n *\\"${COMMAND_VARIABLE}\\": \\"[^"]*"`, 'g'), ''],
];

/** Without what differs between two runs of a server, also in what it says in base64. */
function lasting(value: unknown): unknown {
	const text = JSON.stringify(value, (field, said) =>
		field === 'blob' ? Buffer.from(said, 'base64').toString('latin1') : said,
	);
	return JSON.parse(DIFFERENT.reduce((rest, [what, to]) => rest.replaceAll(what, to), text));
}

async function compare(
	server: string,
	fields: string,
	straight: Awaited<ReturnType<typeof direct>>,
	calls: Readonly<Record<string, readonly object[]>>,
) {
	// Beside the home, which is the test user's.
	const { HOME: _, ...env } = getDefaultEnvironment();
	const broker = await startBrokerWith({ [server]: fields }, [server], env);
	const listed = (await broker.ask('tools/list', {})).result?.tools as Listed[];
	// The broker calls none as a task.
	const isForTasks = ({ execution }: Listed) => Object(execution).taskSupport === 'required';
	const tools = (await straight.tools()).filter((tool) => !isForTasks(tool));
	expect(listed.slice(2)).toEqual(
		tools.map((tool) => ({ ...tool, name: nameOf({ server, tool: tool.name }, [server]) })),
	);
	expect(Object.keys(calls).sort()).toEqual(tools.map(({ name }) => name).sort());
	for (const [tool, inputs] of Object.entries(calls)) {
		for (const input of inputs) {
			const { result, error } = await callTool(broker, nameOf({ server, tool }, [server]), input);
			expect(lasting(result ?? error), `${tool} ${JSON.stringify(input)}`).toEqual(
				lasting(await straight.call(tool, input)),
			);
		}
	}
}

describe('what a server says passes as it is', () => {
	test('server-everything over stdio', async () => {
		const args = JSON.stringify([EVERYTHING]);
		const fields = `command = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`;
		await compare('everything', fields, await startDirect(process.execPath, EVERYTHING), EVERYTHING_CALLS);
	});

	test('server-everything over streamable HTTP', async () => {
		const { url } = await startEverything();
		const straight = await direct(new StreamableHTTPClientTransport(new URL(url)) as Transport);
		await compare('everything', `url = "${url}"\n`, straight, EVERYTHING_CALLS);
	});

	test('server-filesystem over stdio', async () => {
		const folder = join(await temporaryFolder(), 'files');
		await mkdir(join(folder, 'deeper'), { recursive: true });
		await writeFile(join(folder, 'a.txt'), 'one\ntwo\n');
		await writeFile(join(folder, 'p.png'), Buffer.from('89504e470d0a1a0a', 'hex'));
		const at = (name: string) => ({ path: join(folder, name) });
		const fields = `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([FILESYSTEM, folder])}\n`;
		await compare('fs', fields, await startDirect(process.execPath, FILESYSTEM, folder), {
			read_text_file: [at('a.txt'), { ...at('a.txt'), head: 1 }, at('none'), { path: '/etc/hostname' }, {}],
			read_media_file: [at('p.png')],
			read_multiple_files: [{ paths: [join(folder, 'a.txt'), join(folder, 'none')] }],
			read_file: [at('a.txt')],
			list_directory: [{ path: folder }, at('none')],
			list_directory_with_sizes: [{ path: folder }],
			directory_tree: [{ path: folder }],
			search_files: [{ path: folder, pattern: '**/*.txt' }],
			get_file_info: [at('a.txt')],
			list_allowed_directories: [{}],
			write_file: [{ ...at('b.txt'), content: 'new' }],
			edit_file: [{ ...at('a.txt'), edits: [{ oldText: 'one', newText: '1' }], dryRun: true }],
			create_directory: [at('c')],
			move_file: [{ source: join(folder, 'none'), destination: join(folder, 'x') }],
		});
	});

	test('fields that nobody knows, errors of JSON-RPC with their data, progress and lists that change', async () => {
		const recording = await createRecording();
		const broker = await startBrokerWith({ s: stdio(recording) });
		const { result } = await callTool(broker, 's__echo', { a: 1 }, { mine: 'x', progressToken: 7 });
		expect(result).toEqual({
			content: [{ type: 'text', text: '{"a":1}' }],
			structuredContent: { input: { a: 1 } },
			_meta: { mine: 1 },
			unknown: [1.5],
		});
		await callTool(broker, 's__grow');
		await expect.poll(() => toolNames(broker)).toContain('s__more');
		expect((await callTool(broker, 's__more')).error).toEqual({
			code: -32077,
			message: 'no such thing',
			data: { of: 'more' },
		});
		await callTool(broker, 's__slow', { steps: 2, ms: 20, tells: true }, { progressToken: 'mine' });
		const told = broker.received
			.filter(({ method }) => method === 'notifications/progress')
			.map(({ params }) => params);
		expect(told).toEqual([1, 2].map((progress) => ({ progressToken: 'mine', progress, message: `step ${progress}` })));
		expect(broker.received.some(({ method }) => method === 'notifications/tools/list_changed')).toBe(true);
	});

	test.each([
		'PAGE = "1"',
		'PAGE = "4"',
		'PAGE = "9"',
		'PAGE = "100"',
		'LAST_CURSOR = ""',
		'PAGE = "5", LAST_CURSOR = "5"',
	])('a list of tools in pages: %s', async (variables) => {
		const paged = `${stdio(await createRecording())}env = { ${variables} }\n`;
		const broker = await startBrokerWith({ paged, s: stdio(await createRecording()) });
		const names = (await toolNames(broker)).filter((name) => !name.endsWith('_context'));
		const of = (server: string) => names.filter((name) => name.startsWith(`${server}__`));
		expect(of('paged')).toHaveLength(9);
		expect(of('paged').map((name) => name.replace('paged', 's'))).toEqual(of('s'));
	});

	test('the headers of the map, to both instances, but none that the client or the environment has', async () => {
		const [open, isolated] = [await createRecording(), await createRecording()];
		const ports = [await freePort(), await freePort()] as const;
		await Promise.all([listen(open, ports[0]), listen(isolated, ports[1])]);
		const broker = await startBrokerWith(
			{
				s: `url = "http://127.0.0.1:${ports[0]}/mcp"
url_isolated = "http://u:p@127.0.0.1:${ports[1]}/mcp"
headers = { X-Token = "<\u0024{TOKEN}>" }
`,
			},
			['s'],
			{ TOKEN: 'the token' },
		);
		await outcome(broker, 's__echo');
		for (const [recording, authorization] of [
			[open, undefined],
			[isolated, 'Basic dTpw'],
		] as const) {
			const lines = (await recording.lines()).filter((line) => line.startsWith('headers '));
			const got = lines.map((line) => JSON.parse(line.slice('headers '.length)) as Record<string, string>);
			expect(got.length).toBeGreaterThan(1);
			for (const headers of got) expect(headers).toMatchObject({ 'x-token': '<the token>' });
			for (const headers of got) expect(headers.authorization).toBe(authorization);
		}
	});

	test.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'ping'])(
		'a server that asks for %s in the middle of a call is answered at once, and the call goes on',
		async (method) => {
			const recording = await createRecording();
			const broker = await startBrokerWith({ s: `${stdio(recording)}env.ASKED = "${method}"\n` });
			expect(await outcome(broker, 's__echo')).toBe('{}');
			const answer = method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'Method not found' } };
			await expect.poll(async () => (await recording.lines()).at(-1)).toMatch(/^answer /);
			expect(JSON.parse((await recording.lines()).at(-1)?.slice('answer '.length) ?? '')).toEqual({
				jsonrpc: '2.0',
				id: 'asked',
				...answer,
			});
			expect(broker.received.filter(({ method: asked }) => asked === method)).toEqual([]);
		},
	);

	test('a cancellation, but for the words of whoever cancels', async () => {
		const recording = await createRecording();
		const broker = await startBrokerWith({ s: stdio(recording) });
		broker.send(callRequest(7, 's__slow', { steps: 1, ms: 60_000 }));
		await expect.poll(recording.calls).toBe(1);
		broker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7, reason: 'Jane' } });
		await expect
			.poll(async () => (await recording.lines()).at(-1))
			.toMatch(/^cancelled \{"requestId":\d+,"reason":"cancelled"\}$/);
		await broker.ask('ping', {});
		expect(broker.received.filter(({ id }) => id === 7)).toEqual([]);
	});

	test('a server that was started again, and does not know the session any more, gets the call all the same', async () => {
		const { url, port, child } = await startEverything();
		const broker = await startBrokerWith({ e: `url = "${url}"\n` });
		expect(await outcome(broker, 'e__echo', { message: 'one' })).toBe('Echo: one');
		child.kill('SIGKILL');
		await once(child, 'close');
		await startEverything(port);
		expect(await outcome(broker, 'e__echo', { message: 'two' })).toBe('Echo: two');
	});

	test('a stream that breaks off, since the server is killed: the call is lost at once', async () => {
		const { url, child } = await startEverything();
		const broker = await startBrokerWith({ e: `url = "${url}"\n` });
		const name = nameOf({ server: 'e', tool: 'trigger-long-running-operation' }, ['e']);
		broker.send({
			...callRequest(7, name, { duration: 30, steps: 60 }),
			params: { name, arguments: { duration: 30, steps: 60 }, _meta: { progressToken: 'p' } },
		});
		await expect
			.poll(() => broker.received.filter(({ method }) => method === 'notifications/progress').length)
			.toBeGreaterThan(1);
		child.kill('SIGKILL');
		expect((await broker.answerTo(7)).result).toMatchObject({
			_meta: { 'context-broker/error': { code: 'upstream_lost' } },
		});
	});
});

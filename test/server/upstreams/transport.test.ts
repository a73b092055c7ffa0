import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { StdioInstance } from '../../../server/context-map/server-config.ts';
import {
	ClosedToPrivate,
	httpTransport,
	type StdioOptions,
	serverEnvironment,
	stdioTransport,
} from '../../../server/upstreams/transport.ts';

const PLAIN = { cwd: '/', variables: {}, onStart: () => {}, end: async () => {} };

test('over HTTP it is asked in the moment in which a request leaves, and nothing leaves after a no', async () => {
	let requests = 0;
	const server = createServer((_, response) => {
		requests += 1;
		response.writeHead(202).end();
	}).listen(0, '127.0.0.1');
	onTestFinished(() => void server.close());
	await once(server, 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
	let canSend = true;
	const transport = httpTransport({ kind: 'http', url, headers: {} }, () => canSend);
	onTestFinished(() => transport.close());
	await transport.start();
	const send = () => transport.send({ jsonrpc: '2.0', method: 'notifications/test' });
	await send();
	expect(requests).toBe(1);
	const sending = send();
	// The request has not left yet.
	canSend = false;
	await expect(sending).rejects.toThrow(ClosedToPrivate);
	await expect(send()).rejects.toThrow(ClosedToPrivate);
	expect(requests).toBe(1);
});

/** The variables that a server gets. */
async function environmentOf(fields: Partial<StdioInstance>, options: Partial<StdioOptions> = {}) {
	const config = { kind: 'stdio', command: '', args: [], env: {}, cwd: undefined, withoutNetwork: true } as const;
	const code = 'console.log(JSON.stringify({ jsonrpc: "2.0", method: "env", params: process.env }))';
	const invocation = { program: process.execPath, args: ['-e', code] };
	const { transport } = stdioTransport({ ...PLAIN, ...options, config: { ...config, ...fields }, invocation });
	const given = new Promise((resolve) => {
		transport.onmessage = (message) => resolve((message as { params?: unknown }).params);
	});
	await transport.start();
	onTestFinished(() => transport.close());
	return await given;
}

test('npm and uv are told to take what they have where there is no network, and only there', async () => {
	const offline = { npm_config_prefer_offline: 'true', npm_config_fetch_retries: '0', UV_OFFLINE: '1' };
	expect(await environmentOf({})).toMatchObject(offline);
	expect(await environmentOf({ env: { UV_OFFLINE: '0' } })).toMatchObject({ ...offline, UV_OFFLINE: '0' });
	expect(Object.keys(Object(await environmentOf({ withoutNetwork: false })))).not.toContain('UV_OFFLINE');
});

test('on Windows a server finds no program in the project by its bare name', async () => {
	const given = { NoDefaultCurrentDirectoryInExePath: '1' };
	expect(await environmentOf({}, { platform: 'win32' })).toMatchObject(given);
	expect(await environmentOf({}, { platform: 'linux' })).not.toMatchObject(given);
});

test('on Windows a variable of the map counts however its name is spelled', async () => {
	const environment = { https_proxy: 'http://one', TZ: 'UTC' };
	const env = { Path: 'C:\\tools', HTTPS_PROXY: 'http://two', Own: '1' };
	const given = { ...environment, https_proxy: 'http://two', PATH: 'C:\\tools', Own: '1' };
	const windows = await environmentOf({ env }, { platform: 'win32', environment });
	expect(windows).toMatchObject(given);
	expect(Object.keys(Object(windows))).not.toEqual(expect.arrayContaining(['Path']));
	expect(serverEnvironment({ env, withoutNetwork: false }, environment, 'linux')).toMatchObject({
		...environment,
		...env,
	});
});

test('a server that does not end with its input is ended', async () => {
	const config = { kind: 'stdio', command: '', args: [], env: {}, cwd: undefined, withoutNetwork: false } as const;
	for (const [code, ends] of [
		['process.stdin.resume();', 0],
		['setTimeout(() => {}, 100_000);', 1],
	] as const) {
		const ready = 'console.log(JSON.stringify({ jsonrpc: "2.0", method: "ready" }))';
		const seen = { started: [] as number[], ended: 0 };
		const { transport } = stdioTransport({
			...{ ...PLAIN, config, invocation: { program: process.execPath, args: ['-e', code + ready] } },
			onStart: (pid) => seen.started.push(pid),
			end: async () => {
				seen.ended += 1;
				for (const pid of seen.started) process.kill(pid, 'SIGKILL');
			},
		});
		const isReady = new Promise((resolve) => {
			transport.onmessage = resolve;
		});
		await transport.start();
		expect(seen.started).toEqual([transport.pid]);
		await isReady;
		await transport.close();
		expect(seen.ended).toBe(ends);
	}
});

test('the last of what a server prints before it is connected is kept, without what would change the terminal', async () => {
	const code = String.raw`console.error("first\n" + "x\n".repeat(20) + "\x1b[31ma\x1b[39m\tb\x07 \r\n\n")`;
	const config = { kind: 'stdio', command: '', args: [], env: {}, cwd: undefined, withoutNetwork: false } as const;
	const invocation = { program: process.execPath, args: ['-e', code] };
	const { transport, printed } = stdioTransport({ ...PLAIN, config, invocation });
	const closed = new Promise<void>((resolve) => {
		transport.onclose = resolve;
	});
	await transport.start();
	await closed;
	expect(printed()).toEqual([...Array.from({ length: 11 }, () => 'x'), 'a\tb']);
});

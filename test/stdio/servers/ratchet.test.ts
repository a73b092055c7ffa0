import { once } from 'node:events';
import { copyFile, unlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MAY_NOT_ISOLATE, mayUse, SANDBOXES } from '../../support/account.ts';
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
	startBrokerWith,
	stdio,
} from '../../support/servers.ts';
import { processesWith } from '../../support/shell.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Two instances, over stdio or HTTP, and a broker in front of them. */
async function twoInstances(kind: string, more = '') {
	const [open, isolated] = [await createRecording(), await createRecording()];
	if (kind === 'stdio') return { open, isolated, broker: await startBrokerWith({ s: stdio(open, isolated) + more }) };
	const ports = [await freePort(), await freePort()] as const;
	await Promise.all([listen(open, ports[0]), listen(isolated, ports[1])]);
	const fields = `url = "http://127.0.0.1:${ports[0]}/mcp"\nurl_isolated = "http://127.0.0.1:${ports[1]}/mcp"\n`;
	return { open, isolated, broker: await startBrokerWith({ s: fields + more }) };
}

/** What was sent in the calls that it has got. */
async function numbersOf(recording: Recording): Promise<number[]> {
	const calls = (await recording.lines()).map((line) => /^call echo \{"sent":(\d+)\}$/.exec(line)?.[1]);
	return calls.filter((number) => number !== undefined).map(Number);
}

describe.each(['stdio', 'http'])('over %s', (kind) => {
	test('calls go to the open instance until private context is given out, then to the isolated one', async () => {
		const { open, isolated, broker } = await twoInstances(kind);
		for (let i = 0; i < 3; i++) expect(await outcome(broker, 's__echo', { i })).toBe(`{"i":${i}}`);
		expect([await open.calls(), await isolated.calls()]).toEqual([3, 0]);
		await loadPrivate(broker);
		for (let i = 0; i < 3; i++) expect(await outcome(broker, 's__echo', { i })).toBe(`{"i":${i}}`);
		expect([await open.calls(), await isolated.calls()]).toEqual([3, 3]);
	});

	test('of 1,000 calls around the switch none starts on the open instance after it, and each is answered', async () => {
		const { open, isolated, broker } = await twoInstances(kind, 'read_timeout = 300\n');
		let sent = 0;
		const send = (count: number) => {
			for (const end = sent + count; sent < end; sent++) broker.send(callRequest(sent, 's__echo', { sent }));
		};
		send(300);
		await expect.poll(() => open.calls(), { interval: 1 }).toBeGreaterThan(0);
		broker.send(callRequest('load', 'load_context', { key: 'k' }));
		let sentBefore: number | undefined;
		const switching = broker.answerTo('load').then((answer) => {
			sentBefore = sent;
			expect(JSON.stringify(answer)).toContain('Jane');
		});
		while (sentBefore === undefined && sent < 800) {
			send(5);
			await delay(1);
		}
		await switching;
		send(1_000 - sent);
		for (let id = 0; id < 1_000; id++) expect((await broker.answerTo(id)).result).not.toHaveProperty('isError');
		const [onOpen, onIsolated] = [await numbersOf(open), await numbersOf(isolated)];
		expect([...onOpen, ...onIsolated].sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
		// What was on its way before may come later.
		expect(Math.max(...onOpen)).toBeLessThan(sentBefore ?? 0);
		expect(onIsolated.length).toBeGreaterThan(0);
		const ids = broker.received.map(({ id }) => id).filter((id) => typeof id === 'number');
		expect(new Set(ids).size).toBe(ids.length);
	});

	test.each(['secret', 'fails'])('what a private tool returns turns the session private: %s', async (tool) => {
		const { open, isolated, broker } = await twoInstances(kind, `private_tools = ["${tool}"]\n`);
		expect(await outcome(broker, 's__echo', {})).toBe('{}');
		const { result } = await callTool(broker, `s__${tool}`, {}, { progressToken: 'p' });
		expect(JSON.stringify(result)).toContain('the secret');
		await outcome(broker, 's__echo', {});
		expect([await open.calls(), await isolated.calls()]).toEqual([2, 1]);
		const told = broker.received.filter(({ method }) => method === 'notifications/progress');
		expect(JSON.stringify(told)).not.toContain('secret');
	});
});

test('over HTTP nothing at all goes to the open instance any more, not even that a call is cancelled', async () => {
	const [open, isolated] = [await createRecording(), await createRecording()];
	const ports = [await freePort(), await freePort()] as const;
	await Promise.all([listen(open, ports[0]), listen(isolated, ports[1])]);
	const seen: string[] = [];
	const front = createServer(async (request, response) => {
		const body = await new Response(Readable.toWeb(request) as ReadableStream).text();
		const method = body === '' ? String(request.method) : String((JSON.parse(body) as { method?: string }).method);
		seen.push(method);
		// A call has no answer.
		if (method === 'tools/call') return;
		const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
		const sent = { method: request.method ?? 'POST', headers, ...(body === '' ? {} : { body }) };
		const passed = await fetch(`http://127.0.0.1:${ports[0]}/mcp`, sent);
		response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
	}).listen(0, '127.0.0.1');
	await once(front, 'listening');
	onTestFinished(() => {
		front.closeAllConnections();
		front.close();
	});
	const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`;
	const broker = await startBrokerWith({ s: `url = "${url}"\nurl_isolated = "http://127.0.0.1:${ports[1]}/mcp"\n` });
	const cancel = (requestId: string) => {
		broker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
	};
	for (const id of ['before', 'after']) broker.send(callRequest(id, 's__echo', {}));
	await expect.poll(() => seen.filter((method) => method === 'tools/call')).toHaveLength(2);
	cancel('before');
	await expect.poll(() => seen).toContain('notifications/cancelled');
	await loadPrivate(broker);
	const count = seen.length;
	cancel('after');
	expect(await outcome(broker, 's__echo')).toBe('{}');
	await delay(200);
	expect(seen.slice(count)).toEqual([]);
});

describe('a server that is started a second time without a network can not reach what the first can', () => {
	test.for<[string, (fields: string) => string]>([
		['by itself', (fields) => fields],
		['below a launcher', launched],
	])('%s', async ([, fieldsOf], { skip }) => {
		skip(!SANDBOXES.some(mayUse), MAY_NOT_ISOLATE);
		const listener = createTcpServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
		onTestFinished(() => void listener.close());
		await once(listener, 'listening');
		const { port } = listener.address() as AddressInfo;
		const broker = await startBrokerWith({ s: fieldsOf(stdio(await createRecording(), 'without network')) });
		expect(await outcome(broker, 's__fetch', { port })).toBe('hello');
		await loadPrivate(broker);
		expect(await outcome(broker, 's__fetch', { port })).toBe('ECONNREFUSED');
	});

	/** The same server, started by a shell that waits for it. */
	function launched(fields: string): string {
		const [started, program = '', args = ''] = /command = (.*)\nargs = (.*)\n/.exec(fields) ?? [];
		const script = `${JSON.parse(program)} "$@"; true`;
		const all = ['-c', script, 'sh', ...(JSON.parse(args) as string[])];
		return fields.replace(started ?? '', `command = "sh"\nargs = ${JSON.stringify(all)}\n`);
	}
});

test('where a program can not be run without a network, no isolated instance is started, and calls are refused', async () => {
	const recording = await createRecording();
	// The proof runs bash.
	const broker = await startBrokerWith({ s: stdio(recording, 'without network') }, ['s'], { PATH: '/none' });
	expect(await outcome(broker, 's__echo')).toBe('{}');
	expect(processesWith(recording.log)).toHaveLength(1);
	await loadPrivate(broker);
	for (let i = 0; i < 2; i++) expect(await outcome(broker, 's__echo')).toBe('isolated_instance_unavailable');
	expect(processesWith(recording.log)).toHaveLength(1);
	expect(await recording.calls()).toBe(1);
	const { errors } = await broker.finish();
	expect(errors).toMatch(
		/\[mcp_servers\.s\]: its isolated instance cannot be reached: network_isolation_unavailable \(.+\)\.\n/,
	);
});

describe('where the isolated instance', () => {
	const UNREACHABLE = {
		stdio: 'args_isolated = ["/none"]\n',
		http: 'url_isolated = "http://127.0.0.1:9/mcp"\n',
	};

	test.each(['stdio', 'http'] as const)('can not be reached, calls are refused: %s', async (kind) => {
		const open = await createRecording();
		const port = await freePort();
		if (kind === 'http') await listen(open, port);
		const fields = kind === 'stdio' ? stdio(open) : `url = "http://127.0.0.1:${port}/mcp"\n`;
		const broker = await startBrokerWith({ s: fields + UNREACHABLE[kind] });
		expect(await outcome(broker, 's__echo')).toBe('{}');
		await loadPrivate(broker);
		for (let i = 0; i < 3; i++) expect(await outcome(broker, 's__echo')).toBe('isolated_instance_unavailable');
		expect(await open.calls()).toBe(1);
		const { errors } = await broker.finish();
		expect(errors).toMatch(/\[mcp_servers\.s\]: its isolated instance cannot be reached: /);
	});

	test.each([301, 302, 303, 307, 308])('leads to another origin, nobody follows: %i', async (status) => {
		let reached = 0;
		const other = createServer((_, response) => {
			reached += 1;
			response.end();
		}).listen(0, '127.0.0.1');
		await once(other, 'listening');
		const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/mcp`;
		const redirecting = createServer((_, response) => response.writeHead(status, { location }).end()).listen(
			0,
			'127.0.0.1',
		);
		await once(redirecting, 'listening');
		onTestFinished(() => {
			other.close();
			redirecting.close();
		});
		const port = await freePort();
		const open = await createRecording();
		await listen(open, port);
		const isolated = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/mcp`;
		const broker = await startBrokerWith({ s: `url = "http://127.0.0.1:${port}/mcp"\nurl_isolated = "${isolated}"\n` });
		await loadPrivate(broker);
		expect(await outcome(broker, 's__echo')).toBe('isolated_instance_unavailable');
		expect([reached, await open.calls()]).toEqual([0, 0]);
	});

	test('leads to another origin only after it was connected, nobody follows either', async () => {
		let reached = 0;
		const other = createServer((_, response) => {
			reached += 1;
			response.end();
		}).listen(0, '127.0.0.1');
		await once(other, 'listening');
		const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/mcp`;
		const [open, isolated] = [await createRecording(), await createRecording()];
		const ports = [await freePort(), await freePort()] as const;
		await Promise.all([listen(open, ports[0]), listen(isolated, ports[1])]);
		let isTurned = false;
		const front = createServer(async (request, response) => {
			if (isTurned) return void response.writeHead(307, { location }).end();
			const body = await new Response(Readable.toWeb(request) as ReadableStream).text();
			const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
			const passed = await fetch(`http://127.0.0.1:${ports[1]}/mcp`, {
				method: request.method ?? 'POST',
				headers,
				...(body === '' ? {} : { body }),
			});
			response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
		}).listen(0, '127.0.0.1');
		await once(front, 'listening');
		onTestFinished(() => {
			other.close();
			front.close();
		});
		const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`;
		const broker = await startBrokerWith({ s: `url = "http://127.0.0.1:${ports[0]}/mcp"\nurl_isolated = "${url}"\n` });
		await loadPrivate(broker);
		expect(await outcome(broker, 's__echo')).toBe('{}');
		isTurned = true;
		const { result } = await callTool(broker, 's__echo');
		expect(result).toMatchObject({ isError: true });
		expect([reached, await open.calls(), await isolated.calls()]).toEqual([0, 0, 1]);
	});

	test('is killed in a private session, it comes back for the next call, and the open one gets nothing', async () => {
		const [open, isolated] = [await createRecording(), await createRecording()];
		const broker = await startBrokerWith({ s: stdio(open, isolated) });
		await loadPrivate(broker);
		expect(await outcome(broker, 's__echo')).toBe('{}');
		await killServer(isolated);
		expect(await outcome(broker, 's__echo')).toBe('{}');
		expect([await open.calls(), await isolated.calls()]).toEqual([0, 2]);
	});

	test('listens, is killed and comes back, calls are lost or refused until then, and the open one gets none', async () => {
		const [open, isolated, again] = [await createRecording(), await createRecording(), await createRecording()];
		const ports = [await freePort(), await freePort()] as const;
		await listen(open, ports[0]);
		const first = await listen(isolated, ports[1]);
		const fields = `url = "http://127.0.0.1:${ports[0]}/mcp"\nurl_isolated = "http://127.0.0.1:${ports[1]}/mcp"\n`;
		const broker = await startBrokerWith({ s: fields });
		await loadPrivate(broker);
		expect(await outcome(broker, 's__die')).toBe('upstream_lost');
		await expect.poll(() => first.exitCode).toBe(1);
		for (let i = 0; i < 2; i++) expect(await outcome(broker, 's__echo')).toBe('isolated_instance_unavailable');
		await listen(again, ports[1]);
		expect(await outcome(broker, 's__echo')).toBe('{}');
		expect([await open.calls(), await isolated.calls(), await again.calls()]).toEqual([0, 1, 1]);
	});

	test('is killed and its program is gone, calls are refused until that is there again', async () => {
		const [open, isolated] = [await createRecording(), await createRecording()];
		const program = join(await temporaryFolder(), 'server.mjs');
		await copyFile(SERVER, program);
		const other = `args_isolated = ${JSON.stringify([program, isolated.log])}\n`;
		const broker = await startBrokerWith({ s: stdio(open) + other });
		await loadPrivate(broker);
		expect(await outcome(broker, 's__echo')).toBe('{}');
		await unlink(program);
		await killServer(isolated);
		for (let i = 0; i < 2; i++) expect(await outcome(broker, 's__echo')).toBe('isolated_instance_unavailable');
		await copyFile(SERVER, program);
		expect(await outcome(broker, 's__echo')).toBe('{}');
		expect([await open.calls(), await isolated.calls()]).toEqual([0, 2]);
		const { errors } = await broker.finish();
		const told = '[mcp_servers.s]: its isolated instance cannot be reached: it ended before it answered. It printed:';
		expect(errors.match(/\[mcp_servers\.s\].+/g)).toEqual([told, told]);
	});

	test('is there, a key that is not private and one that does not exist leave the calls on the open one', async () => {
		const [open, isolated] = [await createRecording(), await createRecording()];
		const broker = await startBrokerWith({ s: stdio(open, isolated) });
		await broker.user.writeMap('[keys.k]\npath = "catalog.md"\nprivate = false\n');
		expect(JSON.stringify(await loadPrivate(broker))).toContain('Jane');
		await callTool(broker, 'load_context', { key: 'none' });
		await outcome(broker, 's__echo');
		expect([await open.calls(), await isolated.calls()]).toEqual([1, 0]);
	});

	test('does not exist, the one instance serves on, unless the user wants it refused', async () => {
		const [one, two] = [await createRecording(), await createRecording()];
		const broker = await startBrokerWith({ serves: stdio(one), refuses: `${stdio(two)}when_private = "refuse"\n` });
		await loadPrivate(broker);
		expect(await outcome(broker, 'serves__echo')).toBe('{}');
		expect(await outcome(broker, 'refuses__echo')).toBe('refused_when_private');
		expect([await one.calls(), await two.calls()]).toEqual([1, 0]);
	});
});

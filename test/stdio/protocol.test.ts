import { describe, expect, test } from 'vitest';
import { INITIALIZE, loadRequest, type Message, type RawBroker, startBroker } from '../support/broker.ts';
import { createUser } from '../support/user.ts';

const TEXT = '# Catalog\n- Jane Doe\n';
const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' };
const PONG = { jsonrpc: '2.0', id: 'ping', result: {} };

async function start(): Promise<RawBroker> {
	const user = await createUser();
	await user.write('catalog.md', TEXT);
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	return startBroker(user.home);
}

function withId(messages: readonly Message[], id: string | number): Message[] {
	return messages.filter((message) => message.id === id);
}

test('requests before initialize are answered, unknown ones with "method not found"', async () => {
	const broker = await start();
	broker.send({ jsonrpc: '2.0', id: 0, method: 'server/discover', params: {} });
	expect(await broker.receive()).toEqual({
		jsonrpc: '2.0',
		id: 0,
		error: { code: -32601, message: 'Method not found' },
	});
	broker.send(INITIALIZE);
	expect((await broker.receive()).result).toMatchObject({
		protocolVersion: '2025-11-25',
		serverInfo: { name: 'context-broker', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
	});
	for (const method of ['prompts/list', 'resources/list', 'logging/setLevel', 'tools/none', '__proto__', '']) {
		broker.send({ jsonrpc: '2.0', id: method, method });
		expect(await broker.receive()).toMatchObject({ id: method, error: { code: -32601 } });
	}
});

test('a client with an older or unknown protocol version is answered', async () => {
	for (const [asked, answered] of [
		['2024-11-05', '2024-11-05'],
		['2099-01-01', '2025-11-25'],
	]) {
		const broker = await start();
		broker.send({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: asked } });
		expect((await broker.receive()).result).toMatchObject({ protocolVersion: answered });
	}
});

test('notifications are never answered, known or not', async () => {
	const broker = await start();
	broker.send(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' });
	broker.send({ jsonrpc: '2.0', method: 'notifications/none' }, { jsonrpc: '2.0', method: 'server/discover' });
	broker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } });
	broker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: {} });
	broker.send({ jsonrpc: '2.0', id: 99, result: {} }, { jsonrpc: '2.0', id: 98, error: { code: 1, message: 'x' } });
	broker.send(PING);
	const { rest } = await broker.finish();
	expect(rest.map(({ id }) => id)).toEqual(['initialize', 'ping']);
});

describe('what is no message gets an error, and the next request works', () => {
	test.each([
		['a broken line', '{"jsonrpc":"2.0","id":1,"method":', null, -32700],
		['no JSON at all', 'GET / HTTP/1.1', null, -32700],
		['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00]), null, -32700],
		['a text', '"hello"', null, -32600],
		['null', 'null', null, -32600],
		['a batch', JSON.stringify([PING]), null, -32600],
		['another version', '{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32600],
		['no version', '{"id":"a","method":"ping"}', 'a', -32600],
		['a method that is no text', '{"jsonrpc":"2.0","id":8,"method":5}', 8, -32600],
		['an id that is no id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
		['a call without a name', '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{}}', 9, -32602],
		['a call without parameters', '{"jsonrpc":"2.0","id":9,"method":"tools/call"}', 9, -32602],
		['initialize without parameters', '{"jsonrpc":"2.0","id":9,"method":"initialize"}', 9, -32602],
	])('%s', async (_, line, id, code) => {
		const broker = await start();
		broker.send(INITIALIZE, line, '\n', PING, loadRequest(2, 'k'));
		const { rest, code: exitCode } = await broker.finish();
		expect(rest).toContainEqual({ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } });
		expect(rest).toContainEqual(PONG);
		expect(withId(rest, 2)).toMatchObject([{ result: { content: [{ text: TEXT }] } }]);
		expect(rest).toHaveLength(4);
		expect(exitCode).toBe(0);
	});

	test('blank lines and CRLF are let pass', async () => {
		const broker = await start();
		broker.send('\n\r\n  \n', `${JSON.stringify(INITIALIZE)}\r\n`, '\r\n', `${JSON.stringify(PING)}\r\n`);
		const { rest } = await broker.finish();
		expect(rest.map(({ id }) => id)).toEqual(['initialize', 'ping']);
	});

	test('two messages in one chunk, and one a byte at a time', async () => {
		const broker = await start();
		broker.send(`${JSON.stringify(INITIALIZE)}\n${JSON.stringify(PING)}\n`);
		expect((await broker.receive()).id).toBe('initialize');
		expect(await broker.receive()).toEqual(PONG);
		for (const byte of Buffer.from(`${JSON.stringify(loadRequest('é', 'k'))}\n`)) {
			broker.send(Buffer.from([byte]));
			await new Promise(setImmediate);
		}
		expect(await broker.receive()).toMatchObject({ id: 'é', result: { content: [{ text: TEXT }] } });
	});

	test('a line of 12 MB is a message like any other', async () => {
		const broker = await start();
		broker.send(INITIALIZE, loadRequest(1, 'k'.repeat(12_000_000)), loadRequest(2, 'k'));
		const { rest } = await broker.finish();
		expect(withId(rest, 1)).toMatchObject([{ result: { structuredContent: { error: { code: 'unknown_key' } } } }]);
		expect(withId(rest, 2)).toMatchObject([{ result: { content: [{ text: TEXT }] } }]);
	});

	test('a line of 70 MB is refused without being kept', async () => {
		const broker = await start();
		broker.send(INITIALIZE, 'x'.repeat(70_000_000), '\n', PING);
		const { rest } = await broker.finish();
		expect(rest).toContainEqual({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Message too long' } });
		expect(rest).toContainEqual(PONG);
	});
});

test('whenever a request is cancelled, it has one answer at most and its id can be used again', async () => {
	const broker = await start();
	const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
	broker.send(INITIALIZE);
	await broker.receive();
	// Before it was sent, right after, and twice.
	broker.send(cancel(1), loadRequest(1, 'k'), loadRequest(2, 'k'), cancel(2), cancel(2), loadRequest(3, 'k'));
	const answers = [await broker.receive(), await broker.receive()];
	for (const id of [1, 3]) expect(withId(answers, id)).toMatchObject([{ result: { content: [{ text: TEXT }] } }]);
	// After its end, for ids that never were, and for what is no id.
	broker.send(cancel(1), cancel(1), cancel('1'), cancel(77), cancel(null), cancel({}));
	broker.send(loadRequest(1, 'k'), loadRequest(2, 'k'), PING);
	const { rest, code } = await broker.finish();
	expect(rest.map(({ id }) => id).sort()).toEqual([1, 2, 'ping']);
	expect(code).toBe(0);
});

test('a hundred calls at once are all answered, each with its own', async () => {
	const broker = await start();
	const ids = Array.from({ length: 100 }, (_, index) => index);
	broker.send(INITIALIZE, ...ids.map((id) => loadRequest(id, id % 2 === 0 ? 'k' : 'none')));
	const { rest } = await broker.finish();
	for (const id of ids) expect(withId(rest, id)).toMatchObject([{ result: id % 2 === 0 ? {} : { isError: true } }]);
});

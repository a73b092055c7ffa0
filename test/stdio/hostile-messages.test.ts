import { describe, expect, test } from 'vitest';
import { INITIALIZE, loadRequest } from '../support/broker.ts';
import { PING, PONG, startWithKey, TEXT, withId } from './messages.ts';

const { capabilities: _, ...withoutCapabilities } = INITIALIZE.params;
const NO_CAPABILITIES = JSON.stringify({ ...INITIALIZE, id: 9, params: withoutCapabilities });

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
		['a _meta that is a list', '{"jsonrpc":"2.0","id":9,"method":"ping","params":{"_meta":[]}}', 9, -32602],
		['an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, -32600],
		['initialize without capabilities', NO_CAPABILITIES, 9, -32602],
		['initialize without parameters', '{"jsonrpc":"2.0","id":9,"method":"initialize"}', 9, -32602],
	])('%s', async (_, line, id, code) => {
		const broker = await startWithKey();
		broker.send(INITIALIZE, line, '\n', PING, loadRequest(2, 'k'));
		const { rest, code: exitCode } = await broker.finish();
		expect(rest).toContainEqual({ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } });
		expect(rest).toContainEqual(PONG);
		expect(withId(rest, 2)).toMatchObject([{ result: { content: [{ text: TEXT }] } }]);
		expect(rest).toHaveLength(4);
		expect(exitCode).toBe(0);
	});

	test('blank lines and CRLF are let pass', async () => {
		const broker = await startWithKey();
		broker.send('\n\r\n  \n', `${JSON.stringify(INITIALIZE)}\r\n`, '\r\n', `${JSON.stringify(PING)}\r\n`);
		const { rest } = await broker.finish();
		expect(rest.map(({ id }) => id)).toEqual(['initialize', 'ping']);
	});

	test('two messages in one chunk, and one a byte at a time', async () => {
		const broker = await startWithKey();
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
		const broker = await startWithKey();
		broker.send(INITIALIZE, loadRequest(1, 'k'.repeat(12_000_000)), loadRequest(2, 'k'));
		const { rest } = await broker.finish();
		expect(withId(rest, 1)).toMatchObject([{ result: { _meta: { 'context-broker/error': { code: 'unknown_key' } } } }]);
		expect(withId(rest, 2)).toMatchObject([{ result: { content: [{ text: TEXT }] } }]);
	});

	test('a line of 70 MB is refused without being kept', async () => {
		const broker = await startWithKey();
		broker.send(INITIALIZE, 'x'.repeat(70_000_000), '\n', PING);
		const { rest } = await broker.finish();
		expect(rest).toContainEqual({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Message too long' } });
		expect(rest).toContainEqual(PONG);
	});
});

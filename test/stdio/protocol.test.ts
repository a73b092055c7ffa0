import { expect, test } from 'vitest';
import { INITIALIZE, loadRequest } from '../support/broker.ts';
import { PING, startWithKey, TEXT, withId } from './messages.ts';

test('requests before initialize are answered, unknown ones with "method not found"', async () => {
	const broker = await startWithKey();
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
		const broker = await startWithKey();
		broker.send({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: asked } });
		expect((await broker.receive()).result).toMatchObject({ protocolVersion: answered });
	}
});

test('notifications are never answered, known or not', async () => {
	const broker = await startWithKey();
	broker.send(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' });
	broker.send({ jsonrpc: '2.0', method: 'notifications/none' }, { jsonrpc: '2.0', method: 'server/discover' });
	broker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } });
	broker.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: {} });
	broker.send({ jsonrpc: '2.0', id: 99, result: {} }, { jsonrpc: '2.0', id: 98, error: { code: 1, message: 'x' } });
	broker.send(PING);
	const { rest } = await broker.finish();
	expect(rest.map(({ id }) => id)).toEqual(['initialize', 'ping']);
});

test('whenever a request is cancelled, it has one answer at most and its id can be used again', async () => {
	const broker = await startWithKey();
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
	const broker = await startWithKey();
	const ids = Array.from({ length: 100 }, (_, index) => index);
	broker.send(INITIALIZE, ...ids.map((id) => loadRequest(id, id % 2 === 0 ? 'k' : 'none')));
	const answers = [];
	while (answers.length <= ids.length) answers.push(await broker.answer());
	const { rest } = await broker.finish();
	for (const id of ids)
		expect(withId([...answers, ...rest], id)).toMatchObject([{ result: id % 2 === 0 ? {} : { isError: true } }]);
});

import { describe, expect, test } from 'vitest';
import type { RawTool } from '../../../server/upstreams/connection.ts';
import { ConnectionLostError, UnreachableError } from '../../../server/upstreams/instance.ts';
import { ClosedToPrivate } from '../../../server/upstreams/transport.ts';
import { type Answer, ErrorCode, fakeInstance, McpError, pending, StreamableHTTPError } from './fakes.ts';

const PARAMS = { name: 'tool' };
const always = () => true;

/** Fails the first calls in these ways, and answers the others. */
function failing(...errors: readonly unknown[]): Answer {
	const left = [...errors];
	return async () => {
		if (left.length > 0) throw left.shift();
		return { answered: true };
	};
}

test('many calls at once share one connection', async () => {
	const { instance, seen, calls } = fakeInstance();
	await Promise.all(Array.from({ length: 50 }, () => instance.call(PARAMS, {}, always)));
	expect(seen.attempts).toBe(1);
	expect(calls).toHaveLength(50);
});

test('a call notices that its connection has just ended', async () => {
	const { instance, connections, seen } = fakeInstance();
	await instance.call(PARAMS, {}, always);
	setImmediate(() => connections[0]?.end());
	await instance.call(PARAMS, {}, always);
	expect(seen.attempts).toBe(2);
});

test('many calls at once share one attempt that fails, and the next call makes another', async () => {
	let isDown = true;
	const { instance, seen, unreachable, calls } = fakeInstance({
		arrive: async () => {
			if (isDown) throw new Error('down');
		},
	});
	const results = await Promise.allSettled(Array.from({ length: 5 }, () => instance.call(PARAMS, {}, always)));
	for (const result of results) expect(result).toMatchObject({ reason: expect.any(UnreachableError) });
	expect(seen.attempts).toBe(1);
	expect(unreachable).toEqual([new Error('down')]);
	isDown = false;
	await instance.call(PARAMS, {}, always);
	expect(calls).toHaveLength(1);
});

test.each([
	['is there', async () => {}],
	['can not be reached', async () => Promise.reject(new Error('down'))],
])('one that takes what another has downloaded is started when that %s', async (_, arrive) => {
	const way = pending();
	const first = fakeInstance({ arrive: async () => way.promise.then(arrive) });
	const second = fakeInstance({ after: first.instance });
	void first.instance.start();
	const started = second.instance.start();
	await new Promise((resolve) => setTimeout(resolve, 20));
	expect([first.seen.attempts, second.seen.attempts]).toEqual([1, 0]);
	way.resolve();
	await started;
	expect(second.seen.attempts).toBe(1);
});

test('after its connection was lost, the next call has a new one', async () => {
	const { instance, seen, connections } = fakeInstance();
	await instance.call(PARAMS, {}, always);
	connections[0]?.end();
	expect(seen.attempts).toBe(1);
	await instance.call(PARAMS, {}, always);
	expect(seen.attempts).toBe(2);
	await instance.close();
	expect(connections.map(({ isOpen }) => isOpen)).toEqual([false, false]);
});

const NEVER_ARRIVED: readonly [string, () => unknown][] = [
	['not connected', () => new Error('Not connected')],
	['refused', () => new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })],
	['no such host', () => new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })],
	['unknown session (404)', () => new StreamableHTTPError(404, 'gone')],
	...[
		'Bad Request: No valid session ID provided',
		'Bad Request: Mcp-Session-Id header is required',
		'Session not found',
		'{"error":{"message":"Bad Request: Server not initialized"}}',
	].map((text): [string, () => unknown] => [
		`unknown session (400, ${text})`,
		() => new StreamableHTTPError(400, text),
	]),
];

test.each(NEVER_ARRIVED)('%s: the call goes out once more on a new connection, and only once', async (_, error) => {
	const once = fakeInstance({ answer: failing(error()) });
	expect(await once.instance.call(PARAMS, {}, always)).toEqual({ answered: true });
	expect(once.connections.map(({ isOpen }) => isOpen)).toEqual([false, true]);
	expect(once.calls).toEqual([PARAMS, PARAMS]);

	const twice = fakeInstance({ answer: failing(error(), error()) });
	await expect(twice.instance.call(PARAMS, {}, always)).rejects.toThrow();
	expect(twice.calls).toHaveLength(2);
});

test.each<[string, () => unknown]>([
	['500', () => new StreamableHTTPError(500, 'oops')],
	['400', () => new StreamableHTTPError(400, 'the letter was sent, but one address was wrong')],
	['reset', () => new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })],
	['closed', () => new McpError(ErrorCode.ConnectionClosed, 'Connection closed')],
	['said by the server', () => new McpError(ErrorCode.InternalError, 'Not connected')],
	['something else', () => new Error('something else')],
])('%s: the call is never repeated, and it is lost where the connection is', async (_, error) => {
	const open = fakeInstance({ answer: failing(error()) });
	await expect(open.instance.call(PARAMS, {}, always)).rejects.toEqual(error());
	expect(open.calls).toHaveLength(1);

	const thrown = error();
	const closed = fakeInstance({
		answer: async (_params, _options, connection) => {
			connection.end();
			throw thrown;
		},
	});
	const calling = closed.instance.call(PARAMS, {}, always);
	await expect(calling).rejects.toBeInstanceOf(ConnectionLostError);
	await expect(calling).rejects.toMatchObject({ cause: thrown });
	expect(closed.calls).toHaveLength(1);
	expect(closed.seen.attempts).toBe(1);
});

test('a call that was cancelled is not lost', async () => {
	const { instance } = fakeInstance({
		answer: async (_params, _options, connection) => {
			connection.end();
			throw new Error('cancelled');
		},
	});
	await expect(instance.call(PARAMS, { signal: AbortSignal.abort() }, always)).rejects.toThrow('cancelled');
});

test('whether a call may start is asked in the moment in which it is sent, each time', async () => {
	const way = pending();
	let mayStart = true;
	const { instance, calls } = fakeInstance({ arrive: () => way.promise });
	const calling = instance.call(PARAMS, {}, () => mayStart);
	mayStart = false;
	way.resolve();
	await expect(calling).rejects.toBeInstanceOf(ClosedToPrivate);
	expect(calls).toEqual([]);

	mayStart = true;
	const again = fakeInstance({
		answer: async () => {
			mayStart = false;
			throw new Error('Not connected');
		},
	});
	await expect(again.instance.call(PARAMS, {}, () => mayStart)).rejects.toBeInstanceOf(ClosedToPrivate);
	expect(again.calls).toHaveLength(1);
});

test('its tools are read when it is connected, and again when it says that they are others', async () => {
	let tools: RawTool[] = [{ name: 'a' }];
	const { instance, connections, seen } = fakeInstance({ tools: async () => tools });
	expect(instance.tools).toBeUndefined();
	await instance.connect();
	expect(instance.tools).toEqual([{ name: 'a' }]);
	expect(seen.toolsTold).toBe(1);
	tools = [{ name: 'b' }];
	connections[0]?.sayToolsChanged();
	await expect.poll(() => instance.tools).toEqual([{ name: 'b' }]);
	expect(seen.toolsTold).toBe(2);
	connections[0]?.end();
	expect(instance.tools).toEqual([{ name: 'b' }]);
});

test('a server that does not tell its tools is reported, can be called, and keeps those that it has told', async () => {
	const failure = new Error('no list');
	let fails = true;
	const { instance, unreachable, connections, seen } = fakeInstance({
		tools: async () => {
			if (fails) throw failure;
			return [{ name: 'a' }];
		},
	});
	expect(await instance.call(PARAMS, {}, always)).toEqual({});
	expect(unreachable).toEqual([failure]);
	expect(instance.tools).toBeUndefined();
	expect(seen.toolsTold).toBe(0);
	fails = false;
	connections[0]?.sayToolsChanged();
	await expect.poll(() => instance.tools).toEqual([{ name: 'a' }]);
	fails = true;
	connections[0]?.sayToolsChanged();
	await expect.poll(() => unreachable).toHaveLength(2);
	expect(instance.tools).toEqual([{ name: 'a' }]);
});

test('that nothing more goes to an open instance is no fault of the server, and is not reported as one', async () => {
	const { instance, unreachable } = fakeInstance({
		arrive: async () => {
			throw new ClosedToPrivate();
		},
	});
	await expect(instance.connect()).rejects.toBeInstanceOf(UnreachableError);
	expect(unreachable).toEqual([]);
});

describe('an instance that is not there at the start', () => {
	test('is looked for until it has told its tools, and the reason is told once', async () => {
		const [tried, asked]: [number[], number[]] = [[], []];
		const { instance, unreachable, seen } = fakeInstance({
			retryUntilAvailable: true,
			arrive: async () => tried.push(0) > 2 || Promise.reject(new Error('down')),
			tools: async () => (asked.push(0) > 1 ? [{ name: 'late' }] : Promise.reject(new Error('not yet'))),
		});
		await instance.start();
		expect([instance.tools, unreachable]).toEqual([undefined, [new Error('down')]]);
		await expect.poll(() => instance.tools).toEqual([{ name: 'late' }]);
		expect([seen.attempts, unreachable.length]).toEqual([3, 1]);
		await new Promise((resolve) => setTimeout(resolve, 100));
		expect(asked).toHaveLength(2);
	});

	test.each([
		['that the broker starts itself', false, new Error('down'), 1],
		['that may not be asked any more', true, new ClosedToPrivate(), 2],
	])('%s is not looked for again and again', async (_, retryUntilAvailable, error, attempts) => {
		const { instance, seen } = fakeInstance({ retryUntilAvailable, arrive: async () => Promise.reject(error) });
		await instance.start();
		await new Promise((resolve) => setTimeout(resolve, 3_500));
		expect(seen.attempts).toBe(attempts);
	});

	test('is not looked for once it is closed', async () => {
		const { instance, seen } = fakeInstance({
			retryUntilAvailable: true,
			arrive: async () => Promise.reject(new Error('down')),
		});
		await instance.start();
		await instance.close();
		await new Promise((resolve) => setTimeout(resolve, 1_500));
		expect(seen.attempts).toBe(1);
	});
});

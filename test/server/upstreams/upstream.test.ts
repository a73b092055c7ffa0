import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BrokerError } from '../../../server/errors.ts';
import { ClosedToPrivate } from '../../../server/upstreams/transport.ts';
import { Upstream, type UpstreamCall } from '../../../server/upstreams/upstream.ts';
import { configOf, ErrorCode, type FakeOptions, fakeInstance, McpError, pending } from './fakes.ts';

/** A server with two instances, in a session of which the test decides whether it is private. */
function create(
	open: Partial<FakeOptions> = {},
	isolated: Partial<FakeOptions> | undefined = {},
	config: Parameters<typeof configOf>[0] = {},
) {
	const session = { isPrivate: false, notes: 0 };
	const first = fakeInstance({ answer: async () => ({ by: 'open' }), ...open });
	const second = fakeInstance({ answer: async () => ({ by: 'isolated' }), ...isolated });
	const upstream = new Upstream(configOf(config), first.instance, second.instance);
	const call = (more: Partial<UpstreamCall> = {}, tool = 'tool') =>
		upstream.call(tool, {
			params: { arguments: { a: 1 }, _meta: { b: 2 } },
			signal: new AbortController().signal,
			onProgress: undefined,
			isPrivate: () => session.isPrivate,
			refresh: async () => {},
			notePrivate: async () => {
				session.notes += 1;
				session.isPrivate = true;
			},
			...more,
		});
	return { upstream, call, session, open: first, isolated: second };
}

/** The same with the open instance only. */
function createWithout(refusesWhenPrivate: boolean, open: Partial<FakeOptions> = {}) {
	const { instance, calls } = fakeInstance({ answer: async () => ({ by: 'open' }), ...open });
	const upstream = new Upstream(configOf({ refusesWhenPrivate }), instance, undefined);
	const call = (isPrivate: () => boolean) =>
		upstream.call('tool', {
			params: {},
			signal: new AbortController().signal,
			onProgress: undefined,
			isPrivate,
			refresh: async () => {},
			notePrivate: async () => {},
		});
	return { call, calls };
}

test('calls go to the open instance until there is private data, and from then on to the isolated one', async () => {
	const { call, session, open, isolated } = create();
	expect(await call()).toEqual({ by: 'open' });
	expect(open.calls).toEqual([{ name: 'tool', arguments: { a: 1 }, _meta: { b: 2 } }]);
	session.isPrivate = true;
	expect(await call()).toEqual({ by: 'isolated' });
	expect(isolated.calls).toEqual(open.calls);
	expect(open.calls).toHaveLength(1);
});

test('a call whose connection is on its way when private data comes goes to the isolated instance', async () => {
	const way = pending();
	const { call, session, open } = create({ arrive: () => way.promise });
	const calling = call();
	session.isPrivate = true;
	way.resolve();
	expect(await calling).toEqual({ by: 'isolated' });
	expect(open.calls).toEqual([]);
});

test('so does one that the transport of the open instance did not let out', async () => {
	const { call } = create({
		answer: async () => {
			throw new ClosedToPrivate();
		},
	});
	expect(await call()).toEqual({ by: 'isolated' });
});

test('so does one whose connection to the open instance fails because of that, or after it', async () => {
	for (const error of [new ClosedToPrivate(), new Error('down')]) {
		const way = pending();
		const { call, session } = create({ arrive: () => way.promise });
		const calling = call();
		session.isPrivate = true;
		way.reject(error);
		expect(await calling).toEqual({ by: 'isolated' });
	}
});

test('a call that had to wait for its connection looks again, since another process can have marked the session', async () => {
	const way = pending();
	const { call, session, open } = create({ arrive: () => way.promise });
	let looks = 0;
	const refresh = async () => {
		looks += 1;
		session.isPrivate = true;
	};
	const calling = call({ refresh });
	way.resolve();
	expect(await calling).toEqual({ by: 'isolated' });
	expect([looks, open.calls.length]).toEqual([1, 0]);

	const other = create();
	await other.call();
	await other.call({ refresh });
	expect([looks, other.open.calls.length]).toEqual([1, 2]);
});

test('of 1,000 calls that race the switch, none starts on the open instance after it', async () => {
	const random = () => Math.floor(Math.random() * 20);
	let isMarked = false;
	const afterMark: unknown[] = [];
	const lives = (name: string): Partial<FakeOptions> => ({
		arrive: () => delay(random()),
		answer: async (params, _options, connection) => {
			if (name === 'open' && isMarked) afterMark.push(params);
			await delay(random());
			if (Math.random() < 0.05) connection.end();
			return { by: name };
		},
	});
	const { call, session, open, isolated } = create(lives('open'), lives('isolated'));
	let begun = 0;
	const calls = Array.from({ length: 1_000 }, async () => {
		await delay(random() * 10);
		begun += 1;
		if (begun === 500) {
			session.isPrivate = true;
			isMarked = true;
		}
		return await call();
	});
	await Promise.all(calls);
	expect(afterMark).toEqual([]);
	expect(open.calls.length).toBeGreaterThan(0);
	expect(isolated.calls.length).toBeGreaterThan(0);
	expect(open.calls.length + isolated.calls.length).toBe(1_000);
});

test('without an isolated instance the one instance serves always, also when private data comes on the way', async () => {
	const way = pending();
	const { call } = createWithout(false, { arrive: () => way.promise });
	let isPrivate = false;
	const calling = call(() => isPrivate);
	isPrivate = true;
	way.resolve();
	expect(await calling).toEqual({ by: 'open' });
	expect(await call(() => true)).toEqual({ by: 'open' });
});

test('where the user has it refused, a private session gets a refusal, also when private data comes on the way', async () => {
	const way = pending();
	const { call, calls } = createWithout(true, { arrive: () => way.promise });
	let isPrivate = false;
	const calling = call(() => isPrivate);
	isPrivate = true;
	way.resolve();
	await expect(calling).rejects.toMatchObject({ code: 'refused_when_private' });
	await expect(call(() => true)).rejects.toMatchObject({ code: 'refused_when_private' });
	expect(calls).toEqual([]);
	expect(await call(() => false)).toEqual({ by: 'open' });
});

test('an instance that can not be reached has its code, and the other one is never asked instead', async () => {
	const down = async () => {
		throw new Error('down');
	};
	const { call, session, open, isolated } = create({ arrive: down }, { arrive: down });
	await expect(call()).rejects.toMatchObject({ code: 'upstream_unavailable' });
	expect(isolated.seen.attempts).toBe(0);
	session.isPrivate = true;
	await expect(call()).rejects.toMatchObject({ code: 'isolated_instance_unavailable' });
	expect(open.seen.attempts).toBe(1);

	const other = create({}, { arrive: down });
	other.session.isPrivate = true;
	await expect(other.call()).rejects.toMatchObject({ code: 'isolated_instance_unavailable' });
	expect(other.open.calls).toEqual([]);
});

test.each([
	['lost', 'upstream_lost', true, new Error('any')],
	['failed in an unknown way', 'upstream_lost', false, new Error('any')],
	['out of time', 'upstream_timeout', false, new McpError(ErrorCode.RequestTimeout, 'x', { timeout: 1 })],
])('a call that is %s has the code %s, on either instance, and is not repeated', async (_, code, ends, error) => {
	const answer: FakeOptions['answer'] = async (_params, _options, connection) => {
		if (ends) connection.end();
		throw error;
	};
	const { call, session, open, isolated } = create({ answer }, { answer });
	await expect(call()).rejects.toMatchObject({ code });
	session.isPrivate = true;
	await expect(call()).rejects.toMatchObject({ code });
	expect([open.calls.length, isolated.calls.length]).toEqual([1, 1]);
});

test.each([
	{ code: ErrorCode.InvalidParams, message: 'no', data: { a: 1 } },
	{ code: ErrorCode.RequestTimeout, message: 'its own', data: undefined },
	{ code: ErrorCode.RequestTimeout, message: 'its own', data: { timeout: 'long' } },
])('the own error of a server passes as it came (%#)', async ({ code, message, data }) => {
	const answer = async () => {
		throw new McpError(code, message, data);
	};
	const { call, session } = create({ answer }, { answer });
	await expect(call()).rejects.toMatchObject({ code, message, data });
	session.isPrivate = true;
	await expect(call()).rejects.toMatchObject({ code, message, data });
});

const PRIVATE = { privateTools: ['secrets'] };

test('the result of a private tool is given out after it is noted down that the session is private', async () => {
	const note = pending();
	const { call, session } = create({}, {}, PRIVATE);
	let isOut = false;
	const calling = call({ notePrivate: () => note.promise }, 'secrets').then((result) => {
		isOut = true;
		return result;
	});
	await delay(20);
	expect(isOut).toBe(false);
	note.resolve();
	expect(await calling).toEqual({ by: 'open' });

	for (const tool of ['secrets_', 'secret', 'Secrets', 'tool']) await call({}, tool);
	expect(session.notes).toBe(0);
	await call({}, 'secrets');
	expect(session.notes).toBe(1);
	expect(await call()).toEqual({ by: 'isolated' });
});

test('the error of a private tool counts as its result, but not one of which the server knows nothing', async () => {
	let error: unknown = new McpError(ErrorCode.InternalError, 'private words');
	const answer = async () => {
		throw error;
	};
	const { call, session } = create({ answer }, {}, PRIVATE);
	const asItCame = { code: ErrorCode.InternalError, message: 'private words' };
	await expect(call()).rejects.toMatchObject(asItCame);
	expect(session.notes).toBe(0);
	await expect(call({}, 'secrets')).rejects.toMatchObject(asItCame);
	expect(session.notes).toBe(1);
	session.isPrivate = false;
	error = new Error('reset');
	await expect(call({}, 'secrets')).rejects.toMatchObject({ code: 'upstream_lost' });
	expect(session.notes).toBe(1);
});

test('where that can not be noted down, result and error are withheld', async () => {
	const notePrivate = async () => {
		throw new BrokerError('state_unwritable');
	};
	const { call } = create({}, {}, PRIVATE);
	await expect(call({ notePrivate }, 'secrets')).rejects.toMatchObject({ code: 'state_unwritable' });
	const answer = async () => {
		throw new McpError(ErrorCode.InternalError, 'private words');
	};
	const other = create({ answer }, {}, PRIVATE);
	const refused = other.call({ notePrivate }, 'secrets');
	await expect(refused).rejects.toMatchObject({ code: 'state_unwritable' });
	await expect(refused).rejects.not.toThrow('private words');
});

test('progress passes whole, but from a private tool without its words', async () => {
	const answer: FakeOptions['answer'] = async (_params, { onprogress }) => {
		onprogress?.({ progress: 1, total: 2, message: 'words' });
		onprogress?.({ progress: 2 });
		return {};
	};
	const { call, isolated } = create({ answer }, { answer }, PRIVATE);
	const told: unknown[] = [];
	const onProgress = (progress: unknown) => told.push(progress);
	await call({ onProgress });
	expect(told).toEqual([{ progress: 1, total: 2, message: 'words' }, { progress: 2 }]);
	for (let turn = 0; turn < 2; turn++) {
		told.length = 0;
		await call({ onProgress }, 'secrets');
		expect(told).toEqual([{ progress: 1, total: 2 }, { progress: 2 }]);
	}
	expect(isolated.calls).toHaveLength(1);
	// Nobody asked for it: then it is nothing but a sign of life.
	await call();
});

test.each(['before', 'during'])('a cancellation %s the call passes, but not its reason', async (when) => {
	const reasons: unknown[] = [];
	const { call } = create({
		answer: async (_params, { signal }) => {
			if (signal?.aborted === false) await new Promise((resolve) => signal.addEventListener('abort', resolve));
			reasons.push(signal?.reason);
			return {};
		},
	});
	const controller = new AbortController();
	if (when === 'before') controller.abort('private words');
	const calling = call({ signal: controller.signal });
	await delay(10);
	controller.abort('private words');
	await calling;
	expect(reasons).toEqual(['cancelled']);
});

test('its tools are those of the instance that serves, or of the other as long as that has told none', async () => {
	const way = pending();
	const { upstream } = create(
		{ tools: async () => [{ name: 'open' }] },
		{ tools: async () => [{ name: 'isolated' }], arrive: () => way.promise },
	);
	expect(upstream.isListed).toBe(false);
	expect(upstream.tools(false)).toEqual([]);
	upstream.start();
	await expect.poll(() => upstream.isListed).toBe(true);
	expect([upstream.tools(false), upstream.tools(true)]).toEqual([[{ name: 'open' }], [{ name: 'open' }]]);
	way.resolve();
	await upstream.started();
	expect([upstream.tools(false), upstream.tools(true)]).toEqual([[{ name: 'open' }], [{ name: 'isolated' }]]);
});

test('both instances are connected at the same time, and one that is down is no obstacle', async () => {
	const { upstream, isolated, open } = create({
		arrive: async () => {
			throw new Error('down');
		},
	});
	upstream.start();
	expect([open.seen.attempts, isolated.seen.attempts]).toEqual([1, 1]);
	await upstream.started();
	expect(isolated.connections).toHaveLength(1);
	await upstream.close();
	expect(isolated.connections[0]?.isOpen).toBe(false);
});

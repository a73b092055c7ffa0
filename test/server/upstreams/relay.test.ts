import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BrokerError } from '../../../server/errors.ts';
import { OfferedTools, UpstreamRelay } from '../../../server/upstreams/relay.ts';
import { Upstream } from '../../../server/upstreams/upstream.ts';
import { Upstreams } from '../../../server/upstreams/upstreams.ts';
import { configOf, fakeInstance, pending, upstreamWith } from './fakes.ts';

interface TestCall {
	readonly signal: AbortSignal;
	readonly id: number;
}

/** Longer than any test: who waits for it fails. */
const FOREVER = 3_600_000;

function create(upstreams: readonly Upstream[], patience: number, known: Promise<unknown> = Promise.resolve()) {
	const all = new Upstreams(upstreams, () => {});
	const events: unknown[][] = [];
	const session = {
		isPrivate: false,
		refusal: undefined as BrokerError | undefined,
		permit: async (call: TestCall, tool: string, input: unknown, { server }: { server: string }) => {
			events.push(['permit', call.id, tool, input]);
			expect(tool.startsWith(`${server}__`)).toBe(true);
			if (session.refusal !== undefined) throw session.refusal;
		},
		refresh: async () => {},
		noteFailed: (call: TestCall) => void events.push(['failed', call.id]),
		notePrivate: async (call: TestCall) => {
			events.push(['note', call.id]);
			session.isPrivate = true;
		},
	};
	const offered = new OfferedTools(
		known.then(() => {
			all.start();
			return all;
		}),
		() => session.isPrivate,
	);
	const listings = async () => await offered.listings(patience);
	const relay = new UpstreamRelay<TestCall>(offered, session);
	const call = (name: string, params: Record<string, unknown> = {}) =>
		relay.call(name, { id: 7, signal: new AbortController().signal, params, onProgress: undefined });
	return { offered, listings, call, session, events };
}

test('a question for the tools waits for servers on their way, and not longer than they take', async () => {
	const way = pending();
	const late = fakeInstance({ arrive: () => way.promise, tools: async () => [{ name: 't', own: 1 }] });
	const { listings } = create([new Upstream(configOf({ name: 'late' }), late.instance, undefined)], FOREVER);
	const listing = listings();
	way.resolve();
	expect(await listing).toEqual([{ name: 'late__t', own: 1 }]);
	// Both at once, also when asked again.
	expect(await listings()).toHaveLength(1);
	expect(await create([], FOREVER).listings()).toEqual([]);
});

test('a server that never answers has the patience given, once, and takes no other tools along', async () => {
	const never = fakeInstance({ arrive: () => new Promise(() => {}) });
	const patience = 300;
	const before = performance.now();
	const { offered, listings } = create(
		[new Upstream(configOf({ name: 'never' }), never.instance, undefined), upstreamWith('s', ['t'])],
		patience,
	);
	expect(await listings()).toEqual([{ name: 's__t' }]);
	const first = performance.now();
	expect(first - before).toBeGreaterThanOrEqual(patience - 5);
	for (let turn = 0; turn < 100; turn++) await listings();
	expect(performance.now() - first).toBeLessThan(50 * patience);
	expect(offered.expected()).toContain('never__');
});

test('what servers say of how to use them is waited for a second and a half, however much patience a client has', async () => {
	const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
	onTestFinished(() => clock.mockRestore());
	const never = fakeInstance({ arrive: () => new Promise(() => {}) });
	const { offered } = create([new Upstream(configOf({ name: 'never' }), never.instance, undefined)], FOREVER);
	const greeting = async () => await offered.instructions(FOREVER, async () => new Set());
	clock.mockReturnValue(1_000);
	expect(await Promise.race([greeting(), delay(10, 'waits')])).toBe('waits');
	clock.mockReturnValue(1_500);
	// A timer of no time is due before this one, however slow the machine is.
	expect(await Promise.race([greeting(), delay(2_000, 'waits')])).toBeUndefined();
});

test('until it is known which servers there are, there is none', async () => {
	const known = pending();
	const { offered, listings, call } = create([upstreamWith('s', ['t'])], FOREVER, known.promise);
	expect([offered.get('s__t') !== undefined, offered.exposable(), offered.expected()]).toEqual([false, [], ['']]);
	await expect(call('s__t')).rejects.toThrow('no such tool');
	await offered.close();
	known.resolve();
	await listings();
	expect(offered.get('s__t') !== undefined).toBe(true);
	expect(offered.exposable()).toEqual([{ name: 's__t', exposure: 'default' }]);
});

test('it has exactly the tools that it offers, by their exact names', async () => {
	const { offered, listings } = create([upstreamWith('s', ['t', 'a-b', 'a_b'])], FOREVER);
	await listings();
	const names = ['s__t', 't', 's__T', 's__t ', 's__a-b', 's__a_b', 'constructor', '__proto__', ''];
	expect(names.filter((name) => offered.get(name) !== undefined)).toEqual(['s__t']);
});

test('a call is permitted before it is sent, and goes to the tool as its server names it', async () => {
	const events: unknown[] = [];
	const { instance } = fakeInstance({
		tools: async () => [{ name: 'read.file' }],
		answer: async (params) => {
			events.push(['call', params]);
			return { content: [] };
		},
	});
	const config = configOf({ name: 's', privateTools: ['read.file'] });
	const { listings, call, session, events: before } = create([new Upstream(config, instance, undefined)], FOREVER);
	await listings();
	const params = { name: 's__read_file', arguments: { path: 'x' }, _meta: { a: 1 } };
	expect(await call('s__read_file', params)).toEqual({ content: [] });
	expect(events).toEqual([['call', { ...params, name: 'read.file' }]]);
	expect(before).toEqual([
		['permit', 7, 's__read_file', { path: 'x' }],
		['note', 7],
	]);

	session.refusal = new BrokerError('outward_tool');
	await expect(call('s__read_file', params)).rejects.toBe(session.refusal);
	expect(events).toHaveLength(1);
	// Else its receipt would be one of a result.
	expect(before.slice(2).map(([what]) => what)).toEqual(['permit', 'failed']);
});

test('private data that comes while a call is looked at counts for it', async () => {
	const [open, isolated] = ['open', 'isolated'].map((by) =>
		fakeInstance({ tools: async () => [{ name: 't' }], answer: async () => ({ by }) }),
	);
	if (open === undefined || isolated === undefined) throw new Error('two');
	const upstream = new Upstream(configOf({ name: 's' }), open.instance, isolated.instance);
	const { listings, call, session } = create([upstream], FOREVER);
	await listings();
	const calling = call('s__t');
	session.isPrivate = true;
	expect(await calling).toEqual({ by: 'isolated' });
	expect(open.calls).toEqual([]);
});

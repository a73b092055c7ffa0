import { expect, test } from 'vitest';
import { NetworkIsolation } from '../../../server/isolation/isolation.ts';
import type { Sandbox } from '../../../server/isolation/sandboxes.ts';

const RUN = { program: 'bash', args: ['-c', 'true'] };

function sandbox(name: string, hidesSockets = true): Sandbox {
	return {
		name,
		hidesSockets,
		wrap: ({ program, args }, sockets) => ({ program: name, args: [...sockets, program, ...args] }),
	};
}

/** An isolation with sandboxes that have these holes, and which of them were verified. */
function create(sandboxes: readonly Sandbox[], holes: Record<string, string | undefined>) {
	const looked: string[] = [];
	const isolation = new NetworkIsolation({
		sandboxes: () => sandboxes,
		verifyIsolation: async ({ name }) => {
			looked.push(name);
			return holes[name];
		},
		sockets: () => ['/socket'],
	});
	return { isolation, looked };
}

test('the first sandbox that isolates is used, and verified once', async () => {
	const { isolation, looked } = create([sandbox('a'), sandbox('b'), sandbox('c')], { a: 'it reached\nthe listener' });
	const prepared = await Promise.all([isolation.prepare(), isolation.prepare()]);
	for (const wrap of prepared) expect(wrap(RUN)).toEqual({ program: 'b', args: ['/socket', 'bash', '-c', 'true'] });
	await isolation.prepare();
	expect(looked).toEqual(['a', 'b']);
});

test('without one that isolates there is none, and the next time all are tried again', async () => {
	const holes: Record<string, string | undefined> = { a: 'it reached\nthe listener', b: 'not found' };
	const { isolation, looked } = create([sandbox('a'), sandbox('b')], holes);
	await expect(isolation.prepare()).rejects.toMatchObject({
		code: 'network_isolation_unavailable',
		note: 'Tried: a: it reached the listener; b: not found',
	});
	delete holes.b;
	expect((await isolation.prepare())(RUN).program).toBe('b');
	expect(looked).toEqual(['a', 'b', 'a', 'b']);
	await expect(create([], {}).isolation.prepare()).rejects.toMatchObject({
		note: 'No program was found for it',
	});
});

test('a sandbox that refuses every connection gets no sockets', async () => {
	const { isolation } = create([sandbox('a', false)], {});
	expect((await isolation.prepare())(RUN).args).toEqual(['bash', '-c', 'true']);
});

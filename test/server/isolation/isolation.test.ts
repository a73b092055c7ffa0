import { expect, test } from 'vitest';
import { NetworkIsolation } from '../../../server/isolation/isolation.ts';
import type { IsolationWay } from '../../../server/isolation/ways.ts';

const RUN = { program: 'bash', args: ['-c', 'true'] };

function way(name: string, hidesSockets = true): IsolationWay {
	return {
		name,
		hidesSockets,
		wrap: ({ program, args }, sockets) => ({ program: name, args: [...sockets, program, ...args] }),
	};
}

/** An isolation of which each way has the hole given, and what was looked at. */
function create(ways: readonly IsolationWay[], holes: Record<string, string | undefined>) {
	const looked: string[] = [];
	const isolation = new NetworkIsolation({
		ways: () => ways,
		findHole: async ({ name }) => {
			looked.push(name);
			return holes[name];
		},
		sockets: () => ['/socket'],
	});
	return { isolation, looked };
}

test('the first way that is proven is used, and proven once', async () => {
	const { isolation, looked } = create([way('a'), way('b'), way('c')], { a: 'it reached\nthe listener' });
	const prepared = await Promise.all([isolation.prepare(), isolation.prepare()]);
	for (const wrap of prepared) expect(wrap(RUN)).toEqual({ program: 'b', args: ['/socket', 'bash', '-c', 'true'] });
	await isolation.prepare();
	expect(looked).toEqual(['a', 'b']);
});

test('without a proof there is none, and it is looked for again the next time', async () => {
	const holes: Record<string, string | undefined> = { a: 'it reached\nthe listener', b: 'not found' };
	const { isolation, looked } = create([way('a'), way('b')], holes);
	await expect(isolation.prepare()).rejects.toMatchObject({
		code: 'network_isolation_unavailable',
		note: 'Tried: a: it reached the listener; b: not found',
	});
	delete holes.b;
	expect((await isolation.prepare())(RUN).program).toBe('b');
	expect(looked).toEqual(['a', 'b', 'a', 'b']);
	await expect(create([], {}).isolation.prepare()).rejects.toMatchObject({
		note: 'Nothing was found that could do it',
	});
});

test('a way that refuses every connection is not told of sockets', async () => {
	const { isolation } = create([way('a', false)], {});
	expect((await isolation.prepare())(RUN).args).toEqual(['bash', '-c', 'true']);
});

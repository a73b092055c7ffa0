import { expect, test } from 'vitest';
import type { ToolOrigin } from '../../../server/context-map/isolated-tools.ts';
import { Upstream } from '../../../server/upstreams/upstream.ts';
import { Upstreams } from '../../../server/upstreams/upstreams.ts';
import { configOf, fakeInstance, pending, upstreamWith } from './fakes.ts';

async function started(upstreams: readonly Upstream[]) {
	const clashes: (readonly ToolOrigin[])[] = [];
	const all = new Upstreams(upstreams, (clash) => clashes.push(clash));
	all.start();
	await all.started();
	return { all, clashes };
}

test('each tool is listed as its server lists it, but for the name', async () => {
	const raw = {
		title: 'Title',
		description: 'x'.repeat(3_000),
		inputSchema: { type: 'object', $defs: { a: { const: null } }, 'x-own': [1, { two: 2 }] },
		outputSchema: { type: 'object' },
		annotations: { readOnlyHint: true, own: 'x' },
		_meta: { 'example.org/a': 1 },
		icons: [],
		unknown: { a: [null] },
	};
	const { instance } = fakeInstance({ tools: async () => [{ name: 'read.file', ...raw }] });
	const upstream = new Upstream(configOf({ name: 's' }), instance, undefined);
	const { all } = await started([upstream]);
	expect([...all.offered(false)]).toEqual([
		['s__read_file', { upstream, tool: 'read.file', listing: { name: 's__read_file', ...raw } }],
	]);
	expect(instance.tools?.[0]?.name).toBe('read.file');
	expect(all.exposable(false)).toEqual([{ name: 's__read_file', exposure: 'default', origin: 's__read.file' }]);
});

test('tools that can not be told apart are told once with both names, and take no others along', async () => {
	const { all, clashes } = await started([upstreamWith('a__b', ['c', 'd']), upstreamWith('a', ['b__c'])]);
	for (let turn = 0; turn < 3; turn++) expect([...all.offered(turn === 0).keys()]).toEqual(['a__b__d']);
	expect(clashes).toHaveLength(1);
	expect(clashes[0]?.map(({ server, tool }) => [server, tool])).toEqual([
		['a__b', 'c'],
		['a', 'b__c'],
	]);
});

test('a clash is the same one in another order, but not with another tool', async () => {
	let names = ['a-b', 'a_b'];
	const { instance, connections } = fakeInstance({ tools: async () => names.map((name) => ({ name })) });
	const { all, clashes } = await started([new Upstream(configOf(), instance, undefined)]);
	const change = async (...changed: string[]) => {
		names = changed;
		connections[0]?.sayToolsChanged();
		await expect.poll(() => instance.tools?.map(({ name }) => name)).toEqual(changed);
		expect(all.offered(false).size).toBe(0);
		return clashes.length;
	};
	expect(all.offered(false).size).toBe(0);
	expect(clashes).toHaveLength(1);
	expect(await change('a_b', 'a-b')).toBe(1);
	expect(await change('a_b', 'a-b', 'a.b')).toBe(2);
});

test('tools are expected of servers that have told none yet', async () => {
	const way = pending();
	const late = fakeInstance({ arrive: () => way.promise, tools: async () => [{ name: 't' }] });
	const upstreams = new Upstreams(
		[upstreamWith('ready', []), new Upstream(configOf({ name: 'late' }), late.instance, undefined)],
		() => {},
	);
	expect(upstreams.expected()).toEqual(expect.arrayContaining(['r__', 'ready__', 'late__']));
	upstreams.start();
	await expect.poll(() => upstreams.expected()).toEqual(['l__', 'la__', 'lat__', 'late__']);
	expect(upstreams.offered(false).size).toBe(0);
	way.resolve();
	await upstreams.started();
	expect(upstreams.expected()).toEqual([]);
	expect([...upstreams.offered(false).keys()]).toEqual(['late__t']);
	await upstreams.close();
	expect(late.connections[0]?.isOpen).toBe(false);
});

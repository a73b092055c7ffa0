import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientName, clientPrefix } from '../../../../server/claude-code/tool-names.ts';
import type { IsolatedTools } from '../../../../server/context-map/isolated-tools.ts';
import { BrokerError } from '../../../../server/errors.ts';
import { isolatedOrigin, unknownClientTools } from '../../../../server/policy/tool-isolation/isolated-origin.ts';

type Tables = Readonly<Record<string, 'all' | readonly string[]>>;

const isolation = (tables: Tables): IsolatedTools[] =>
	Object.entries(tables).map(([server, tools]) => ({ server, tools, runByClient: true }));

/** Which tool it is taken for; `free`, or `refused` where nobody can tell. */
function verdict(tables: Tables, name: string, server?: string): string {
	try {
		const origin = isolatedOrigin({ name, server, origin: undefined }, isolation(tables));
		return origin === undefined ? 'free' : `${origin.server}: ${origin.tool}`;
	} catch (error) {
		if (!(error instanceof BrokerError) || error.code !== 'ambiguous_tool') throw error;
		return 'refused';
	}
}

/** `[what the map isolates, the tool, which server Claude Code says, verdict]` */
const NAMES: readonly (readonly [Tables, string, string | undefined, string])[] = [
	[{ db: 'all' }, 'mcp__db__query', undefined, 'db: query'],
	[{ db: 'all' }, 'mcp__db2__query', undefined, 'free'],
	[{ db: 'all' }, 'mcp__d__b__query', undefined, 'free'],
	[{ db: 'all' }, 'Bash', undefined, 'free'],
	[{ db: ['query'] }, 'mcp__db__query', undefined, 'db: query'],
	[{ db: ['query'] }, 'mcp__db__queries', undefined, 'free'],
	[{ db: [] }, 'mcp__db__query', undefined, 'free'],
	[{ db: 'all' }, 'mcp__db__', undefined, 'free'],
	// A part of a name is not the name.
	[{ a: ['run'] }, 'mcp__a__run__fast', undefined, 'free'],
	[{ a: ['run*'] }, 'mcp__a__run__fast', undefined, 'a: run__fast'],
	// The servers a and a_b, with the tools b_c and c.
	[{ a: ['b_c'] }, 'mcp__a__b_c', undefined, 'a: b_c'],
	[{ a: ['b_c'] }, 'mcp__a_b__c', undefined, 'free'],
	[{ a_b: ['c'] }, 'mcp__a__b_c', undefined, 'free'],
	[{ a_b: ['c'] }, 'mcp__a_b__c', undefined, 'a_b: c'],
	// The server a__b with the tool c beside the server a with the tool b__c.
	[{ a__b: 'all', a: 'all' }, 'mcp__a__b__c', undefined, 'a__b: c'],
	[{ a__b: 'all', a: [] }, 'mcp__a__b__c', undefined, 'refused'],
	[{ a__b: [], a: ['b__c'] }, 'mcp__a__b__c', undefined, 'refused'],
	[{ a: ['b__c'], a__b: [] }, 'mcp__a__b__c', undefined, 'refused'],
	[{ a__b: 'all', a: [] }, 'mcp__a__b__c', 'a__b', 'a__b: c'],
	[{ a__b: 'all', a: [] }, 'mcp__a__b__c', 'a', 'free'],
	[{ a__b: [], a: ['b__c'] }, 'mcp__a__b__c', 'a', 'a: b__c'],
	[{ a__b: [], a: ['b__c'] }, 'mcp__a__b__c', 'a__b', 'free'],
	// evil_ with _thing beside evil with __thing.
	[{ evil_: ['_thing'] }, 'mcp__evil____thing', undefined, 'evil_: _thing'],
	[{ evil: ['__thing'] }, 'mcp__evil____thing', undefined, 'evil: __thing'],
	[{ evil: ['__thing'], evil_: [] }, 'mcp__evil____thing', undefined, 'refused'],
	[{ evil: ['__thing'], evil_: [] }, 'mcp__evil____thing', 'evil', 'evil: __thing'],
	[{ evil: ['__thing'], evil_: [] }, 'mcp__evil____thing', 'evil_', 'free'],
	// Names that Claude Code writes in its own way.
	[{ 'plugin:x:y': ['z'] }, 'mcp__plugin_x_y__z', undefined, 'plugin:x:y: z'],
	[{ 'plugin:x:y': ['z'] }, 'mcp__plugin_x_y__z', 'plugin:x:y', 'plugin:x:y: z'],
	[{ plugin_x_y: ['z'] }, 'mcp__plugin_x_y__z', 'plugin:x:y', 'plugin:x:y: z'],
	[{ 'a.b': ['x.y'] }, 'mcp__a_b__x_y', undefined, 'a.b: x_y'],
	[{ 'a.b': ['x.y'] }, 'mcp__a_b__x_y', 'a_b', 'a_b: x_y'],
	[{ 'claude.ai Drive': 'all' }, 'mcp__claude_ai_Drive__read', undefined, 'claude.ai Drive: read'],
	// What Claude Code says of a server counts only for a name that fits it.
	[{ db: 'all' }, 'mcp__db__query', 'other', 'db: query'],
];

test.each(NAMES)('%j, %s of %s: %s', (tables, name, server, expected) => {
	expect(verdict(tables, name, server)).toBe(expected);
});

test('where nobody can tell, both are named', () => {
	const ask = () =>
		isolatedOrigin({ name: 'mcp__a__b__c', server: undefined, origin: undefined }, isolation({ a: [], a__b: 'all' }));
	expect(ask).toThrow('It can be "b__c" of the server "a" or "c" of the server "a__b".');
});

test('a server behind the broker is never one of Claude Code', () => {
	const tables = [{ server: 'a', tools: 'all' as const, runByClient: false }, ...isolation({ a__b: ['d'] })];
	for (const name of ['mcp__a__b__c', 'mcp__a__x']) {
		expect(isolatedOrigin({ name, server: undefined, origin: undefined }, tables)).toBeUndefined();
	}
});

test('a tool that passes through the broker is what it is there, whatever its name looks like', () => {
	const called = (tool: string, server = 'a') => ({ name: 'mcp__x__a__b__c', server: 'x', origin: { server, tool } });
	const tables = isolation({ a: ['b__c'], a__b: [] });
	expect(isolatedOrigin(called('b__c'), tables)).toEqual({ server: 'a', tool: 'b__c' });
	expect(isolatedOrigin(called('c', 'a__b'), tables)).toBeUndefined();
	expect(isolatedOrigin(called('b__c', 'unknown'), tables)).toBeUndefined();
});

describe('for any names', () => {
	const name = fc.stringMatching(/^[a-z_.]{1,8}$/);
	const server = name.filter((text) => !clientName(text).includes('mcp'));

	test('a tool that the map isolates is never free, whatever other servers there are', () => {
		fc.assert(
			fc.property(server, name, fc.uniqueArray(server), fc.boolean(), (own, tool, others, isSaid) => {
				const others_ = others.filter((other) => clientName(other) !== clientName(own));
				const tables = { ...Object.fromEntries(others_.map((other) => [other, []])), [own]: [tool] };
				const full = `${clientPrefix(own)}${clientName(tool)}`;
				expect(verdict(tables, full, isSaid ? own : undefined)).not.toBe('free');
			}),
		);
	});

	test('where Claude Code says the server, another server is never meant', () => {
		fc.assert(
			fc.property(server, name, server, (own, tool, other) => {
				fc.pre(clientName(own) !== clientName(other));
				const full = `${clientPrefix(own)}${clientName(tool)}`;
				expect(verdict({ [other]: 'all', [own]: [] }, full, own)).toBe('free');
			}),
		);
	});
});

test('names in the map that no tool has are told', () => {
	const names = ['mcp__db__query', 'mcp__db__export_csv', 'Bash'];
	const warnings = (server: string, tools: 'all' | readonly string[], runByClient = true) =>
		unknownClientTools([{ server, tools, runByClient }], names);
	expect(warnings('db', 'all')).toEqual([]);
	expect(warnings('db', ['query', 'export_*'])).toEqual([]);
	expect(warnings('db', ['qurey'])).toEqual([
		expect.stringMatching(/"qurey", which is not one of its tools; the nearest is "query"/),
	]);
	const noServer = '[mcp_servers.bd] isolates tools, but Claude Code has no tool of a server with this name yet.';
	expect(warnings('bd', 'all')).toEqual([noServer]);
	expect(warnings('bd', [])).toEqual([]);
	expect(warnings('bd', 'all', false)).toEqual([]);
});

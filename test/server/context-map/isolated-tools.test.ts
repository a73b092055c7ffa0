import { describe, expect, test } from 'vitest';
import { isIsolated, matchesTool, unknownTools } from '../../../server/context-map/isolated-tools.ts';
import { parseContextMap } from '../../../server/context-map/parse.ts';
import { faultOf } from '../../support/map-faults.ts';

const parse = (lines: string) => parseContextMap(Buffer.from(`[keys]\n${lines}\n`));

/** What a map says, whose `[mcp_servers]` these lines are. */
function read(lines: string) {
	const { isolation, servers } = parse(lines);
	return { isolation, servers: servers.map(({ name }) => name) };
}

const fault = (lines: string) => faultOf(() => parse(lines));

describe('what the map says', () => {
	test.each([
		['[mcp_servers.a]\nisolated = true', 'all'],
		['[mcp_servers.a]\nisolated_tools = ["query", "export_*"]', ['query', 'export_*']],
		['[mcp_servers.a]\nisolated = true\nisolated_tools = ["query"]', 'all'],
		['[mcp_servers.a]\nisolated = false\nisolated_tools = ["query"]', ['query']],
		['[mcp_servers.a]\nisolated = false', []],
		['[mcp_servers.a]\nisolated_tools = []', []],
	])('%j of a server that Claude Code runs', (lines, tools) => {
		expect(read(lines)).toEqual({ isolation: [{ server: 'a', tools, runByClient: true }], servers: [] });
	});

	test('of a server behind the broker it goes with all else', () => {
		const lines = '[mcp_servers.a]\ncommand = "x"\nisolate_network = true\nisolated = true';
		expect(read(lines)).toEqual({ isolation: [{ server: 'a', tools: 'all', runByClient: false }], servers: ['a'] });
		const [plain] = read('[mcp_servers.a]\nurl = "https://a/"').isolation;
		expect(plain).toEqual({ server: 'a', tools: [], runByClient: false });
	});

	test('a server that Claude Code runs can have any name that it has there', () => {
		const { isolation } = read(
			'[mcp_servers."plugin:x:y"]\nisolated = true\n[mcp_servers."claude.ai Drive"]\nisolated = true',
		);
		expect(isolation.map(({ server }) => server)).toEqual(['plugin:x:y', 'claude.ai Drive']);
	});

	test.each([
		['isolated = "yes"', 'Line 3, column 1: isolated must be true or false.'],
		['isolated_tools = "query"', 'Line 3, column 1: isolated_tools must be a list of names in quotes.'],
		['isolated_tools = ["a", 1]', 'Line 3, column 1: the name of a tool must be text in quotes.'],
		['isolated_tools = [""]', 'Line 3, column 1: the name of a tool is empty.'],
		['isolated_tools = ["a*b"]', 'Line 3, column 1: a * may stand only at the end.'],
		[
			'isolated = true\nprivate_tools = ["x"]',
			'Line 4, column 1: private_tools is only for a server with url or command.',
		],
		[
			'isolated = true\nwhen_private = "open"',
			'Line 4, column 1: when_private is only for a server with url or command.',
		],
		['isolatedTools = ["a"]', 'Line 3, column 1: there is no such field; the nearest valid one is "isolated_tools".'],
	])('%j is not valid', (fields, message) => {
		expect(fault(`[mcp_servers.a]\n${fields}`)).toBe(`The context map is not valid. ${message}`);
	});

	test.each([
		['"a.b"', 'a_b', 'that in line 2'],
		['a_b', '"a b"', 'that in line 2'],
		['"plugin:x:y"', 'plugin_x_y', 'that in line 2'],
	])('%s and %s have one name for Claude Code', (first, second, other) => {
		expect(fault(`[mcp_servers.${first}]\nisolated = true\n[mcp_servers.${second}]\nisolated = true`)).toBe(
			`The context map is not valid. Line 4, column 1: Claude Code cannot tell this name from ${other}.`,
		);
	});

	test.each(['"plugin:context-broker:broker"', 'plugin_context-broker_broker'])('%s is the broker itself', (name) => {
		expect(fault(`[mcp_servers.${name}]\nisolated = true`)).toMatch(/cannot tell this name from Context Broker itself/);
	});

	test('a name with nothing in it is none', () => {
		expect(fault('[mcp_servers.""]\nisolated = true')).toMatch(/the name of a server cannot be empty/);
	});
});

test.each([
	['run', 'run', true],
	['run', 'run__fast', false],
	['run', 'Run', false],
	['run*', 'run__fast', true],
	['run*', 'run', true],
	['*', 'anything', true],
	['export_*', 'export', false],
	['export_*', 'reexport_all', false],
	['db.query', 'db_query', true],
	['db_query', 'db.query', true],
	['db-query', 'db_query', false],
	['a+', 'aa', false],
	['.*', 'abc', false],
	['', 'x', false],
])('%j stands for %j: %j', (pattern, tool, expected) => {
	expect(matchesTool(pattern, tool)).toBe(expected);
});

test('all tools are isolated, some, or none', () => {
	const isolated = (tools: 'all' | readonly string[]) => isIsolated({ server: 'a', tools, runByClient: true }, 'query');
	expect([isolated('all'), isolated(['query']), isolated(['other']), isolated([])]).toEqual([true, true, false, false]);
});

test('names that are none are told, with the nearest that is', () => {
	const unknown = (tools: 'all' | readonly string[], known = ['query', 'export_csv']) =>
		unknownTools({ server: 'db', tools, runByClient: true }, known);
	expect(unknown('all')).toEqual([]);
	expect(unknown(['query', 'export_*'])).toEqual([]);
	expect(unknown(['qurey', 'import_*'])).toEqual([
		'[mcp_servers.db]: isolated_tools names "qurey", which is not one of its tools; the nearest is "query".',
		'[mcp_servers.db]: isolated_tools names "import_*", which is not one of its tools; the nearest is "export_csv".',
	]);
	expect(unknown(['query'], [])).toEqual([
		'[mcp_servers.db]: isolated_tools names "query", which is not one of its tools.',
	]);
});

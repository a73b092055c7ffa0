import { expect, test } from 'vitest';
import { warningsOfClient } from '../../../../server/policy/tool-isolation/known-tools.ts';

test('names in the map that no tool has are told', () => {
	const names = ['mcp__db__query', 'mcp__db__export_csv', 'Bash'];
	const warnings = (server: string, tools: 'all' | readonly string[], runByClient = true) =>
		warningsOfClient([{ server, tools, runByClient }], names);
	expect(warnings('db', 'all')).toEqual([]);
	expect(warnings('db', ['query', 'export_*'])).toEqual([]);
	expect(warnings('db', ['qurey'])).toEqual([
		expect.stringMatching(/"qurey", which is no tool of it; the nearest is "query"/),
	]);
	const noServer = '[mcp_servers.bd] isolates tools, but Claude Code has no tool of a server of this name yet.';
	expect(warnings('bd', 'all')).toEqual([noServer]);
	expect(warnings('bd', [])).toEqual([]);
	expect(warnings('bd', 'all', false)).toEqual([]);
});

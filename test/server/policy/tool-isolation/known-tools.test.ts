import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolsInTranscript } from '../../../../server/claude-code/known-tools.ts';
import { warningsOfClient } from '../../../../server/policy/tool-isolation/known-tools.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const line = (...addedNames: readonly unknown[]) =>
	JSON.stringify({ attachment: { type: 'deferred_tools_delta', addedNames }, type: 'attachment' });

async function transcript(...lines: readonly string[]): Promise<string> {
	const file = join(await temporaryFolder(), 's1.jsonl');
	await writeFile(file, lines.join('\n'));
	return file;
}

test('the tools are found in what Claude Code has written down', async () => {
	const file = await transcript(
		'{"type":"user"}',
		line('WebFetch', 'mcp__a__x', 1),
		'{"deferred_tools_delta"',
		line('mcp__a__y'),
	);
	expect(await toolsInTranscript(file)).toEqual(['WebFetch', 'mcp__a__x', 'mcp__a__y']);
});

test('where there is nothing of the kind, nothing is known', async () => {
	expect(await toolsInTranscript(await transcript('{"type":"user"}'))).toBeUndefined();
	expect(await toolsInTranscript('/nowhere/s1.jsonl')).toBeUndefined();
	expect(await toolsInTranscript('')).toBeUndefined();
});

test('names in the map that no tool has are told', () => {
	const names = ['mcp__db__query', 'mcp__db__export_csv', 'Bash'];
	const warnings = (server: string, tools: 'all' | readonly string[], ofClient = true) =>
		warningsOfClient([{ server, tools, ofClient }], names);
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

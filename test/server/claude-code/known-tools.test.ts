import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolsInTranscript } from '../../../server/claude-code/known-tools.ts';
import { temporaryFolder } from '../../support/temporary.ts';

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

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isStartedByWorkflow } from '../../../server/claude-code/workflows.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test.each([
	['', false, false],
	['', true, true],
	['subagents/agent-a1.jsonl', true, false],
	['subagents/agent-a1.meta.json', true, false],
	['subagents/agent-a2.jsonl', true, true],
	['subagents/workflows/wf_1/agent-a1.jsonl', false, true],
	['subagents/workflows/wf_1/agent-a1.meta.json', false, true],
	['subagents/workflows/wf_1/agent-a2.jsonl', false, false],
	['subagents/workflows/agent-a1.jsonl', false, false],
])('with a transcript at "%s", and where it can be: %s; it is of a workflow: %s', async (file, canBe, expected) => {
	const folder = await temporaryFolder();
	await mkdir(dirname(join(folder, 's1', file)), { recursive: true });
	if (file !== '') await writeFile(join(folder, 's1', file), '');
	expect(await isStartedByWorkflow(join(folder, 's1.jsonl'), 'a1', canBe)).toBe(expected);
});

test('a transcript that comes a moment later is waited for', async () => {
	const folder = await temporaryFolder();
	const place = join(folder, 's1', 'subagents');
	const found = isStartedByWorkflow(join(folder, 's1.jsonl'), 'a1', true);
	await new Promise((resolve) => setTimeout(resolve, 60));
	await mkdir(place, { recursive: true });
	await writeFile(join(place, 'agent-a1.jsonl'), '');
	expect(await found).toBe(false);
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { agentDescription, agentType } from '../../../server/claude-code/agent-files.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function session() {
	const folder = await temporaryFolder();
	await mkdir(join(folder, 's1', 'subagents'), { recursive: true });
	const write = async (agent: string, text: string) =>
		await writeFile(join(folder, 's1', 'subagents', `agent-${agent}.meta.json`), text);
	return { transcript: join(folder, 's1.jsonl'), write };
}

test('is found beside the transcript', async () => {
	const { transcript, write } = await session();
	await write('a1', '{"agentType":"x","description":"echo of s (1)","toolUseId":"u1"}');
	expect(await agentDescription(transcript, 'a1')).toBe('echo of s (1)');
});

test('is waited for a moment', async () => {
	const { transcript, write } = await session();
	await write('a1', '{"agentType":');
	const found = agentDescription(transcript, 'a1');
	await delay(60);
	await write('a1', '{"description":"late"}');
	expect(await found).toBe('late');
});

test('what it is is found in the same place, at once or not at all', async () => {
	const { transcript, write } = await session();
	await write('a1', '{"agentType":"x:y","description":"echo of s (1)"}');
	await write('a2', '{"agentType":1}');
	const types = ['a1', 'a2', 'a3', '../subagents/agent-a1'].map((agent) => agentType(transcript, agent));
	expect(await Promise.all(types)).toEqual(['x:y', undefined, undefined, undefined]);
});

test.each(['a2', 'x/../agent-a1', 'a1\0', ''])('of %j there is none', async (agent) => {
	const { transcript, write } = await session();
	await write('a1', '{"description":"echo of s (1)"}');
	await write('a2', '{"description":1}');
	expect(await agentDescription(transcript, agent)).toBeUndefined();
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { agentDescription } from '../../../../server/guard/tool-isolation/agent-description.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

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

test.each(['a2', 'x/../agent-a1', 'a1\0', ''])('of %j there is none', async (agent) => {
	const { transcript, write } = await session();
	await write('a1', '{"description":"echo of s (1)"}');
	await write('a2', '{"description":1}');
	expect(await agentDescription(transcript, agent)).toBeUndefined();
});

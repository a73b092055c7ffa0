import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, bench, describe } from 'vitest';
import { ContextMap } from '../../server/context-map/context-map.ts';
import { createGuard, hookEvent, loadEvent } from '../support/guard.ts';

const folder = mkdtempSync(join(tmpdir(), 'context-broker-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

const client = { name: 'claude-code', version: '2.1.332' };

/** One decision in process: the hook's question, for which the map is read again, and the approved call. */
describe('guard', () => {
	let call = 0;
	for (const keys of [1, 100, 10_000]) {
		const file = join(folder, `${keys}.toml`);
		writeFileSync(file, `[keys]\n${Array.from({ length: keys }, (_, key) => `key-${key} = "${key}.md"\n`).join('')}`);
		const map = new ContextMap(file, folder);
		const { guard } = createGuard(map);
		bench(`one decision, map of ${keys} keys`, async () => {
			const toolUseId = `toolu_${call++}`;
			await guard.answer(loadEvent(toolUseId, 'key-0'), { client, toolUseId: undefined });
			guard.admit({ client, toolUseId }, 'key-0');
		});
	}

	for (const keys of [1, 10_000]) {
		const entries = Array.from(
			{ length: keys },
			(_, key) => [`key-${key}`, { path: `${key}.md`, agents: undefined }] as const,
		);
		const { guard, loads } = createGuard({ entries: new Map(entries), off: [], allowTools: [], isolation: [] });
		for (let agent = 0; agent < 20; agent++) {
			const transcript = `/home/jo/.claude/projects/-project/s${agent}.jsonl`;
			loads.push({ session: `s${agent}`, agent: `a${agent}`, type: 'x', transcript, since: 0, isPrivate: true });
		}
		const tool_input = JSON.stringify({ command: 'git status && grep -rn "some text" src | head -n 20' });
		const event = hookEvent('PreToolUse', { tool_name: 'Bash', tool_input, agent_id: '', agent_type: '' });
		bench(`a shell command, 20 private agents and ${keys} keys`, async () => {
			await guard.answer(event, { client, toolUseId: undefined });
		});
	}
});

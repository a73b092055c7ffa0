import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, bench, describe } from 'vitest';
import { ContextMap } from '../../server/context-map/context-map.ts';
import { LOAD_CONTEXT } from '../../server/guard/decide.ts';
import { Guard } from '../../server/guard/guard.ts';

const folder = mkdtempSync(join(tmpdir(), 'context-broker-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

const client = { name: 'claude-code', version: '2.1.332' };

/** One decision in process: the hook's question, with the map read anew, and the call that it approves. */
describe('guard', () => {
	let call = 0;
	for (const keys of [1, 100, 10_000]) {
		const file = join(folder, `${keys}.toml`);
		writeFileSync(file, `[keys]\n${Array.from({ length: keys }, (_, key) => `key-${key} = "${key}.md"\n`).join('')}`);
		const map = new ContextMap(file, folder);
		const guard = new Guard({
			entries: () => map.entries(),
			environment: {},
			now: () => performance.now(),
			report: () => {},
			onKeyOnly: () => {},
		});
		bench(`one decision, map of ${keys} keys`, async () => {
			const toolUseId = `toolu_${call++}`;
			const event = {
				hook_event_name: 'PreToolUse',
				tool_name: LOAD_CONTEXT,
				tool_use_id: toolUseId,
				tool_input: '{"key":"key-0"}',
				agent_id: 'a1',
				agent_type: 'context-broker:privacy-scanner',
			};
			await guard.answer(event, { client, toolUseId: undefined });
			guard.admit({ client, toolUseId }, 'key-0');
		});
	}
});

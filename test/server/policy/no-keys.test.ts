import { expect, test, vi } from 'vitest';
import type { HookEvent } from '../../../server/claude-code/hooks.ts';
import { createGuard, hookEvent } from '../../support/guard.ts';

const CLAUDE = { client: { name: 'claude-code', version: '2.1.332' }, toolUseId: undefined };

const imported: string[] = [];
vi.mock('../../../server/redaction/file-runs.ts', async (original) => {
	imported.push('file-runs');
	return await original();
});

/** What is looked at after a call, with a map that names these files. */
async function looksAfter(fields: Partial<HookEvent>, ...paths: string[]): Promise<string[]> {
	const entries = new Map(paths.map((path) => [path, { path, agents: undefined }]));
	const { guard, state, reported } = createGuard({ entries, off: [], allowTools: [], isolation: [] });
	const readMarkdown = vi.spyOn(state.options, 'readMarkdown').mockResolvedValue('# Names\n\n- Zebulon Quux-Marker\n');
	const loads = vi.spyOn(state.options.journal, 'loads');
	const tool = { tool_name: 'Bash', tool_use_id: 't1', tool_input: '{"command":"git status"}' };
	const { hook_event_name = '', ...more } = fields;
	const event = hookEvent(hook_event_name, { ...tool, ...more, agent_id: '', agent_type: '' });
	expect(await guard.answer(event, CLAUDE)).toEqual({});
	// What is done while the model is asked.
	await new Promise(setImmediate);
	expect(reported).toEqual([]);
	return [
		...readMarkdown.mock.calls.map(([path]) => path),
		...loads.mock.calls.map(() => 'journal'),
		...imported.splice(0),
	];
}

const SUCCESS = { hook_event_name: 'PostToolUse', tool_response: '{"stdout":"On branch main","stderr":""}' };
const FAILURE = { hook_event_name: 'PostToolUseFailure', error: 'Exit code 1\nfatal: not a git repository' };

test('with a map that names no file, nothing is read for a result, nor prepared', async () => {
	expect(await looksAfter(SUCCESS)).toEqual([]);
	expect(await looksAfter(FAILURE)).toEqual([]);
});

test('with a map that names one, it is', async () => {
	expect(await looksAfter(SUCCESS, 'a.md')).toEqual(['/private/a.md', 'journal', 'file-runs']);
	expect(await looksAfter(FAILURE, 'a.md')).toEqual(['/private/a.md', 'journal']);
});

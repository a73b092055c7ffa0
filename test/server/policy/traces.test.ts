import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../server/traces/orders.ts';
import { createGuard, hookEvent, type MapInTest, SCANNER } from '../../support/guard.ts';

const HOOK = { client: { name: 'claude-code', version: '2.1.332' }, toolUseId: undefined };
const CALLER = { session: 's1', agent: 'a1', type: SCANNER, transcript: '/home/jo/.claude/projects/-project/s1.jsonl' };
const OF_MAIN = { agent_id: '', agent_type: '' };

const MAP: MapInTest = {
	entries: new Map([['k', { path: 'c.md', agents: undefined }]]),
	off: [],
	allowTools: [],
	isolation: [],
};

/** A guard, and what it has had cleaned. */
function createTraced(map = MAP) {
	const created = createGuard(map);
	const told: string[] = [];
	const failures: Failure[] = [];
	const traces = {
		load: ({ agent }: { agent: string }, text: string) => void told.push(`${agent} loads ${text}`),
		finish: ({ agent, session }: { agent: string; session: string }) =>
			void told.push(`${agent} of ${session} is over`),
		takeFailures: () => failures.splice(0),
	};
	Object.assign(created.state.options, { traces });
	return { ...created, told, failures };
}

describe('what Claude Code writes of an agent', () => {
	test('is cleaned when the agent has loaded and its answer was let pass', async () => {
		const { guard, told } = createTraced();
		await guard.answer(hookEvent('PreToolUse', { tool_name: 'Grep' }), HOOK);
		await guard.note({ key: 'k', caller: CALLER }, '/c.md', '- Zebulon Quux', true);
		const stop = (last_assistant_message: string) => hookEvent('SubagentStop', { last_assistant_message });
		await guard.answer(stop('I found Zebulon Quux.'), HOOK);
		expect(told).toEqual(['a1 loads - Zebulon Quux']);
		await guard.answer(stop('I found [context:L1].'), HOOK);
		expect(told).toEqual(['a1 loads - Zebulon Quux', 'a1 of s1 is over']);
	});

	test('is cleaned once more when a notification brings its answer', async () => {
		const { guard, told } = createTraced();
		await guard.answer(hookEvent('PreToolUse', { tool_name: 'Grep' }), HOOK);
		const prompt = '<task-notification>\n<task-id>a1</task-id>\n<result>Nothing.</result>\n</task-notification>';
		await guard.answer(hookEvent('UserPromptSubmit', { prompt, ...OF_MAIN, session_id: 'after-clear' }), HOOK);
		expect(told).toEqual(['a1 of s1 is over']);
	});

	test('is cleaned of private results of servers behind the broker, if a subagent has got them', async () => {
		for (const agent_id of ['a1', '']) {
			const { guard, told } = createTraced();
			const tool_name = 'mcp__plugin_context-broker_broker__s__secret';
			await guard.answer(hookEvent('PreToolUse', { tool_name, tool_use_id: '1', tool_input: '{}', agent_id }), HOOK);
			const call = { ...HOOK, toolUseId: '1' };
			const origin = { server: 's', tool: 'secret', isListedLarge: false, isPrivate: true };
			await guard.permitRelay(call, { name: 's__secret', origin }, {}, '/project');
			const resource = { uri: 'x://y', text: 'of a resource' };
			const content = [
				{ type: 'text', text: 'the secret' },
				{ type: 'resource', resource },
				{ type: 'image', data: 'x' },
			];
			await guard.noteRelayed(call, { content, structuredContent: { a: 1 } });
			await guard.noteRelayed(call, new Error('of an error'));
			const texts = ['the secret', 'of a resource', '{"a":1}', 'of an error'];
			expect(told).toEqual(agent_id === '' ? [] : texts.map((text) => `a1 loads ${text}`));
		}
	});

	test('is left if the user has it stay', async () => {
		const { guard, state, told } = createTraced({ ...MAP, off: ['traces'] });
		await state.map.read();
		await guard.note({ key: 'k', caller: CALLER }, '/c.md', '- Zebulon Quux', true);
		expect(told).toEqual([]);
	});
});

test('an agent whose traces are cleaned still knows what it has loaded, and takes no message', async () => {
	const { guard, loads } = createTraced();
	await guard.answer(hookEvent('PreToolUse', { tool_name: 'Grep' }), HOOK);
	await guard.note({ key: 'k', caller: CALLER }, '/c.md', '- Zebulon Quux', true);
	loads.length = 0;
	const call = (tool_name: string, input: object, of = {}) =>
		hookEvent('PreToolUse', { tool_name, tool_use_id: 'toolu_1', tool_input: JSON.stringify(input), ...of });
	const message = call('SendMessage', { to: 'a1', message: 'x' }, OF_MAIN);
	expect(JSON.stringify(await guard.answer(message, HOOK))).toContain('do_not_resume');
	const quoting = call('Agent', { prompt: 'Look for Zebulon Quux.', subagent_type: 'x' });
	expect(JSON.stringify(await guard.answer(quoting, HOOK))).toContain('do_not_quote');
});

test('the person is told once of a file that can not be cleaned, with the next answer that is shown', async () => {
	const { guard, failures } = createTraced();
	failures.push({ path: '/projects/p/s1/subagents/agent-a1.jsonl', code: 'ENOSPC' });
	const prompt = hookEvent('UserPromptSubmit', { prompt: 'Hello.', ...OF_MAIN });
	const after = hookEvent('PostToolUse', { tool_name: 'Read' });
	expect(await guard.answer(after, HOOK)).toEqual({});
	expect(await guard.answer(prompt, HOOK)).toEqual({
		systemMessage: expect.stringMatching(/agent-a1\.jsonl repeats private context and cannot be cleaned \(ENOSPC\)/),
	});
	expect(await guard.answer(prompt, HOOK)).toEqual({});
});

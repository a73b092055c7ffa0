import { expect, test } from 'vitest';
import { Holders } from '../../../server/policy/holders.ts';
import { createGuard, hookEvent } from '../../support/guard.ts';

function create(stored = new Set<string>()) {
	const store = { add: async (name: string) => void stored.add(name), has: async (name: string) => stored.has(name) };
	return { holders: new Holders(store, { all: async () => [], mayHold: async () => false }), stored };
}

const SUBAGENT = { session_id: 's1', agent_id: 'a1', agent_type: 'reader', transcript_path: '' };
const MAIN = { ...SUBAGENT, agent_id: '', agent_type: '' };

test('an agent that has got a private result holds it, in every process', async () => {
	const { holders, stored } = create();
	await holders.add(SUBAGENT);
	for (const each of [holders, create(stored).holders]) {
		expect(await each.has(SUBAGENT)).toBe(true);
		expect(await each.has({ ...SUBAGENT, session_id: 's2' })).toBe(true);
		expect(await each.has({ ...SUBAGENT, agent_id: 'a2' })).toBe(false);
		expect(await each.has(MAIN)).toBe(false);
	}
});

test('the main agent holds it in its own session', async () => {
	const { holders, stored } = create();
	await holders.add(MAIN);
	for (const each of [holders, create(stored).holders]) {
		expect(await each.has(MAIN)).toBe(true);
		expect(await each.has({ ...MAIN, session_id: 's2' })).toBe(false);
		expect(await each.has(SUBAGENT)).toBe(false);
	}
});

test('where nobody knows who has got it, everybody holds it', async () => {
	const { holders } = create();
	await holders.add(undefined);
	expect(await holders.has(MAIN)).toBe(true);
	expect(await holders.has(SUBAGENT)).toBe(true);
});

test('the guard refuses a holder what leads outside, and marks the session', async () => {
	const client = { name: 'claude-code', version: '2.1.332' };
	const hook = { client, toolUseId: undefined };
	const { guard, marked, setting } = createGuard({ entries: new Map(), off: [], allowTools: [], isolation: [] });
	const tool = { tool_name: 'mcp__plugin_context-broker_broker__s__secret', tool_use_id: '1', tool_input: '{}' };
	const code = async (fields: object) => {
		const event = hookEvent('PreToolUse', { tool_name: 'WebFetch', tool_input: '{}', ...fields });
		const { hookSpecificOutput } = await guard.answer(event, hook);
		return hookSpecificOutput?.permissionDecisionReason?.split(':')[0] ?? 'none';
	};
	await guard.answer(hookEvent('PreToolUse', tool), hook);
	expect(await code({})).toBe('none');
	const call = { client, toolUseId: '1' };
	const origin = { server: 's', tool: 'secret', isListedLarge: false, isPrivate: true };
	await guard.passing.permitRelay(call, { name: 's__secret', origin }, {}, '/project');
	expect(guard.isPrivate).toBe(false);
	await guard.passing.noteRelayed(call);
	expect(guard.isPrivate).toBe(true);
	expect(marked.has('s1')).toBe(true);
	expect(await code({})).toBe('outward_tool');
	expect(await code({ agent_id: 'a2' })).toBe('none');
	expect(await code({ agent_id: '', agent_type: '' })).toBe('none');
	setting.isUnwritable = true;
	await expect(guard.passing.noteRelayed(call)).rejects.toMatchObject({ code: 'state_unwritable' });
});

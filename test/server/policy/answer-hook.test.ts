import { describe, expect, test } from 'vitest';
import { BrokerError } from '../../../server/errors.ts';
import { isHookCall } from '../../../server/policy/answer-hook.ts';
import { createGuard, type GuardInTest, hookEvent, loadEvent, SCANNER } from '../../support/guard.ts';

const CLAUDE_CODE = { name: 'claude-code', version: '2.1.332' };
const OTHER = { name: 'another-client', version: '1.0.0' };
const MAP = {
	entries: new Map([
		['a', { path: 'a.md', agents: undefined }],
		['b', { path: 'b.md', agents: ['reader'] }],
	]),
	off: [],
	allowTools: [],
	isolation: [],
};

const HOOK = { client: CLAUDE_CODE, toolUseId: undefined };
const call = (toolUseId: string | undefined) => ({ client: CLAUDE_CODE, toolUseId });

/** The agent that was admitted, or the code of the refusal. */
function admit(guard: GuardInTest['guard'], toolUseId: string | undefined, key: string): string {
	try {
		return guard.admit(call(toolUseId), key)?.caller.type ?? 'anybody';
	} catch (error) {
		if (error instanceof BrokerError) return error.code;
		throw error;
	}
}

describe('in Claude Code', () => {
	test('a call passes once after its hook, and the hook answers the question of permission', async () => {
		const { guard, reported } = createGuard(MAP);
		expect(await guard.answer(loadEvent('1', 'a'), HOOK)).toMatchObject({
			hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' },
		});
		expect(admit(guard, '1', 'a')).toBe(SCANNER);
		expect(admit(guard, '1', 'a')).toBe('caller_unverified');
		expect(reported).toEqual([]);
	});

	test('a refusal is reported, and its reason has code, sentence and next step', async () => {
		const { guard, reported } = createGuard(MAP);
		expect(await guard.answer(loadEvent('1', 'a', '', ''), HOOK)).toMatchObject({
			hookSpecificOutput: {
				permissionDecision: 'deny',
				permissionDecisionReason: expect.stringMatching(/^agents_only: Private context is for .* Delegate: start/),
			},
		});
		expect(admit(guard, '1', 'a')).toBe('caller_unverified');
		expect(reported).toEqual(['agents_only']);
	});

	test('a tool that the user does not show is no matter of its hook', async () => {
		const { guard, state } = createGuard(MAP);
		Object.assign(state.options, { isShown: async (name: string) => name !== 'load_context' });
		expect(await guard.answer(loadEvent('1', 'a'), HOOK)).toEqual({});
		expect(admit(guard, '1', 'a')).toBe('caller_unverified');
	});

	test('only an event before a call approves it', async () => {
		const { guard } = createGuard(MAP);
		await guard.answer({ ...loadEvent('1', 'a'), hook_event_name: 'PostToolUse' }, HOOK);
		expect(() => guard.admit(call('1'), 'a')).toThrow(/hooks are off/);
		expect(admit(guard, '1', 'a')).toBe('caller_unverified');
	});

	test('who may load is told to load what it tries to read, nobody else is', async () => {
		const { guard } = createGuard(MAP);
		const tool = { tool_name: 'Read', tool_input: '{"file_path":"/private/a.md"}' };
		const next = async (agent_type: string) =>
			JSON.stringify(await guard.answer(hookEvent('PreToolUse', { ...tool, agent_type }), HOOK));
		expect([await next(SCANNER), await next('another')]).toEqual([
			expect.stringContaining('load_context'),
			expect.not.stringContaining('load_context'),
		]);
	});

	test('a file that was read before it was private keeps the next prompt back', async () => {
		const { guard, setting } = createGuard(MAP);
		const main = { agent_id: '', agent_type: '' };
		const read = { tool_name: 'Read', tool_input: '{"file_path":"/private/z.md"}' };
		expect(await guard.answer(hookEvent('PreToolUse', { ...main, ...read }), HOOK)).toEqual({});
		const prompt = hookEvent('UserPromptSubmit', { ...main, prompt: 'Go on.' });
		expect(await guard.answer(prompt, HOOK)).toEqual({});
		// Also if a faulty map tells no more than its path.
		setting.map = { ...MAP, paths: ['z.md'] };
		expect(await guard.answer(prompt, HOOK)).toMatchObject({ decision: 'block' });
	});

	test('a later refusal of the same tool use takes the approval back', async () => {
		const { guard } = createGuard(MAP);
		await guard.answer(loadEvent('1', 'a'), HOOK);
		await guard.answer(loadEvent('1', 'a', 'general-purpose'), HOOK);
		expect(admit(guard, '1', 'a')).toBe('caller_unverified');
	});

	test('the error says that hooks are off where none has come, and not where one has', async () => {
		const { guard } = createGuard(MAP);
		expect(() => guard.admit(call('1'), 'a')).toThrow(/hooks are off/);
		await guard.answer(loadEvent('2', 'a'), HOOK);
		expect(() => guard.admit(call('1'), 'a')).toThrow(/This call has no approval/);
	});

	test('a map that can not be read is the reason of the refusal; an unforeseen fault is not taken for one', async () => {
		const { guard, setting } = createGuard(MAP);
		setting.failure = new BrokerError('config_missing');
		expect(JSON.stringify(await guard.answer(loadEvent('1', 'a'), HOOK))).toContain('config_missing: ');
		setting.failure = new RangeError('private');
		const answer = JSON.stringify(await guard.answer(loadEvent('1', 'a'), HOOK));
		expect(answer).toMatch(/"deny".*internal_error: /);
		expect(answer).not.toContain('private"');
		expect(admit(guard, '1', 'a')).toBe('caller_unverified');
	});

	test('events it has no say in are answered without an opinion', async () => {
		const { guard } = createGuard(MAP);
		expect(await guard.answer({ ...loadEvent('1', 'a'), tool_name: 'Read' }, HOOK)).toEqual({});
		for (const name of ['PreCompact', 'InstructionsLoaded'])
			expect(await guard.answer(hookEvent(name), HOOK)).toEqual({});
		expect(admit(guard, '1', 'a')).toBe('caller_unverified');
	});

	test('a typed command that would bring a private file along is kept back', async () => {
		const typed = hookEvent('UserPromptExpansion', { prompt: '/check @/private/a.md', command_name: 'check' });
		expect(await createGuard(MAP).guard.answer(typed, HOOK)).toMatchObject({
			decision: 'block',
			reason: expect.stringMatching(/^attached_file: /),
		});
	});

	test('a client that is too old is refused, with an approval too', async () => {
		const { guard } = createGuard(MAP);
		await guard.answer(loadEvent('1', 'a'), HOOK);
		const old = { client: { ...CLAUDE_CODE, version: '2.1.125' }, toolUseId: '1' };
		expect(() => guard.admit(old, 'a')).toThrow(expect.objectContaining({ code: 'client_too_old' }));
		expect(admit(guard, '1', 'a')).toBe('caller_unverified');
	});

	test('calls of the client itself reach it, and a model can not make one', () => {
		const { state } = createGuard(MAP);
		expect(isHookCall(HOOK, state)).toBe(true);
		for (const id of ['1', '']) expect(isHookCall(call(id), state)).toBe(false);
	});
});

describe('in another client', () => {
	test('the key alone decides, which is said once', () => {
		const { guard, state, keyOnly } = createGuard(MAP);
		for (const toolUseId of [undefined, '1']) {
			expect(state.client.identify(OTHER)).toBe('key_only');
			expect(guard.admit({ client: OTHER, toolUseId }, 'a')).toBeUndefined();
		}
		expect(isHookCall({ client: OTHER, toolUseId: undefined }, state)).toBe(false);
		expect(keyOnly()).toBe(1);
	});

	test('not once it has called itself Claude Code', () => {
		const { guard, state, keyOnly } = createGuard(MAP);
		state.client.identify(CLAUDE_CODE);
		expect(() => guard.admit({ client: OTHER, toolUseId: '1' }, 'a')).toThrow(BrokerError);
		expect(keyOnly()).toBe(0);
	});

	test('not in an environment of Claude Code, nor before it has introduced itself', () => {
		const { guard } = createGuard(MAP, { CLAUDECODE: '1' });
		expect(() => guard.admit({ client: OTHER, toolUseId: '1' }, 'a')).toThrow(BrokerError);
		expect(() => createGuard(MAP).guard.admit({ client: undefined, toolUseId: '1' }, 'a')).toThrow(BrokerError);
	});
});

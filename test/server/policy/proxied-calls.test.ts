import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RUN_SHELL_COMMAND } from '../../../server/claude-code/tools.ts';
import { BrokerError } from '../../../server/errors.ts';
import { createGuard, hookEvent, loadEvent, SCANNER } from '../../support/guard.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const CLAUDE_CODE = { name: 'claude-code', version: '2.1.332' };
const HOOK = { client: CLAUDE_CODE, toolUseId: undefined };
const MAP = { entries: new Map([['k', { path: 'k.md', agents: ['reader'] }]]), off: [], allowTools: [], isolation: [] };
const FILE = 'cat /private/k.md';

function announce(tool_use_id: string, command: string, agent_type: string) {
	const tool = { tool_name: RUN_SHELL_COMMAND, tool_use_id, tool_input: JSON.stringify({ command }) };
	return hookEvent('PreToolUse', { ...tool, agent_type });
}

describe('a command that names a private file', () => {
	test('runs for an agent that has loaded that file as it is, and for which a hook announced the call, once', async () => {
		const { guard, setting } = createGuard(MAP);
		setting.files['/private/k.md'] = 'x';
		expect(await guard.answer(announce('1', FILE, 'reader'), HOOK)).toMatchObject({
			hookSpecificOutput: { permissionDecisionReason: expect.stringMatching(/^protected_file: .*load_context/) },
		});
		await guard.answer(loadEvent('0', 'k', 'reader'), HOOK);
		await guard.note(guard.admit({ client: CLAUDE_CODE, toolUseId: '0' }, 'k'), '/private/k.md', 'x', true);
		expect(await guard.answer(announce('1', FILE, 'reader'), HOOK)).toEqual({});
		const call = { client: CLAUDE_CODE, toolUseId: '1' };
		await guard.permitCommand(call, FILE, '/project');
		await expect(guard.permitCommand(call, FILE, '/project')).rejects.toMatchObject({ code: 'protected_file' });
		setting.files['/private/k.md'] = 'another text';
		expect(await guard.answer(announce('2', FILE, 'reader'), HOOK)).not.toEqual({});
	});

	test.each([
		['for another agent', SCANNER, '1'],
		['for the main agent', '', '1'],
		['for a listed agent that has not loaded it', 'reader', '1'],
		['for a call that was not announced', 'reader', '2'],
		['for a call without an id', 'reader', undefined],
	])('does not run %s', async (_, agent, toolUseId) => {
		const { guard } = createGuard(MAP);
		await guard.answer(announce('1', 'echo', agent), HOOK);
		const call = { client: CLAUDE_CODE, toolUseId };
		await expect(guard.permitCommand(call, FILE, '/project')).rejects.toMatchObject({ code: 'protected_file' });
		await expect(guard.permitCommand(call, 'cat k.md', '/private')).rejects.toMatchObject({
			code: 'protected_file',
		});
		await guard.permitCommand(call, 'cat k.md', '/project');
	});

	test('is refused by the hook already, where the client names the folder', async () => {
		const { guard } = createGuard(MAP);
		const tool_input = JSON.stringify({ command: 'cat k.md', dir_path: '/private' });
		const event = hookEvent('PreToolUse', { tool_name: RUN_SHELL_COMMAND, tool_input });
		expect(await guard.answer(event, HOOK)).toMatchObject({
			hookSpecificOutput: {
				permissionDecision: 'deny',
				permissionDecisionReason: expect.stringMatching(/^protected_file/),
			},
		});
	});

	test('does not run for a call without an id by an event without one', async () => {
		const { guard } = createGuard(MAP);
		await guard.answer(announce('', FILE, 'reader'), HOOK);
		for (const toolUseId of ['', undefined]) {
			const permitted = guard.permitCommand({ client: CLAUDE_CODE, toolUseId }, FILE, '/project');
			await expect(permitted).rejects.toMatchObject({ code: 'protected_file' });
		}
	});

	test('does not run where the map can not be read, and says why', async () => {
		const { guard, setting } = createGuard(MAP);
		setting.failure = new BrokerError('config_invalid');
		const permitted = guard.permitCommand({ client: CLAUDE_CODE, toolUseId: '1' }, 'echo', '/project');
		await expect(permitted).rejects.toMatchObject({ code: 'config_invalid' });
	});

	test('runs for everybody where the protection is switched off', async () => {
		const { guard } = createGuard({ ...MAP, off: ['files'], allowTools: [], isolation: [] });
		await guard.permitCommand({ client: CLAUDE_CODE, toolUseId: '1' }, FILE, '/project');
	});
});

const CALLER = { session: 's1', agent: 'a1', type: 'reader', transcript: '/t.jsonl' };
const APPROVAL = { key: 'k', caller: CALLER };
const CALL = { client: CLAUDE_CODE, toolUseId: '1' };

describe('a session that holds private data', () => {
	test('marks the session before a private file is given out', async () => {
		const { guard, marked, loads } = createGuard(MAP);
		await guard.answer(hookEvent('PreToolUse'), HOOK);
		const noted = guard.note(APPROVAL, '/private/k.md', 'text', true);
		expect(guard.isPrivate).toBe(true);
		await noted;
		expect([...marked]).toEqual(['s1', '\0a1']);
		expect(loads).toMatchObject([CALLER]);
	});

	test('waits for a session to be looked up, before it answers and before it lets a command pass', async () => {
		const event = hookEvent('PreToolUse', { tool_name: RUN_SHELL_COMMAND, tool_use_id: '1', tool_input: '{}' });
		for (const how of ['answer', 'permit'] as const) {
			const { guard, marked, setting } = createGuard(MAP);
			if (how === 'permit') await guard.answer(event, HOOK);
			let release = () => {};
			setting.lookUp = new Promise((resolve) => {
				release = resolve;
			});
			let isDone = false;
			const waiting = how === 'answer' ? guard.answer(event, HOOK) : guard.permitCommand(CALL, 'echo', '/project');
			const done = waiting.then(() => {
				isDone = true;
			});
			await new Promise((resolve) => setTimeout(resolve, 20));
			expect(isDone, how).toBe(false);
			marked.add('s1');
			release();
			await done;
			expect(guard.isPrivate, how).toBe(true);
		}
	});

	test('needs no map', async () => {
		const { guard, setting } = createGuard(MAP);
		setting.failure = new BrokerError('config_missing');
		await guard.permitCommand(CALL, 'echo', '/project');
	});

	test('knows a session that has loaded before there were marks', async () => {
		const event = hookEvent('PreToolUse', { tool_name: RUN_SHELL_COMMAND, tool_use_id: '1', tool_input: '{}' });
		const { guard, loads, marked } = createGuard(MAP);
		loads.push({ ...CALLER, since: 0, isPrivate: true });
		await guard.answer(event, HOOK);
		await guard.permitCommand(CALL, 'echo', '/project');
		expect([guard.isPrivate, marked.has('s1')]).toEqual([true, true]);
		const other = createGuard(MAP);
		other.loads.push(
			{ ...CALLER, since: 0, isPrivate: false },
			{ ...CALLER, session: 's9', since: 0, isPrivate: true },
		);
		await other.guard.answer(event, HOOK);
		await other.guard.permitCommand(CALL, 'echo', '/project');
		expect(other.guard.isPrivate).toBe(false);
	});

	test('knows a copy of a session that holds private data, before a call of its own tools passes', async () => {
		const folder = await temporaryFolder();
		const entry = '{"uuid":"6d02c1c4-85aa-4b17-ae98-b64a5a679cde"}';
		for (const name of ['s1', 'copy']) await writeFile(join(folder, `${name}.jsonl`), entry);
		for (const isMarked of [true, false]) {
			const { guard, marked } = createGuard(MAP);
			if (isMarked) marked.add('s1');
			const place = { session_id: 'copy', transcript_path: join(folder, 'copy.jsonl') };
			const call = { tool_name: RUN_SHELL_COMMAND, tool_use_id: '1', tool_input: '{}' };
			await guard.answer(hookEvent('PreToolUse', { ...place, ...call, tool_name: 'Read' }), HOOK);
			expect(guard.isPrivate).toBe(false);
			await guard.answer(hookEvent('PreToolUse', { ...place, ...call }), HOOK);
			expect([guard.isPrivate, marked.has('copy')]).toEqual([isMarked, isMarked]);
		}
	});

	test('gives nothing out where the mark can not be written', async () => {
		const { guard, setting, loads } = createGuard(MAP);
		await guard.answer(hookEvent('PreToolUse'), HOOK);
		setting.isUnwritable = true;
		const noted = guard.note(APPROVAL, '/private/k.md', 'text', true);
		await expect(noted).rejects.toMatchObject({ code: 'state_unwritable' });
		expect(loads).toEqual([]);
	});

	test('marks nothing for a file that is not private', async () => {
		const { guard, marked, loads } = createGuard(MAP);
		await guard.answer(hookEvent('PreToolUse'), HOOK);
		await guard.note(APPROVAL, '/private/k.md', 'text', false);
		expect([guard.isPrivate, marked.size]).toEqual([false, 0]);
		expect(loads).toMatchObject([{ isPrivate: false }]);
	});

	test('where the key alone decides, the mark lasts as long as the process', async () => {
		const { guard, marked } = createGuard(MAP);
		const other = { client: { name: 'other', version: '1' }, toolUseId: undefined };
		await guard.permitCommand(other, 'echo', '/project');
		expect(guard.isPrivate).toBe(false);
		await guard.note(undefined, '/private/k.md', 'text', true);
		expect([guard.isPrivate, marked.size]).toEqual([true, 0]);
	});

	test('knows the session by the event before the call; without one nobody knows, whatever the environment says', async () => {
		const event = hookEvent('PreToolUse', { tool_name: RUN_SHELL_COMMAND, tool_use_id: '1', tool_input: '{}' });
		for (const environment of [{}, { CLAUDE_CODE_SESSION_ID: 's2' }]) {
			const announced = createGuard(MAP, environment);
			await announced.guard.answer(event, HOOK);
			await announced.guard.permitCommand(CALL, 'echo', '/project');
			expect([announced.guard.isPrivate, announced.marked.size]).toEqual([false, 0]);
			// Hooks can be switched off while the process runs.
			await announced.guard.permitCommand(CALL, 'echo', '/project');
			expect(announced.guard.isPrivate).toBe(true);

			const marked = createGuard(MAP, environment);
			marked.marked.add('s1');
			await marked.guard.answer(event, HOOK);
			expect(marked.guard.isPrivate).toBe(true);

			const unknown = createGuard(MAP, environment);
			await unknown.guard.permitCommand(CALL, 'echo', '/project');
			expect(unknown.guard.isPrivate).toBe(true);
		}
	});
});

test('who has got a private result is refused what leads outside, and the session is private', async () => {
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
	await guard.permitRelay(call, { name: 's__secret', origin }, {}, '/project');
	expect(guard.isPrivate).toBe(false);
	await guard.noteRelayed(call);
	expect(guard.isPrivate).toBe(true);
	expect(marked.has('s1')).toBe(true);
	expect(await code({})).toBe('outward_tool');
	expect(await code({ agent_id: 'a2' })).toBe('none');
	expect(await code({ agent_id: '', agent_type: '' })).toBe('none');
	setting.isUnwritable = true;
	await expect(guard.noteRelayed(call)).rejects.toMatchObject({ code: 'state_unwritable' });
});

describe('a tool-use id that comes up again, as some gateways number calls anew for each agent', () => {
	const tool = { tool_name: 'mcp__plugin_context-broker_broker__s__secret', tool_use_id: '1', tool_input: '{}' };
	const relayed = {
		name: 's__secret',
		origin: { server: 's', tool: 'secret', isListedLarge: false, isPrivate: true },
	};
	const create = async () => {
		const { guard } = createGuard(MAP);
		await guard.answer(hookEvent('PreToolUse', tool), HOOK);
		/** Another agent would get at a private file. */
		const refused = async () => await guard.answer({ ...announce('1', FILE, 'reader'), agent_id: 'a2' }, HOOK);
		const isRefused = async (agent_id: string) => {
			const event = hookEvent('PreToolUse', { agent_id, tool_name: 'WebFetch', tool_use_id: '2', tool_input: '{}' });
			return (await guard.answer(event, HOOK)).hookSpecificOutput?.permissionDecision === 'deny';
		};
		return { guard, refused, isRefused };
	};

	test('with a call of another agent that is refused: whoever began gets the result', async () => {
		for (const when of ['before', 'after'] as const) {
			const { guard, refused, isRefused } = await create();
			if (when === 'before') await refused();
			const call = { ...CALL };
			await guard.permitRelay(call, relayed, {}, '/project');
			if (when === 'after') await refused();
			await guard.noteRelayed(call);
			expect([await isRefused('a1'), await isRefused('a2')], when).toEqual([true, false]);
		}
	});

	test('with a call of another agent that is let pass: both get the result of their own', async () => {
		const { guard, isRefused } = await create();
		const calls = [{ ...CALL }, { ...CALL }] as const;
		await guard.permitRelay(calls[0], relayed, {}, '/project');
		await guard.answer(hookEvent('PreToolUse', { ...tool, agent_id: 'a2' }), HOOK);
		await guard.permitRelay(calls[1], relayed, {}, '/project');
		await guard.noteRelayed(calls[0]);
		expect([await isRefused('a1'), await isRefused('a2')]).toEqual([true, false]);
		await guard.noteRelayed(calls[1]);
		expect(await isRefused('a2')).toBe(true);
	});

	test('with a call that no hook has announced: anybody can be who gets the result', async () => {
		const { guard, isRefused } = await create();
		const call = { ...CALL };
		for (const one of [{ ...CALL }, call]) await guard.permitRelay(one, relayed, {}, '/project');
		await guard.noteRelayed(call);
		expect([await isRefused('a1'), await isRefused('a2')]).toEqual([true, true]);
	});
});

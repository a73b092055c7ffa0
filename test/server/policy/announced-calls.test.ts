import { describe, expect, test } from 'vitest';
import { RUN_SHELL_COMMAND } from '../../../server/claude-code/tools.ts';
import { BrokerError } from '../../../server/errors.ts';
import { AnnouncedCalls } from '../../../server/policy/announced-calls.ts';
import { createGuard, hookEvent, loadEvent, SCANNER } from '../../support/guard.ts';

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
		await guard.passing.permitCommand(call, FILE, '/project');
		await expect(guard.passing.permitCommand(call, FILE, '/project')).rejects.toMatchObject({ code: 'protected_file' });
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
		await expect(guard.passing.permitCommand(call, FILE, '/project')).rejects.toMatchObject({ code: 'protected_file' });
		await expect(guard.passing.permitCommand(call, 'cat k.md', '/private')).rejects.toMatchObject({
			code: 'protected_file',
		});
		await guard.passing.permitCommand(call, 'cat k.md', '/project');
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
			const permitted = guard.passing.permitCommand({ client: CLAUDE_CODE, toolUseId }, FILE, '/project');
			await expect(permitted).rejects.toMatchObject({ code: 'protected_file' });
		}
	});

	test('does not run where the map can not be read, and says why', async () => {
		const { guard, setting } = createGuard(MAP);
		setting.failure = new BrokerError('config_invalid');
		const permitted = guard.passing.permitCommand({ client: CLAUDE_CODE, toolUseId: '1' }, 'echo', '/project');
		await expect(permitted).rejects.toMatchObject({ code: 'config_invalid' });
	});

	test('runs for everybody where the protection is switched off', async () => {
		const { guard } = createGuard({ ...MAP, off: ['files'], allowTools: [], isolation: [] });
		await guard.passing.permitCommand({ client: CLAUDE_CODE, toolUseId: '1' }, FILE, '/project');
	});
});

test('of announcements whose call never came the oldest are dropped', () => {
	const announced = new AnnouncedCalls();
	for (let id = 0; id <= 1_000; id++) announced.add(announce(`${id}`, 'echo', 'reader'));
	expect(announced.callerOf('0')).toBeUndefined();
	expect(announced.callerOf('1')).toMatchObject({ agent_type: 'reader' });
	expect(announced.callerOf('1')).toBeUndefined();
	expect(announced.callerOf('1000')).toMatchObject({ agent_type: 'reader' });
});

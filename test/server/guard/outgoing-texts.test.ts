import { beforeEach, describe, expect, test } from 'vitest';
import type { HookEvent } from '../../../server/guard/hook.ts';
import { createGuard, type GuardInTest, hookEvent, loadEvent, type MapInTest, SCANNER } from '../../support/guard.ts';

const FILE = '# Names\n- Zebulon Quux\n';
const MAP: MapInTest = {
	entries: new Map([['k', { path: 'k.md', agents: undefined }]]),
	off: [],
	allowTools: [],
	isolation: [],
};
const HOOK = { client: { name: 'claude-code', version: '2.1.332' }, toolUseId: undefined };
const QUOTE = 'I found Zebulon Quux in line 3.';
const REDACTED = 'I found [context:L2] in line 3.';

let setting: GuardInTest;

beforeEach(async () => {
	setting = createGuard(MAP);
	setting.setting.files['/private/k.md'] = FILE;
	await load('a1');
});

/** An agent loads the file. */
async function load(agent: string, in_ = setting): Promise<void> {
	await in_.guard.answer(loadEvent('toolu_1', 'k', SCANNER, agent), HOOK);
	const approval = in_.guard.admit({ ...HOOK, toolUseId: 'toolu_1' }, 'k');
	if (approval === undefined) throw new Error('not approved');
	await in_.guard.note(approval, '/private/k.md', FILE, true);
}

function ask(name: string, fields: Partial<HookEvent> = {}, in_ = setting) {
	return in_.guard.answer(hookEvent(name, fields), HOOK);
}

/** The tool of the main agent that starts a subagent has given this. */
function agentGave(response: object | string, fields: Partial<HookEvent> = {}, in_ = setting) {
	const tool_response = typeof response === 'string' ? response : JSON.stringify(response);
	return ask('PostToolUse', { agent_id: '', agent_type: '', tool_name: 'Agent', tool_response, ...fields }, in_);
}

function output(answer: Awaited<ReturnType<typeof ask>>): unknown {
	return answer.hookSpecificOutput?.updatedToolOutput;
}

describe('an answer that quotes', () => {
	const stop = (text: string, agent_id = 'a1') => ask('SubagentStop', { last_assistant_message: text, agent_id });

	test('is asked for again, then with the words to use, and then let go', async () => {
		expect(await stop(QUOTE)).toEqual({
			decision: 'block',
			reason: expect.stringMatching(/repeats one passage .* \(lines 2 of it\).* such as \[context:L2\]/),
		});
		const second = await stop(QUOTE);
		expect(second).toMatchObject({ decision: 'block', reason: expect.stringMatching(`nothing else:\n\n`) });
		expect(second.reason).toContain(REDACTED);
		expect(second.reason).not.toMatch(/zebulon/i);
		expect(await stop(QUOTE)).toEqual({});
	});

	test('is let go where it does not quote, or is of an agent that has loaded nothing', async () => {
		expect(await stop(REDACTED)).toEqual({});
		expect(await stop(QUOTE, 'a2')).toEqual({});
	});
});

describe('what the main agent is given', () => {
	const response = {
		status: 'completed',
		agentId: 'a1',
		agentType: SCANNER,
		content: [
			{ type: 'text', text: 'all right' },
			{ type: 'text', text: QUOTE },
		],
		usage: { service_tier: 'standard', input_tokens: 5 },
	};

	test('has references in the place of quotations, in the same shape', async () => {
		expect(output(await agentGave(response))).toEqual({
			...response,
			content: [
				{ type: 'text', text: 'all right' },
				{ type: 'text', text: REDACTED },
			],
		});
	});

	test('is not touched without quotations', async () => {
		expect(await agentGave({ ...response, content: [{ type: 'text', text: REDACTED }] })).toEqual({});
	});

	test('is not touched for what the main agent has said itself', async () => {
		const own = { ...response, content: [], prompt: QUOTE, description: QUOTE };
		expect(await agentGave(own)).toEqual({});
	});

	test('is not touched where it comes from an agent that has loaded nothing', async () => {
		expect(await agentGave({ ...response, agentId: 'a2' })).toEqual({});
	});

	test('is checked where it does not say from which agent it comes', async () => {
		expect(output(await agentGave({ report: QUOTE }, { tool_name: 'Workflow' }))).toEqual({ report: REDACTED });
		expect(output(await agentGave(QUOTE, { tool_name: 'TaskOutput' }))).toBe(REDACTED);
	});

	test.each([
		['changed', 'another text'],
		['gone', undefined],
	])('is withheld where the file is %s', async (_, text) => {
		const { files } = setting.setting;
		if (text === undefined) delete files['/private/k.md'];
		else files['/private/k.md'] = text;
		const withheld = expect.stringMatching(/^\[Context Broker withheld this answer: .* Start the agent anew\.\]$/);
		expect(output(await agentGave(response))).toEqual({
			...response,
			content: [
				{ type: 'text', text: withheld },
				{ type: 'text', text: withheld },
			],
		});
		expect(setting.reported).toContain('answer_withheld');
	});

	test('is withheld where another process has served the agent', async () => {
		const later = createGuard(MAP);
		later.records.push(...setting.records);
		expect(JSON.stringify(output(await agentGave(response, {}, later)))).not.toMatch(/zebulon/i);
		expect(later.reported).toEqual(['answer_withheld']);
	});
});

describe('a notification', () => {
	const notify = (result: string, in_ = setting) =>
		ask('UserPromptSubmit', { prompt: `<task-notification>\n<task-id>a1</task-id>\n<result>${result}</result>` }, in_);

	test('that quotes is kept from the main agent, and the person is told why', async () => {
		const answer = await notify(QUOTE);
		expect(answer).toMatchObject({ decision: 'block', hookSpecificOutput: { suppressOriginalPrompt: true } });
		expect(answer.reason).toMatch(/^answer_withheld: /);
	});

	test('that does not is let pass, and so is what the user says', async () => {
		expect(await notify(REDACTED)).toEqual({});
		expect(await ask('UserPromptSubmit', { prompt: QUOTE })).toEqual({});
	});

	test('is not kept back for the path in it that the client tells, only for what the agent says', async () => {
		const path = (result: string) =>
			`<task-notification>\n<task-id>a1</task-id>\n<output-file>/home/zebulon-quux/tasks/a1.output</output-file>\n<result>${result}</result>`;
		expect(await ask('UserPromptSubmit', { prompt: path(REDACTED) })).toEqual({});
		for (const answer of [QUOTE, '<output-file>Zebulon Quux</output-file>']) {
			expect(await ask('UserPromptSubmit', { prompt: path(answer) })).toMatchObject({ decision: 'block' });
		}
	});

	test('of an agent that another process has served is kept back', async () => {
		const later = createGuard(MAP);
		later.records.push(...setting.records);
		expect(await notify('anything', later)).toMatchObject({ decision: 'block' });
	});
});

describe('what an agent hands on', () => {
	const hand = (tool_name: string, prompt: string, agent_id = 'a1') =>
		ask('PreToolUse', { tool_name, tool_input: JSON.stringify({ prompt, subagent_type: 'x' }), agent_id });

	test.each([
		...['Agent', 'Task', 'SendMessage', 'Skill', 'Workflow'],
		...['TaskCreate', 'TaskUpdate', 'CronCreate', 'ScheduleWakeup', 'SetGoal'],
	])('%s: not with a quotation', async (tool) => {
		expect(await hand(tool, QUOTE)).toMatchObject({
			hookSpecificOutput: {
				permissionDecision: 'deny',
				permissionDecisionReason: expect.stringMatching(/^do_not_quote: /),
			},
		});
		expect(await hand(tool, REDACTED)).toEqual({});
		expect(await hand(tool, QUOTE, 'a2')).toEqual({});
	});

	test.each([
		'Look for\nzebulon\nquux',
		'Look for:\nzebulon quux',
		'Look for\tzebulon\tquux',
		'zebulon\u000bquux',
		String.raw`agent("Look for\nzebulon\nquux")`,
		String.raw`agent("Look for \u007aebulon quux")`,
	])('nor where JSON has an escape in it: %j', async (prompt) => {
		expect(await hand('SendMessage', prompt)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
	});
});

test('what an agent hands on is refused where it can not be checked', async () => {
	delete setting.setting.files['/private/k.md'];
	const tool_input = JSON.stringify({ prompt: 'anything', subagent_type: 'x' });
	expect(await ask('PreToolUse', { tool_name: 'Agent', tool_input })).toMatchObject({
		hookSpecificOutput: { permissionDecisionReason: expect.stringMatching(/^do_not_quote: /) },
	});
});

test.each(['', 'a1'])(
	'after a restart, what agent "%s" hands on is refused until it has loaded again',
	async (agent) => {
		const before = createGuard(MAP);
		before.setting.files['/private/k.md'] = FILE;
		await load(agent, before);
		const after = createGuard(MAP);
		after.setting.files['/private/k.md'] = FILE;
		after.records.push(...before.records);
		const hand = (text: string, agent_id: string) =>
			ask('PreToolUse', { tool_name: 'Agent', tool_input: JSON.stringify({ prompt: text }), agent_id }, after);
		expect(await hand('anything', agent)).toMatchObject({
			hookSpecificOutput: { permissionDecisionReason: expect.stringMatching(/^do_not_quote: .*load that once more/s) },
		});
		expect(await hand(QUOTE, 'a2')).toEqual({});
		await load(agent, after);
		expect(await hand(REDACTED, agent)).toEqual({});
		expect(await hand(QUOTE, agent)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
	},
);

test('what a main thread has loaded that was started as an agent is not looked for in the answers of others', async () => {
	const alone = createGuard(MAP);
	alone.setting.files['/private/k.md'] = FILE;
	await load('', alone);
	expect(await agentGave({ agentId: 'a2', content: QUOTE }, {}, alone)).toEqual({});
	expect(await agentGave({ report: QUOTE }, { tool_name: 'Workflow' }, alone)).toEqual({});
	const tool_input = JSON.stringify({ prompt: QUOTE, subagent_type: 'x' });
	expect(await ask('PreToolUse', { tool_name: 'Agent', tool_input, agent_id: '' }, alone)).toMatchObject({
		hookSpecificOutput: { permissionDecision: 'deny' },
	});
});

test.each([
	['a1', 'another session', true],
	['privacy-scanner', 'another session', false],
	['privacy-scanner', 's1', true],
	['71dd4d', 's1', true],
	['71dd4d', 'another session', false],
])(
	'a message to %s in %s, of a broker that has not served the agent: refused is %s',
	async (to, session_id, refused) => {
		const later = createGuard(MAP);
		later.records.push(...setting.records);
		const tool_input = JSON.stringify({ to, message: 'x' });
		const answer = await ask('PreToolUse', { tool_name: 'SendMessage', tool_input, session_id, agent_id: '' }, later);
		expect(JSON.stringify(answer).includes('do_not_resume: ')).toBe(refused);
	},
);

test('an agent that runs in the background where no hook sees its answer can not load', async () => {
	const launched = { status: 'async_launched', agentId: 'a7', isAsync: true };
	await agentGave(launched, { agent_id: 'outer', agent_type: 'general-purpose' });
	await agentGave({ ...launched, agentId: 'a8' });
	const older = createGuard(MAP);
	const old = { ...HOOK, client: { name: 'claude-code', version: '2.1.259' } };
	const tool_response = JSON.stringify({ ...launched, agentId: 'a9' });
	await older.guard.answer(hookEvent('PostToolUse', { agent_id: '', tool_name: 'Agent', tool_response }), old);
	expect(await older.guard.answer(loadEvent('t', 'k', SCANNER, 'a9'), old)).toMatchObject({
		hookSpecificOutput: { permissionDecision: 'deny' },
	});
	const answers = await Promise.all(
		['a7', 'a8'].map((agent) => setting.guard.answer(loadEvent('t', 'k', SCANNER, agent), HOOK)),
	);
	expect(answers).toMatchObject([
		{ hookSpecificOutput: { permissionDecisionReason: expect.stringMatching(/^unchecked_background: /) } },
		{ hookSpecificOutput: { permissionDecision: 'allow' } },
	]);
});

test('a fault of our own lets nothing pass', async () => {
	setting.setting.failure = new RangeError('unforeseen');
	expect(await ask('PreToolUse', { tool_name: 'Read', tool_input: '{}' })).toMatchObject({
		hookSpecificOutput: {
			permissionDecision: 'deny',
			permissionDecisionReason: expect.stringMatching(/^internal_error: /),
		},
	});
	expect(JSON.stringify(output(await agentGave({ agentId: 'a1', content: QUOTE })))).toMatch(/withheld/);
	expect(await ask('UserPromptSubmit', { prompt: `<task-notification>${QUOTE}` })).toMatchObject({ decision: 'block' });
	expect(await ask('UserPromptSubmit', { prompt: 'hello' })).toEqual({});
	expect(setting.reported).toEqual(['internal_error', 'internal_error', 'internal_error', 'internal_error']);
});

test('nothing of it happens where the map switches it off', async () => {
	setting.setting.map = { ...MAP, off: ['quoting', 'background', 'resuming', 'files'], allowTools: [], isolation: [] };
	expect(await ask('SubagentStop', { last_assistant_message: QUOTE })).toEqual({});
	expect(await agentGave({ agentId: 'a1', content: QUOTE })).toEqual({});
	expect(await ask('UserPromptSubmit', { prompt: `<task-notification>${QUOTE}` })).toEqual({});
	await agentGave({ status: 'async_launched', agentId: 'a7' }, { agent_id: 'outer' });
	expect(await setting.guard.answer(loadEvent('t', 'k', SCANNER, 'a7'), HOOK)).toMatchObject({
		hookSpecificOutput: { permissionDecision: 'allow' },
	});
	for (const [tool_name, input] of Object.entries({
		Agent: { prompt: QUOTE, subagent_type: SCANNER },
		SendMessage: { to: 'a1' },
		Read: { file_path: '/private/k.md' },
	})) {
		expect(await ask('PreToolUse', { tool_name, tool_input: JSON.stringify(input), agent_type: 'x' })).toEqual({});
	}
});

test('a map that breaks later changes nothing', async () => {
	setting.setting.failure = undefined;
	await ask('PreToolUse', { tool_name: 'Read', tool_input: '{}' });
	const { BrokerError } = await import('../../../server/errors.ts');
	setting.setting.failure = new BrokerError('config_invalid');
	expect(
		await ask('PreToolUse', { tool_name: 'Read', tool_input: '{"file_path":"/private/k.md"}', agent_type: 'x' }),
	).toMatchObject({
		hookSpecificOutput: { permissionDecisionReason: expect.stringMatching(/^protected_file: /) },
	});
	expect(await ask('SubagentStop', { last_assistant_message: QUOTE })).toMatchObject({ decision: 'block' });
});

test.each([
	[[], 'deny'],
	[['quoting'], 'deny'],
	[['files'], 'deny'],
	[['quoting', 'files'], 'allow'],
] as const)('where a workflow can have started it, with %j off: %s', async (off, permissionDecision) => {
	setting.setting.map = { ...MAP, off };
	expect(await setting.guard.answer(loadEvent('t', 'k', SCANNER, 'a7'), HOOK)).toMatchObject({
		hookSpecificOutput: { permissionDecision: 'allow' },
	});
	await ask('PreToolUse', { tool_name: 'Workflow', agent_id: '', agent_type: '' });
	expect(await setting.guard.answer(loadEvent('t', 'k', SCANNER, 'a7'), HOOK)).toMatchObject({
		hookSpecificOutput: { permissionDecision },
	});
});

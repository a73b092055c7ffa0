import { beforeEach, describe, expect, test } from 'vitest';
import type { HookEvent } from '../../../server/claude-code/hooks.ts';
import { notificationsIn } from '../../../server/claude-code/notifications.ts';
import { Agents } from '../../../server/record/agents.ts';
import { ToolUses } from '../../../server/record/tool-uses.ts';
import { hookEvent } from '../../support/guard.ts';

let agents: Agents;

beforeEach(() => {
	agents = new Agents(new ToolUses(() => 0));
});

const MAIN = { agent_id: '', agent_type: '' };

function launch(tool_use_id: string, subagent_type: string, fields: Partial<HookEvent> = MAIN): void {
	const tool_input = JSON.stringify({ subagent_type, prompt: 'x' });
	agents.launch(hookEvent('PreToolUse', { tool_name: 'Agent', tool_use_id, tool_input, ...fields }));
}

function see(agent_id: string, agent_type: string, tool_use_id = 'u'): void {
	agents.observe(hookEvent('PreToolUse', { agent_id, agent_type, tool_name: 'Read', tool_use_id }));
}

function end(tool_use_id: string, tool_response: object, fields: Partial<HookEvent> = MAIN): void {
	const response = JSON.stringify(tool_response);
	agents.end(hookEvent('PostToolUse', { tool_name: 'Agent', tool_use_id, tool_response: response, ...fields }));
}

const resultOf = (tool_name: string, fields: Partial<HookEvent>) =>
	agents.sourcesOf(hookEvent('PostToolUse', { ...MAIN, tool_name, ...fields }));

describe('whose result it is', () => {
	test('of a call that starts an agent: that one, also where it fails, and with others of other types beside', () => {
		launch('u1', 'scanner');
		launch('u2', 'reader');
		see('r1', 'reader');
		see('s1', 'scanner');
		expect(resultOf('Agent', { tool_use_id: 'u1' })).toEqual(['s1']);
		expect(resultOf('Agent', { tool_use_id: 'u2' })).toEqual(['r1']);
		expect(resultOf('Agent', { tool_use_id: 'u3' })).toEqual([]);
	});

	test('of a call that fails, one of two that started the same kind: either of them, until the other one has answered', () => {
		launch('u1', 'scanner');
		launch('u2', 'scanner');
		see('s2', 'scanner');
		see('s1', 'scanner');
		expect(resultOf('Agent', { tool_use_id: 'u1' })).toEqual(['s2', 's1']);
		expect(resultOf('Agent', { tool_use_id: 'u2', tool_response: '{"agentId":"s2"}' })).toEqual(['s2']);
		end('u2', { agentId: 's2' });
		expect(resultOf('Agent', { tool_use_id: 'u1' })).toEqual(['s1']);
		expect(resultOf('Agent', { tool_use_id: 'u2' })).toEqual(['s2']);
	});

	test('of a call that named another one at first: that one, and none of the others is mistaken', () => {
		for (const id of ['1', '2', '3']) launch(`u${id}`, 'scanner');
		for (const id of ['1', '2', '3']) see(`s${id}`, 'scanner');
		end('u2', { agentId: 's1' });
		expect(resultOf('Agent', { tool_use_id: 'u1' })).toEqual(['s2', 's3']);
	});

	test('of a call that is over without an agent: none, whichever comes next', () => {
		launch('u1', 'scanner');
		end('u1', {});
		see('s1', 'scanner');
		expect(resultOf('Agent', { tool_use_id: 'u1' })).toEqual([]);
	});

	test('of no call that starts none, whatever it says', () => {
		launch('u1', '', { ...MAIN, tool_name: 'mcp__a__b', tool_input: '{"to":"s1"}' });
		end('u2', { agentId: 'x' }, { ...MAIN, tool_name: 'mcp__a__b' });
		end('u3', { agentId: 5 });
		launch('u4', 'scanner');
		see('r1', 'reader');
		expect([...agents.ids()]).toEqual(['r1']);
		expect(agents.get('r1')?.starter).toBeUndefined();
	});

	test('of an agent, and of those that it has started', () => {
		end('u1', { agentId: 'outer' });
		end('u2', { agentId: 'inner' }, { agent_id: 'outer', agent_type: 'x' });
		end('u3', { agentId: 'innermost' }, { agent_id: 'inner', agent_type: 'x' });
		expect(resultOf('TaskOutput', { tool_input: '{"task_id":"outer"}' })).toEqual(['outer', 'inner', 'innermost']);
		expect(resultOf('TaskOutput', { tool_input: '{"task_id":"inner"}' })).toEqual(['inner', 'innermost']);
		expect(resultOf('TaskOutput', { tool_input: '{"task_id":"b7"}' })).toEqual(['b7']);
	});

	test('of a skill: the agent that it runs, whatever its type', () => {
		launch('u1', '', { ...MAIN, tool_name: 'Skill', tool_input: '{"skill":"check"}' });
		see('s1', 'scanner');
		expect(resultOf('Skill', { tool_use_id: 'u1' })).toEqual(['s1']);
	});

	test('of a command in the background: the agent that started it', () => {
		see('s1', 'scanner', 'u7');
		expect(agents.sourcesOfNotifications([{ task: 'b1', toolUse: 'u7' }])).toEqual(['b1', 's1']);
		expect(agents.sourcesOfNotifications([{ task: 'b1', toolUse: 'u8' }])).toEqual(['b1']);
	});
});

describe('an agent of a command that the person typed', () => {
	const typed = () => agents.observe(hookEvent('UserPromptExpansion', { ...MAIN, prompt: 'check' }));

	test('is one that no call has started since there was such a command', () => {
		see('s0', 'scanner');
		expect(agents.isFromCommand('s0')).toBe(false);
		typed();
		see('s1', 'scanner');
		launch('u1', 'scanner');
		see('s2', 'scanner');
		expect(['', 's1', 's2'].map((id) => agents.isFromCommand(id))).toEqual([false, true, false]);
	});

	test('can come with a prompt, too', () => {
		agents.observe(hookEvent('UserPromptSubmit', { ...MAIN, prompt: '/check all' }));
		see('s1', 'scanner');
		expect(agents.isFromCommand('s1')).toBe(true);
	});

	test('is not that of a call of another agent, which no person refuses', () => {
		launch('u1', 'scanner', { agent_id: 'r1' });
		typed();
		see('s1', 'scanner');
		expect(agents.get('s1')?.starter).toBe('r1');
	});

	test('does not pass for the one of a call that the person has refused', () => {
		launch('u1', 'scanner');
		typed();
		see('s1', 'scanner');
		expect(agents.isFromCommand('s1')).toBe(true);
	});
});

test('an agent is known by its own name, however the call named it that started it', () => {
	launch('u1', 'Plugin_Scanner');
	see('s1', 'plugin:scanner');
	expect(agents.get('s1')).toMatchObject({ starter: '', type: 'plugin:scanner' });
	see('s1', '');
	expect(agents.get('s1')).toMatchObject({ type: 'plugin:scanner', isInBackground: false, hasStopped: false });
	end('u2', { agentId: 's2' });
	see('s2', 'plugin:scanner');
	expect(agents.get('s2')).toMatchObject({ starter: '', type: 'plugin:scanner' });
});

test('what a call says of the agent that it starts is kept, if it can be read', () => {
	const tool_input = JSON.stringify({ subagent_type: 'scanner', description: 'Look' });
	end('u1', { agentId: 's1' }, { ...MAIN, tool_input, session_id: 's', transcript_path: '/t.jsonl' });
	const of = { type: 'scanner', description: 'Look', session: 's', transcript: '/t.jsonl' };
	expect(agents.get('s1')).toMatchObject(of);
	launch('u2', '', { ...MAIN, tool_input: '{"subagent_type":5}' });
	see('s2', 'scanner');
	expect(agents.get('s2')?.starter).toBe('');
});

test('the main agent is none of them', () => {
	see('', '');
	see('s1', 'scanner');
	launch('u1', 'scanner', { agent_id: 's1' });
	see('s2', 'scanner');
	expect([...agents.all()].map(({ id }) => id)).toEqual(['s1', 's2']);
	launch('u2', 'reader');
	see('r1', 'reader');
	expect(agents.familyOf('')).toEqual(['']);
});

test('an agent that has answered goes on with its next call, and not before', () => {
	see('s1', 'scanner');
	const agent = agents.get('s1');
	if (agent !== undefined) agent.hasStopped = true;
	agents.observe(hookEvent('PostToolBatch', { agent_id: 's1', agent_type: 'scanner' }));
	expect(agent?.hasStopped).toBe(true);
	see('s1', 'scanner');
	expect(agent?.hasStopped).toBe(false);
});

test('a call that starts a workflow is remembered', () => {
	for (const tool_name of ['Read', 'Workflow']) {
		expect(agents.startsWorkflows).toBe(false);
		agents.observe(hookEvent('PreToolUse', { ...MAIN, tool_name }));
	}
	expect(agents.startsWorkflows).toBe(true);
});

test('an agent that was sent a message answers who sent it', () => {
	end('u1', { agentId: 's1' });
	expect(agents.get('s1')).toMatchObject({ starter: '', isInBackground: true });
	const tool_input = JSON.stringify({ to: 's1', message: 'x' });
	agents.launch(hookEvent('PreToolUse', { tool_name: 'SendMessage', tool_input, agent_id: 'r1' }));
	expect(agents.get('s1')).toMatchObject({ starter: 'r1' });
	agents.launch(hookEvent('PreToolUse', { ...MAIN, tool_name: 'SendMessage', tool_input: '{"to":"nobody"}' }));
	agents.launch(hookEvent('PreToolUse', { tool_name: 'mcp__mail__send', tool_input, agent_id: 'r2' }));
	expect(agents.get('s1')).toMatchObject({ starter: 'r1' });
});

test('the oldest of very many agents are forgotten', () => {
	for (let id = 0; id <= 1_000; id++) see(`s${id}`, 'scanner');
	expect([...agents.ids()]).toHaveLength(1_000);
	expect(agents.get('s0')).toBeUndefined();
});

test('what an agent has loaded is not forgotten, however many others come, and is one object for each version', () => {
	const caller = { session: 's1', type: 'scanner', transcript: '/p/s1.jsonl' };
	see('none', 'scanner');
	expect(agents.haveLoaded).toBe(false);
	const file = agents.load({ ...caller, agent: 'first' }, { path: '/c.md', text: 'x' });
	expect(agents.haveLoaded).toBe(true);
	agents.load({ ...caller, agent: 'first' }, { path: '/c.md', text: 'x' });
	expect(agents.get('first')?.files).toHaveLength(1);
	for (let id = 0; id <= 2_000; id++) see(`s${id}`, 'scanner');
	expect(agents.filesOf(['first'])).toEqual([file]);
	agents.load({ ...caller, agent: 'second' }, { path: '/c.md', text: 'x' });
	expect(agents.filesOf(['first', 'second', 's2000', 'unknown'])).toEqual([file]);
	agents.load({ ...caller, agent: '' }, { path: '/c.md', text: 'more' });
	agents.load({ ...caller, agent: '' }, { path: '/d.md', text: 'more' });
	expect(agents.filesOf(['', 'first'])).toHaveLength(3);
});

test('the main agent can have loaded, too', () => {
	agents.load({ type: 'scanner', session: 's1', transcript: '/t.jsonl', agent: '' }, { path: '/c.md', text: 'x' });
	expect(agents.haveLoaded).toBe(true);
});

test('of very many agents that have loaded, none takes the place of one that has not yet', () => {
	const of = { type: 'scanner', session: 's1', transcript: '/t.jsonl' };
	for (let id = 0; id <= 1_000; id++) agents.load({ agent: `l${id}`, ...of }, { path: '/k.md', text: 'x' });
	launch('u1', 'scanner');
	see('s1', 'scanner');
	for (let id = 1; id < 1_000; id++) see(`r${id}`, 'reader');
	expect([agents.get('s1')?.starter, agents.get('r1')?.id]).toEqual(['', 'r1']);
	see('r1000', 'reader');
	expect([agents.get('s1'), agents.get('r1')?.id, agents.get('l0')?.id]).toEqual([undefined, 'r1', 'l0']);
});

test('an agent can use very many tools, and is still the one whose answer its call gives', () => {
	launch('u1', 'scanner');
	for (let id = 0; id <= 10_000; id++) see('s1', 'scanner', `t${id}`);
	expect(resultOf('Agent', { tool_use_id: 'u1' })).toEqual(['s1']);
});

test('the notifications in a prompt: whose they are, and all that they say but for the path of the output', () => {
	const of = (task: string, use: string, result: string) =>
		`<task-notification>\n<task-id>${task}</task-id>\n<tool-use-id>${use}</tool-use-id>\n<output-file>/home/jo/x</output-file>\n<result>${result}</result>\n</task-notification>`;
	const { heads, text } = notificationsIn(
		`${of('a1', 'u1', 'first <output-file>y</output-file>')}\n${of('b2', 'u2', 'z')}`,
	);
	expect(heads).toEqual([
		{ task: 'a1', toolUse: 'u1' },
		{ task: 'b2', toolUse: 'u2' },
	]);
	expect(text).toMatch(/first <output-file>y.*z/s);
	expect(text).not.toContain('/home/jo');
	expect(notificationsIn('What is a task-notification?')).toEqual({ heads: [], text: '' });
});

describe('whether nobody can check what an agent answers', () => {
	const inBackground = (run_in_background: boolean, input?: object) => {
		const tool_input = JSON.stringify({ subagent_type: 'scanner', prompt: 'x', run_in_background });
		agents.launch(hookEvent('PreToolUse', { ...MAIN, tool_name: 'Agent', tool_use_id: 'u1', tool_input }), input);
		see('s1', 'scanner');
	};

	test('from its first call on, which can come before the word that it is in the background', () => {
		launch('u0', 'reader');
		inBackground(true);
		expect(agents.isUncheckable('s1', false)).toBe(true);
		expect(agents.isUncheckable('s1', true)).toBe(false);
	});

	test('for another agent no hook is asked', () => {
		end('u1', { agentId: 's1' }, { agent_id: 'r1', agent_type: 'reader' });
		expect(agents.isUncheckable('s1', true)).toBe(true);
		expect(agents.isUncheckable('unknown', false)).toBe(false);
	});

	test('not if the call was changed to the foreground', () => {
		inBackground(true, { subagent_type: 'scanner', run_in_background: false });
		expect(agents.isUncheckable('s1', false)).toBe(false);
	});

	test('of two, the one that the client names', () => {
		inBackground(true);
		launch('u2', 'scanner');
		see('s2', 'scanner');
		end('u1', { agentId: 's2' });
		expect([agents.isUncheckable('s1', false), agents.isUncheckable('s2', false)]).toEqual([false, true]);
	});
});

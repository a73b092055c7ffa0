import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { HookAnswer, HookEvent } from '../../../../server/claude-code/hooks.ts';
import { OWN_TOOLS } from '../../../../server/claude-code/tools.ts';
import { parseContextMap } from '../../../../server/context-map/parse.ts';
import { BrokerError } from '../../../../server/errors.ts';
import { EXECUTOR } from '../../../../server/policy/tool-isolation/delegate.ts';
import { createGuard, hookEvent, type MapInTest } from '../../../support/guard.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const CLAUDE_CODE = { name: 'claude-code', version: '2.1.332' };
const HOOK = { client: CLAUDE_CODE, toolUseId: undefined };
const MAP: MapInTest = {
	entries: new Map(),
	off: [],
	allowTools: [],
	isolation: [
		{ server: 'db', tools: ['query', 'export_*'], runByClient: true },
		{ server: 'own', tools: 'all', runByClient: false },
	],
};

const ORIGINS = {
	own__run: { server: 'own', tool: 'run', isListedLarge: true, isPrivate: false },
	own__secret: { server: 'own', tool: 'secret', isListedLarge: true, isPrivate: true },
	open__run: { server: 'open', tool: 'run', isListedLarge: false, isPrivate: false },
};

let setting: ReturnType<typeof createGuard>;
let folder: string;

beforeEach(async () => {
	setting = createGuard(MAP);
	setting.setting.origins = ORIGINS;
	folder = await temporaryFolder();
	await mkdir(join(folder, 's1', 'subagents'), { recursive: true });
});

/** An event of the main agent, if no other is named. */
const event = (name: string, fields: Partial<HookEvent>) =>
	hookEvent(name, { agent_id: '', agent_type: '', transcript_path: join(folder, 's1.jsonl'), ...fields });

const ask = async (name: string, fields: Partial<HookEvent>) => await setting.guard.answer(event(name, fields), HOOK);

const refusal = ({ hookSpecificOutput: output }: HookAnswer) =>
	output?.permissionDecision === 'deny' ? output.permissionDecisionReason : undefined;

/** What reading a map comes to that is no TOML. */
function faultOf(map: string): unknown {
	try {
		return parseContextMap(Buffer.from(map));
	} catch (error) {
		return error;
	}
}

/** The code of the refusal of a call; undefined where it may run. */
async function decide(tool_name: string, input: object = {}, fields: Partial<HookEvent> = {}) {
	const answer = await ask('PreToolUse', { tool_name, tool_use_id: 'u', tool_input: JSON.stringify(input), ...fields });
	return refusal(answer)?.split(':')[0];
}

const errand = (name: string, input: object = { sql: 'x' }) =>
	JSON.stringify({ server: 's', tool: 't', name, arguments: input });

/** The main agent starts an executor, which Claude Code then keeps under a description. @returns its events' fields */
async function executor(agent_id: string, name: string, toolUseId = `start ${agent_id}`) {
	const tool_input = JSON.stringify({ subagent_type: EXECUTOR, description: 'x', prompt: errand(name) });
	const answer = await ask('PreToolUse', { tool_name: 'Agent', tool_use_id: toolUseId, tool_input });
	const input = answer.hookSpecificOutput?.updatedInput as { description: string } | undefined;
	const meta = JSON.stringify({ description: input?.description });
	await writeFile(join(folder, 's1', 'subagents', `agent-${agent_id}.meta.json`), meta);
	return { agent_id, agent_type: EXECUTOR };
}

/** What the main agent is told when an executor has ended. */
async function ended(agentId: string, toolUseId = `start ${agentId}`, status = 'completed') {
	const tool_response = JSON.stringify({ status, agentId, content: [{ type: 'text', text: 'Done.' }] });
	const answer = await ask('PostToolUse', { tool_name: 'Agent', tool_use_id: toolUseId, tool_response });
	return answer.hookSpecificOutput?.additionalContext;
}

describe('resources of a server', () => {
	beforeEach(() => {
		const isolation = [...MAP.isolation, { server: 'plugin:notes:store', tools: 'all' as const, runByClient: true }];
		setting = createGuard({ ...MAP, isolation });
	});

	test.each([
		['the main agent, of an isolated server', 'ReadMcpResourceTool', 'plugin:notes:store', {}, 'isolated_tool'],
		['a folder of it', 'ReadMcpResourceDirTool', 'plugin:notes:store', {}, 'isolated_tool'],
		[
			'a main thread that is an agent',
			'ReadMcpResourceTool',
			'plugin:notes:store',
			{ agent_type: 'reader' },
			'isolated_tool',
		],
		['a subagent', 'ReadMcpResourceTool', 'plugin:notes:store', { agent_id: 'a1', agent_type: 'reader' }, undefined],
		['of a server of which some tools are isolated', 'ReadMcpResourceTool', 'db', {}, undefined],
		['of another server', 'ReadMcpResourceTool', 'docs', {}, undefined],
		['the list of all', 'ListMcpResourcesTool', 'plugin:notes:store', {}, undefined],
		['a call that names no server', 'ReadMcpResourceTool', undefined, {}, undefined],
	])('%s', async (_, tool, server, caller, code) => {
		expect(await decide(tool, { server, uri: 'notes://1' }, caller)).toBe(code);
	});
});

describe('the main agent', () => {
	test('is refused an isolated tool, with the whole input for the way on', async () => {
		const tool = { tool_name: 'mcp__db__query', tool_input: '{"sql":"select 1"}' };
		const text = refusal(await ask('PreToolUse', tool)) ?? '';
		expect(text).toMatch(/^isolated_tool: .* Call the Agent tool with exactly this input\./);
		expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({
			subagent_type: EXECUTOR,
			description: 'query of db',
			prompt: expect.stringMatching(
				/^\{"server":"db","tool":"query","name":"mcp__db__query","arguments":\{"sql":"select 1"\}\}\n/,
			),
		});
	});

	test.each([
		['mcp__db__query', 'isolated_tool'],
		['mcp__db__export_csv', 'isolated_tool'],
		['mcp__db__schema', undefined],
		['mcp__other__query', undefined],
		[`${OWN_TOOLS}own__run`, 'isolated_tool'],
		[`${OWN_TOOLS}open__run`, undefined],
		[`mcp__${'x'.repeat(OWN_TOOLS.length - 7)}__own__run`, undefined],
		['Bash', undefined],
	])('calls %s: %s', async (tool, code) => {
		expect(await decide(tool)).toBe(code);
	});

	test('so is one that was started as an agent', async () => {
		expect(await decide('mcp__db__query', {}, { agent_type: 'reader' })).toBe('isolated_tool');
		expect(await decide('mcp__db__query', {}, { agent_type: EXECUTOR })).toBe('isolated_tool');
	});

	test('so is one of which Claude Code leaves out what it is: its id can be that of another', async () => {
		expect(await decide('mcp__db__query', {}, { agent_id: 'a1' })).toBe('isolated_tool');
		expect(await decide('mcp__db__schema', {}, { agent_id: 'a1' })).toBeUndefined();
		await decide(`${OWN_TOOLS}open__run`, {}, { agent_id: 'a1', tool_use_id: 'u1' });
		const own = { name: 'own__run', origin: ORIGINS.own__run };
		const relay = setting.guard.permitRelay({ client: CLAUDE_CODE, toolUseId: 'u1' }, own, {}, '/project');
		await expect(relay).rejects.toMatchObject({ code: 'isolated_tool' });
		const one = await executor('a2', 'mcp__db__schema');
		expect(await decide('mcp__db__schema', {}, one)).toBeUndefined();
		for (const tool of ['mcp__db__schema', 'mcp__other__x', 'Bash']) {
			expect(await decide(tool, {}, { agent_id: 'a2' }), tool).toBe('not_delegated');
		}
	});

	test('what Claude Code says of the server counts', async () => {
		setting.setting.map = { ...MAP, isolation: [{ server: 'a', tools: 'all', runByClient: true }] };
		expect(await decide('mcp__a__b__c', {}, { mcp_server: '{"name":"a__b","source":"user"}' })).toBeUndefined();
		expect(await decide('mcp__a__b__c', {}, { mcp_server: '{"name":"a","source":"user"}' })).toBe('isolated_tool');
		expect(await decide('mcp__a__b__c', {}, { mcp_server: '' })).toBe('isolated_tool');
	});

	test('may call no tool of a server as long as nobody knows what the map isolates', async () => {
		setting.setting.failure = faultOf('[mcp_servers.x]\nisolated_tools = [');
		expect(await decide('mcp__other__x')).toBe('config_invalid');
		expect(await decide('mcp__other__x', {}, { agent_id: 'a1' })).toBe('config_invalid');
		expect(await decide('mcp__other__x', {}, { agent_id: 'a1', agent_type: 'reader' })).toBeUndefined();
		expect(await decide('Bash')).toBeUndefined();
		setting.setting.failure = undefined;
		expect(await decide('mcp__other__x')).toBeUndefined();
		setting.setting.failure = faultOf('[mcp_servers.x]\nisolated_tools = [');
		expect(await decide('mcp__other__x')).toBeUndefined();
		expect(await decide('mcp__db__query')).toBe('isolated_tool');
	});

	test('may call all while a map has a fault that tells of no isolation', async () => {
		setting.setting.failure = faultOf('[keys]\na = ');
		expect(await decide('mcp__other__x')).toBeUndefined();
	});

	test('without a map it may call all', async () => {
		setting.setting.failure = new BrokerError('config_missing');
		expect(await decide('mcp__db__query')).toBeUndefined();
	});

	test('a change of the map counts at once', async () => {
		setting.setting.map = { ...MAP, isolation: [] };
		expect(await decide('mcp__db__query')).toBeUndefined();
		setting.setting.map = MAP;
		expect(await decide('mcp__db__query')).toBe('isolated_tool');
	});
});

describe('a subagent', () => {
	test('may call an isolated tool', async () => {
		const agent = { agent_id: 'a1', agent_type: 'reader', tool_name: 'mcp__db__query', tool_use_id: 'u1' };
		expect(await decide('mcp__db__query', { b: 1, a: 2 }, agent)).toBeUndefined();
		expect(await ask('PostToolUse', { ...agent, tool_response: '[{"type":"text","text":"rows"}]' })).toEqual({});
	});

	test('also where nobody can tell of which server the tool is', async () => {
		const isolation = [
			{ server: 'a', tools: 'all' as const, runByClient: true },
			{ server: 'a__b', tools: [], runByClient: true },
		];
		setting.setting.map = { ...MAP, isolation };
		expect(await decide('mcp__a__b__c')).toBe('ambiguous_tool');
		const agent = { agent_id: 'a1', agent_type: 'reader' };
		expect(await decide('mcp__a__b__c', {}, agent)).toBeUndefined();
	});

	test('gets its results as they are, however long', async () => {
		const tool = { tool_name: 'mcp__db__query', tool_use_id: 'u1', agent_id: 'a1', agent_type: 'reader' };
		await decide('mcp__db__query', {}, tool);
		expect(await ask('PostToolUse', { ...tool, tool_response: 'x'.repeat(60_000) })).toEqual({});
	});
});

describe('an executor', () => {
	test('is started in the foreground, under a description of its own, with nothing else that was asked for', async () => {
		const input = { subagent_type: EXECUTOR, description: 'x', prompt: errand('mcp__db__query'), isolation: 'remote' };
		const more = { model: 'sonnet', name: 'jo', run_in_background: true };
		const tool_input = JSON.stringify({ ...input, ...more });
		const answer = await ask('PreToolUse', { tool_name: 'Agent', tool_use_id: 'u', tool_input });
		expect(answer.hookSpecificOutput?.updatedInput).toEqual({
			...{ subagent_type: EXECUTOR, description: 't of s (1)', prompt: errand('mcp__db__query') },
			...{ model: 'sonnet', run_in_background: false },
		});
	});

	test.each([
		['Run the query.', 'executor_prompt'],
		[errand(`${OWN_TOOLS}load_context`), 'executor_prompt'],
		[errand(`${OWN_TOOLS}run_shell_command`), 'executor_prompt'],
		[errand(`${OWN_TOOLS}gone__run`), 'executor_prompt'],
		[errand(`${OWN_TOOLS}own__run`), undefined],
		[errand('mcp__db__schema'), undefined],
	])('asked for %j: %s', async (prompt, code) => {
		expect(await decide('Agent', { subagent_type: EXECUTOR, prompt })).toBe(code);
	});

	test('runs the tool that it was started for, and no other', async () => {
		const one = await executor('a1', 'mcp__db__query');
		expect(await decide('mcp__db__export_csv', {}, one)).toBe('not_delegated');
		expect(await decide('mcp__db__query', {}, one)).toBeUndefined();
		expect(await decide('ToolSearch', {}, one)).toBeUndefined();
		for (const tool of ['Bash', 'Read', 'WebFetch', 'Agent', 'mcp__db__schema', `${OWN_TOOLS}own__run`]) {
			expect(await decide(tool, {}, one), tool).toBe('not_delegated');
		}
	});

	test('of two at once each is held to its own, also where it calls two tools in one turn', async () => {
		const [one, two] = [await executor('a1', 'mcp__db__query'), await executor('a2', 'mcp__db__schema')];
		const outcomes = await Promise.all([
			decide('mcp__db__schema', {}, { ...one, tool_use_id: '1' }),
			decide('mcp__db__query', {}, { ...one, tool_use_id: '2' }),
			decide('mcp__db__query', {}, { ...two, tool_use_id: '3' }),
			decide('mcp__db__schema', {}, { ...two, tool_use_id: '4' }),
		]);
		expect(outcomes).toEqual(['not_delegated', undefined, 'not_delegated', undefined]);
	});

	test('may call its tool twice in one turn', async () => {
		const one = await executor('a1', 'mcp__db__query');
		const calls = ['1', '2'].map(async (id) => await decide('mcp__db__query', {}, { ...one, tool_use_id: id }));
		expect(await Promise.all(calls)).toEqual([undefined, undefined]);
	});

	test('that nobody has started through the guard runs nothing', async () => {
		expect(await decide('mcp__db__query', {}, { agent_id: 'a9', agent_type: EXECUTOR })).toBe('not_delegated');
	});

	test('of which nothing is known runs what alone is waited for, and nothing if that can be one of two', async () => {
		for (const id of ['a1', 'a2']) await executor(id, 'mcp__db__query');
		const unknown = (agent_id: string) => decide('mcp__db__query', {}, { agent_id, agent_type: EXECUTOR });
		expect(await unknown('a8')).toBe('not_delegated');
		expect(await unknown('a1')).toBeUndefined();
		expect(await unknown('a8')).toBeUndefined();
		expect(await unknown('a9')).toBe('not_delegated');
	});

	test('that was refused is waited for by nobody: another one is held to its own', async () => {
		const start = (name: string) =>
			decide('Agent', { subagent_type: EXECUTOR, prompt: errand(name) }, { tool_use_id: `start ${name}` });
		const record = {
			session: 's1',
			agent: '',
			type: 'reader',
			transcript: join(folder, 's1.jsonl'),
			since: 0,
			isPrivate: true,
		};
		setting.loads.push(record);
		expect(await start('mcp__db__query')).toBe('do_not_quote');
		setting.loads.length = 0;
		expect(await start('mcp__db__export_all')).toBeUndefined();
		// Claude Code tells no description, so there must be one only that it can be.
		const unnamed = { agent_id: 'a9', agent_type: EXECUTOR };
		expect(await decide('mcp__db__export_all', { sql: 'x' }, unnamed)).toBeUndefined();
	});

	test('that holds private data is refused what leads outside, also where it was started for it', async () => {
		const one = await executor('a1', 'mcp__db__query');
		setting.loads.push({
			session: 's1',
			agent: 'a1',
			type: EXECUTOR,
			transcript: '/t.jsonl',
			since: 0,
			isPrivate: true,
		});
		expect(await decide('mcp__db__query', {}, one)).toBe('outward_tool');
	});

	test('takes no further message', async () => {
		const one = await executor('a1', 'mcp__db__query');
		await decide('mcp__db__query', {}, one);
		for (const to of ['a1', ' a1\n', 'A1']) {
			expect(await decide('SendMessage', { to, message: 'again' })).toBe('executor_done');
		}
		expect(await decide('SendMessage', { to: 'a2', message: 'again' })).toBeUndefined();
		// One of an earlier process.
		await writeFile(join(folder, 's1', 'subagents', 'agent-a3.meta.json'), JSON.stringify({ agentType: EXECUTOR }));
		expect(await decide('SendMessage', { to: 'a3', message: 'again' })).toBe('executor_done');
	});

	test('that has called a tool: the main agent is told what it gave', async () => {
		const one = await executor('a1', 'mcp__db__query');
		await decide('mcp__db__query', { sql: 'x' }, { ...one, tool_use_id: 'u1' });
		const response = {
			tool_name: 'mcp__db__query',
			tool_use_id: 'u1',
			tool_response: '[{"type":"text","text":"rows"}]',
		};
		await ask('PostToolUse', { ...response, ...one });
		const digests = [
			createHash('sha256').update('{"sql":"x"}').digest('hex'),
			createHash('sha256').update('rows').digest('hex'),
		];
		expect(await ended('a1')).toBe(
			`Context Broker, about agent a1 (t of s (1)): this is what it ran. Its answer is in its own words.\n- mcp__db__query with the arguments that you gave (SHA-256 ${digests[0]}): ok, result 4 bytes, SHA-256 ${digests[1]}`,
		);
	});

	test('that has called none: the main agent is told that too', async () => {
		await executor('a1', 'mcp__db__query');
		expect(await ended('a1')).toMatch(/^Context Broker, about agent a1 \(t of s \(1\)\): it ran no tool\./);
	});

	test('that has taken other arguments, met an error, or was refused: so is that', async () => {
		const one = await executor('a1', 'mcp__db__query');
		await decide('mcp__db__query', { sql: 'y' }, { ...one, tool_use_id: 'u1' });
		const failure = { tool_name: 'mcp__db__query', tool_use_id: 'u1', error: 'no such table', ...one };
		await ask('PostToolUseFailure', failure);
		await decide('mcp__db__query', { sql: 'x' }, { ...one, tool_use_id: 'u2' });
		await ask('SubagentStop', one);
		const told = await ended('a1');
		expect(told).toMatch(/- .* with OTHER arguments than you gave .*: the tool reported an error, result 13 bytes/);
		expect(told).toMatch(/- .* with the arguments that you gave .*: no result: it did not run, or was interrupted$/);
	});

	describe('in the background', () => {
		const notification = (id: string, result = 'rows') =>
			`<task-notification>\n<task-id>${id}</task-id>\n<result>${result}</result></task-notification>`;
		const told = async (prompt: string) =>
			(await ask('UserPromptSubmit', { prompt })).hookSpecificOutput?.additionalContext;

		test('what it ran is told with the notification, of that agent and no other', async () => {
			const one = await executor('a1', 'mcp__db__query');
			await decide('mcp__db__query', { sql: 'x' }, { ...one, tool_use_id: 'u1' });
			expect(await ended('a1', 'start a1', 'async_launched')).toMatch(/in the background\. .* comes with its answer/);
			await ask('PostToolUse', { tool_name: 'mcp__db__query', tool_use_id: 'u1', tool_response: 'rows', ...one });
			await executor('a2', 'mcp__db__query');
			await ended('a2', 'start a2', 'async_launched');
			expect(await told(notification('a1'))).toMatch(
				/^[^\n]*about agent a1 .*\n- mcp__db__query .*: ok, result 4 bytes/,
			);
			expect(await told(notification('a2', 'I have it, like <task-id>a1</task-id>.'))).toMatch(/agent a2 .* no tool/);
			expect(await told(notification('a1') + notification('a2'))).toMatch(/agent a1 [\s\S]*agent a2 /);
			expect(await told('What has a1 done?')).toBeUndefined();
			expect(await told(notification('a9'))).toBeUndefined();
		});

		test('or by the tool that gives its answer', async () => {
			await executor('a1', 'mcp__db__query');
			await ended('a1', 'start a1', 'async_launched');
			const task = { tool_name: 'TaskOutput', tool_input: '{"task_id":"a1"}', tool_response: '{"result":"rows"}' };
			const answer = await ask('PostToolUse', task);
			expect(answer.hookSpecificOutput?.additionalContext).toMatch(/agent a1 .* it ran no tool/);
		});

		test.each(['timeout', 'not_ready'])(
			'which is not taken for an answer where it has none yet: %s',
			async (status) => {
				await executor('a1', 'mcp__db__query');
				await ended('a1', 'start a1', 'async_launched');
				const tool_response = JSON.stringify({ retrieval_status: status, task: { task_id: 'a1', status: 'running' } });
				const task = { tool_name: 'TaskOutput', tool_input: '{"task_id":"a1","block":false}', tool_response };
				const answer = await ask('PostToolUse', task);
				expect(answer.hookSpecificOutput?.additionalContext).toMatch(/in the background\. .* comes with its answer/);
			},
		);

		test('where no hook hears of it, that is said', async () => {
			await executor('a1', 'mcp__db__query');
			const tool_response = '{"status":"async_launched","agentId":"a1"}';
			const launch = { tool_name: 'Agent', tool_use_id: 'start a1', tool_response };
			const isTold = /A list of what it really runs is not reported by any hook\.$/;
			const nested = await ask('PostToolUse', { ...launch, agent_id: 'a7' });
			expect(nested.hookSpecificOutput?.additionalContext).toMatch(isTold);
			const old = { client: { name: 'claude-code', version: '2.1.126' }, toolUseId: undefined };
			const answer = await setting.guard.answer(event('PostToolUse', launch), old);
			expect(answer.hookSpecificOutput?.additionalContext).toMatch(isTold);
		});
	});

	test('that the broker itself refused has run nothing', async () => {
		const one = await executor('a1', `${OWN_TOOLS}own__run`);
		await decide(`${OWN_TOOLS}own__run`, { sql: 'x' }, { ...one, tool_use_id: 'u1' });
		for (const toolUseId of ['u1', 'u2', undefined]) setting.guard.noteFailed({ client: CLAUDE_CODE, toolUseId });
		const failure = { tool_name: `${OWN_TOOLS}own__run`, tool_use_id: 'u1', error: 'upstream_unavailable: …', ...one };
		await ask('PostToolUseFailure', failure);
		expect(await ended('a1')).toMatch(/: no result: it did not run, or was interrupted$/);
	});

	test('that has got private data, or an error that was cut: no digest is kept', async () => {
		const secret = await executor('a1', `${OWN_TOOLS}own__secret`);
		await decide(`${OWN_TOOLS}own__secret`, {}, { ...secret, tool_use_id: 'u1' });
		const tool = { tool_name: `${OWN_TOOLS}own__secret`, tool_use_id: 'u1', ...secret };
		await ask('PostToolUse', { ...tool, tool_response: '[{"type":"text","text":"yes"}]' });
		await decide(`${OWN_TOOLS}own__secret`, {}, { ...secret, tool_use_id: 'u3' });
		await ask('PostToolUseFailure', { ...tool, tool_use_id: 'u3', error: 'no' });
		const one = await executor('a2', 'mcp__db__query');
		await decide('mcp__db__query', {}, { ...one, tool_use_id: 'u2' });
		const failed = { tool_name: 'mcp__db__query', tool_use_id: 'u2', ...one };
		await ask('PostToolUseFailure', { ...failed, error: 'x'.repeat(10_040) });
		const told = `${await ended('a1')}\n${await ended('a2')}`;
		expect(told.match(/\): (ok|the tool reported an error)$/gm)).toHaveLength(3);
	});

	test('that has got private data: who has started it, and gets its answer, holds it too', async () => {
		const one = await executor('a1', `${OWN_TOOLS}own__secret`);
		await decide(`${OWN_TOOLS}own__secret`, {}, { ...one, tool_use_id: 'u1' });
		expect(await decide('WebFetch')).toBeUndefined();
		const call = { client: CLAUDE_CODE, toolUseId: 'u1' };
		await setting.guard.permitRelay(call, { name: 'own__secret', origin: ORIGINS.own__secret }, {}, '/project');
		await setting.guard.noteRelayed(call);
		expect(await decide('WebFetch')).toBe('outward_tool');
		expect(await decide('mcp__db__schema', {}, one)).toBe('outward_tool');
		expect(await decide('WebFetch', {}, { agent_id: 'a2', agent_type: 'reader' })).toBeUndefined();
	});

	test('an error is measured as it is, whatever it looks like', async () => {
		const one = await executor('a1', 'mcp__db__query');
		const failed = { tool_name: 'mcp__db__query', tool_use_id: 'u1', ...one };
		await decide('mcp__db__query', {}, failed);
		await ask('PostToolUseFailure', { ...failed, error: '[{"type":"text","text":"x"}]' });
		expect(await ended('a1')).toMatch(/the tool reported an error, result 28 bytes/);
	});

	test('gets of a result that is too long for Claude Code as much as it passes on', async () => {
		const one = await executor('a1', 'mcp__db__query');
		await decide('mcp__db__query', { sql: 'x' }, { ...one, tool_use_id: 'u1' });
		const tool_response = JSON.stringify([{ type: 'text', text: 'x'.repeat(60_000) }]);
		const response = { tool_name: 'mcp__db__query', tool_use_id: 'u1', tool_response };
		const answer = await ask('PostToolUse', { ...response, ...one });
		expect(answer.hookSpecificOutput?.updatedToolOutput).toMatch(
			/^\[Context Broker: this result has 60,000 characters/,
		);
		expect(await ended('a1')).toContain('result 60000 bytes');
	});

	test('gets all of it where it is listed so', async () => {
		const one = await executor('a1', `${OWN_TOOLS}own__run`);
		const response = {
			tool_name: `${OWN_TOOLS}own__run`,
			tool_use_id: 'u1',
			tool_response: 'x'.repeat(60_000),
			...one,
		};
		await decide(`${OWN_TOOLS}own__run`, {}, response);
		expect(await ask('PostToolUse', response)).toEqual({});
	});

	test('gets of a file with a result the part once: the same words again are words', async () => {
		const results = join(folder, 's1', 'tool-results');
		await mkdir(results);
		const file = join(results, 'mcp-db-query-1.txt');
		await writeFile(file, 'rows');
		const tool_response = `Error: result (4 characters) exceeds maximum allowed tokens. Output has been saved to ${file}.\nFormat: Plain text`;
		const one = await executor('a1', 'mcp__db__query');
		for (const tool_use_id of ['u1', 'u2']) {
			await decide('mcp__db__query', {}, { ...one, tool_use_id });
			await ask('PostToolUse', { tool_name: 'mcp__db__query', tool_use_id, tool_response, ...one });
		}
		const sizes = [...((await ended('a1')) ?? '').matchAll(/result (\d+) bytes/g)].map(([, size]) => Number(size));
		expect(sizes).toEqual([4, tool_response.length]);
	});
});

describe('a call that passes through the broker', () => {
	const permit = async (toolUseId: string | undefined, name: keyof typeof ORIGINS = 'own__run', client = CLAUDE_CODE) =>
		await setting.guard.permitRelay({ client, toolUseId }, { name, origin: ORIGINS[name] }, {}, '/project');
	const isolated = { code: 'isolated_tool' };

	test('of an isolated tool needs a hook that says that a subagent calls', async () => {
		await expect(permit('u1')).rejects.toMatchObject(isolated);
		await expect(permit(undefined)).rejects.toMatchObject(isolated);
		await decide(`${OWN_TOOLS}own__run`, {}, { tool_use_id: 'u1' });
		await expect(permit('u1')).rejects.toMatchObject(isolated);
		await decide(`${OWN_TOOLS}own__run`, {}, { tool_use_id: 'u1', agent_id: 'a1', agent_type: 'reader' });
		await permit('u1');
		await expect(permit('u1')).rejects.toMatchObject(isolated);
	});

	test('of another tool needs none', async () => {
		await permit('u1', 'open__run');
	});

	test('runs for an executor that was started for it only', async () => {
		const one = await executor('a1', `${OWN_TOOLS}own__run`);
		await decide(`${OWN_TOOLS}own__run`, {}, { ...one, tool_use_id: 'u1' });
		await permit('u1');
		await decide(`${OWN_TOOLS}own__run`, {}, { ...one, tool_use_id: 'u2' });
		await expect(permit('u2', 'own__secret')).rejects.toMatchObject({ code: 'not_delegated' });
	});

	test('in another client nobody can tell who calls', async () => {
		await expect(permit(undefined, 'own__run', { name: 'other', version: '1' })).rejects.toMatchObject(isolated);
	});
});

test('names in the map that no tool has are told, once', async () => {
	const tools = { attachment: { type: 'deferred_tools_delta', addedNames: ['mcp__db__query'] } };
	await writeFile(join(folder, 's1.jsonl'), `${JSON.stringify(tools)}\n`);
	await decide('mcp__other__x');
	await decide('mcp__db__query');
	expect(setting.warnings).toEqual([
		expect.stringMatching(/isolated_tools names "export_\*", which is not one of its tools/),
	]);
});

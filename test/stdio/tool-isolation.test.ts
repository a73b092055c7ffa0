import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { OWN_TOOLS } from '../../server/claude-code/tools.ts';
import { EXECUTOR } from '../../server/policy/tool-isolation/delegate.ts';
import { errorCodeOf, initializeAs } from '../support/broker.ts';
import { callTool, createRecording, outcome, startBrokerWith, stdio } from '../support/servers.ts';
import { type ShellBroker, startShellBroker } from '../support/shell.ts';

const CLAUDE_CODE = initializeAs('claude-code', '2.1.332');
const READER = { agent_id: 'a1', agent_type: 'reader' };

/** Claude Code asks before a call, which then comes, or not. @returns the outcome of the call, or the code of the refusal */
async function callAs(broker: ShellBroker, agent: object, tool: string, input: object = {}) {
	const id = randomUUID();
	const event = { hook_event_name: 'PreToolUse', session_id: 's1', tool_name: `${OWN_TOOLS}${tool}`, tool_use_id: id };
	const asked = await callTool(broker, 'guard', { ...event, tool_input: JSON.stringify(input), ...agent });
	const [{ text = '' } = {}] = (asked.result?.content ?? []) as { text?: string }[];
	const { permissionDecision, permissionDecisionReason = '' } = JSON.parse(text).hookSpecificOutput ?? {};
	if (permissionDecision === 'deny') return permissionDecisionReason.split(':')[0];
	const { result } = await callTool(broker, tool, input, { 'claudecode/toolUseId': id });
	const error = errorCodeOf(result);
	return error ?? (result?.content as { text: string }[] | undefined)?.[0]?.text;
}

async function isolating(fields: string, env: Record<string, string> = {}) {
	const [open, isolated] = [await createRecording(), await createRecording()];
	const broker = await startBrokerWith({ s: stdio(open, isolated) + fields }, ['s'], env, CLAUDE_CODE);
	return { open, isolated, broker };
}

describe('an isolated tool of a server behind the broker', () => {
	test('is refused to the main agent, by the hook and by the broker, and runs for a subagent', async () => {
		const { open, broker } = await isolating('isolated_tools = ["echo"]\n');
		expect(await callAs(broker, {}, 's__echo', { a: 1 })).toBe('isolated_tool');
		expect(await callAs(broker, READER, 's__echo', { a: 1 })).toBe('{"a":1}');
		expect(await callAs(broker, {}, 's__big', { size: 3 })).toBe('xxx');
		expect(await open.calls()).toBe(2);
	});

	test('fails closed where no hook asks, or another client calls', async () => {
		const { open, broker } = await isolating('isolated = true\n');
		expect(await outcome(broker, 's__echo')).toBe('isolated_tool');
		const { result } = await callTool(broker, 's__echo', {}, { 'claudecode/toolUseId': 'made up' });
		expect(result).toMatchObject({ isError: true, _meta: { 'context-broker/error': { code: 'isolated_tool' } } });
		const other = await startBrokerWith({ s: `${stdio(open)}isolated = true\n` });
		expect(await outcome(other, 's__echo')).toBe('isolated_tool');
		expect(await open.calls()).toBe(0);
	});

	test('goes to the isolated instance in a session that holds private data', async () => {
		const { open, isolated, broker } = await isolating('isolated = true\nprivate_tools = ["secret"]\n');
		expect(await callAs(broker, READER, 's__echo')).toBe('{}');
		expect(await callAs(broker, READER, 's__secret')).toBe('the secret');
		expect(await callAs(broker, READER, 's__echo')).toBe('{}');
		expect([await open.calls(), await isolated.calls()]).toEqual([2, 1]);
	});

	test('makes who has an executor call it a holder of what is private in its result', async () => {
		const { broker } = await isolating('isolated = true\nprivate_tools = ["secret"]\n');
		// It stays so, also for the other tests.
		const session_id = randomUUID();
		const name = `${OWN_TOOLS}s__secret`;
		const prompt = JSON.stringify({ server: 's', tool: 'secret', name, arguments: {} });
		const ask = async (tool_name: string, input: object) => {
			const event = { hook_event_name: 'PreToolUse', session_id, tool_name, tool_use_id: randomUUID() };
			const asked = await callTool(broker, 'guard', { ...event, tool_input: JSON.stringify(input) });
			return JSON.stringify(asked.result?.content);
		};
		expect(await ask('Agent', { subagent_type: EXECUTOR, prompt })).toMatch(/updatedInput/);
		expect(await ask('WebFetch', {})).not.toMatch(/deny/);
		expect(await callAs(broker, { agent_id: 'a1', agent_type: EXECUTOR }, 's__secret')).toBe('the secret');
		expect(await ask('WebFetch', {})).toMatch(/outward_tool/);
	});

	test('that is hidden stays hidden', async () => {
		const hidden = { CONTEXT_BROKER_DISABLED_TOOLS: 's__echo' };
		const { open, broker } = await isolating('isolated = true\n', hidden);
		const { error } = await callTool(broker, 's__echo', {}, { 'claudecode/toolUseId': 'x' });
		expect(error).toMatchObject({ code: -32602 });
		expect(await open.calls()).toBe(0);
	});

	test('is listed with room for a large result, and others as the server lists them', async () => {
		const { broker } = await isolating('isolated_tools = ["echo"]\n');
		const { result } = await broker.ask('tools/list', {});
		const tools = result?.tools as { name: string; _meta?: object }[];
		const metaOf = (name: string) => tools.find((tool) => tool.name === name)?._meta;
		expect(metaOf('s__echo')).toMatchObject({ 'anthropic/maxResultSizeChars': 500_000 });
		expect(metaOf('s__big')).not.toHaveProperty('anthropic/maxResultSizeChars');
	});
});

test('names in the map that no tool of a server has are told', async () => {
	const { broker } = await isolating('isolated_tools = ["ecko", "e*"]\nprivate_tools = ["secrets"]\n');
	const { errors } = await broker.finish();
	expect(errors.match(/^context-broker: \[mcp_servers.*$/gm)).toEqual([
		'context-broker: [mcp_servers.s]: isolated_tools names "ecko", which is not one of its tools; the nearest is "echo".',
		'context-broker: [mcp_servers.s]: private_tools names "secrets", which is not one of its tools; the nearest is "secret".',
	]);
});

test('a server that Claude Code runs is isolated by a table alone', async () => {
	const map = '[mcp_servers."plugin:x:y"]\nisolated_tools = ["z"]\n';
	const broker = await startShellBroker({ map, initialize: CLAUDE_CODE });
	const ask = async (tool_name: string) => {
		const event = { hook_event_name: 'PreToolUse', session_id: 's1', tool_name, tool_use_id: 'u', tool_input: '{}' };
		return JSON.stringify((await callTool(broker, 'guard', event)).result?.content);
	};
	expect(await ask('mcp__plugin_x_y__z')).toMatch(/isolated_tool: .*context-broker:mcp-executor/);
	expect(await ask('mcp__plugin_x_y__z2')).not.toMatch(/deny/);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OWN_SERVER } from '../../../server/claude-code/tool-names.ts';
import { LOAD_CONTEXT, OWN_TOOLS, RUN_SHELL_COMMAND } from '../../../server/claude-code/tools.ts';
import { isEgress } from '../../../server/policy/call-facts.ts';
import { createGuard, hookEvent } from '../../support/guard.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('a tool leads outside', () => {
	test.each<[string, readonly string[], boolean]>([
		['WebFetch', [], true],
		['WebSearch', [], true],
		['mcp__docs__search', [], true],
		['mcp__plugin_other_server__tool', [], true],
		['mcp__plugin_context-broker_broker_evil__tool', [], true],
		['Read', [], false],
		['Bash', [], false],
		['Webfetch', [], false],
		['WebFetch', ['WebFetch'], false],
		['WebFetch', ['Web*'], false],
		['WebFetch', ['*'], false],
		['WebFetch', ['webfetch', 'WebFetc', 'WebFetch2', ''], true],
		['mcp__docs__search', ['mcp__docs__*'], false],
		['mcp__docs_evil__search', ['mcp__docs__*'], true],
	])('%s, allowed %j: %j', (tool, allowed, outward) => {
		expect(isEgress({ tool, input: {}, isOwn: false }, allowed)).toBe(outward);
	});

	test('an agent that is to run elsewhere does, one that is to run here does not', () => {
		for (const tool of ['Agent', 'Task']) {
			expect(isEgress({ tool, input: { isolation: 'remote' }, isOwn: false }, [])).toBe(true);
			expect(isEgress({ tool, input: { isolation: 'worktree' }, isOwn: false }, [])).toBe(false);
		}
		expect(isEgress({ tool: 'Read', input: { isolation: 'remote' }, isOwn: false }, [])).toBe(false);
	});

	test('a tool of the broker does not', () => {
		expect(isEgress({ tool: LOAD_CONTEXT, input: {}, isOwn: true }, [])).toBe(false);
	});
});

describe('an agent that holds private data', () => {
	const HOOK = { client: { name: 'claude-code', version: '2.1.332' }, toolUseId: undefined };
	const MAP = {
		entries: new Map(),
		off: ['quoting', 'background', 'resuming', 'files'] as const,
		allowTools: ['mcp__ok__*'],
		isolation: [],
	};
	const RECORD = { session: 's1', agent: 'a1', type: 'reader', transcript: '/t.jsonl', since: 0, isPrivate: true };

	/** The code of the refusal, or none. */
	async function outcome(fields: object, record: object = {}): Promise<string> {
		const { guard, loads, setting } = createGuard(MAP);
		setting.origins.s__echo = { server: 's', tool: 'echo', isListedLarge: false, isPrivate: false };
		loads.push({ ...RECORD, ...record });
		const event = hookEvent('PreToolUse', {
			tool_name: 'WebFetch',
			tool_input: '{"url":"https://example.org"}',
			...fields,
		});
		const { hookSpecificOutput } = await guard.answer(event, HOOK);
		return hookSpecificOutput?.permissionDecisionReason?.split(':')[0] ?? 'none';
	}

	test('is refused a tool that leads outside, whatever protections are off', async () => {
		expect(await outcome({})).toBe('outward_tool');
		expect(await outcome({ tool_name: 'mcp__docs__search' })).toBe('outward_tool');
	});

	test.each<[string, string, string]>([
		[LOAD_CONTEXT, '', 'caller_unverified'],
		[RUN_SHELL_COMMAND, '', 'none'],
		[`${OWN_TOOLS}s__echo`, '', 'none'],
		[`${OWN_TOOLS}s__echo`, OWN_SERVER, 'none'],
		[`${OWN_TOOLS}s__echo`, 'plugin_context-broker_broker', 'none'],
		[`${OWN_TOOLS}late__echo`, OWN_SERVER, 'none'],
		[`${OWN_TOOLS}x__echo`, '', 'outward_tool'],
		[`${OWN_TOOLS}x__echo`, 'plugin_context-broker_broker__x', 'outward_tool'],
		[`${OWN_TOOLS}s__echo`, 'plugin_context-broker_broker__s', 'outward_tool'],
		[`${OWN_TOOLS}x__echo`, 'plugin_context-broker_broker', 'outward_tool'],
	])(
		"is let use what is the broker's own, not what is only named so: %s of %j: %s",
		async (tool_name, server, code) => {
			const mcp_server = server === '' ? '' : JSON.stringify({ name: server });
			expect(await outcome({ tool_name, mcp_server, tool_input: '{}' })).toBe(code);
		},
	);

	test('also where an earlier process served it', async () => {
		expect(await outcome({ session_id: 's2' })).toBe('outward_tool');
	});

	test('also where it is the main agent, in its own session', async () => {
		expect(await outcome({ agent_id: '' }, { agent: '' })).toBe('outward_tool');
		expect(await outcome({ agent_id: '', session_id: 's2' }, { agent: '' })).toBe('none');
	});

	test('is let use what the user allows', async () => {
		expect(await outcome({ tool_name: 'mcp__ok__fetch' })).toBe('none');
	});

	test('is another one than the main agent, and than other agents', async () => {
		expect(await outcome({ agent_id: '' })).toBe('none');
		expect(await outcome({ agent_id: 'a2' })).toBe('none');
	});

	test('is one also where its record can not be read', async () => {
		const { guard, setting } = createGuard(MAP);
		setting.isUnreadable = true;
		const event = hookEvent('PreToolUse', { tool_name: 'WebFetch', tool_input: '{}' });
		expect(JSON.stringify(await guard.answer(event, HOOK))).toContain('outward_tool');
	});

	test('starts no fork of itself, in whatever spelling, and no agent elsewhere', async () => {
		const starting = async (input: object, fields: object = {}, record: object = {}) =>
			await outcome({ tool_name: 'Agent', tool_input: JSON.stringify(input), ...fields }, record);
		for (const subagent_type of ['fork', 'Fork', ' fork', 'f-o_rk']) {
			expect(await starting({ subagent_type }), subagent_type).toBe('do_not_fork');
		}
		expect(await starting({ subagent_type: 'fork' }, { tool_name: 'Task' })).toBe('do_not_fork');
		// What is not private data is kept from others all the same.
		expect(await starting({ subagent_type: 'fork' }, {}, { isPrivate: false })).toBe('do_not_fork');
		expect(await starting({ subagent_type: 'fork' }, { agent_id: '' }, { agent: '' })).toBe('do_not_fork');
		expect(await starting({ subagent_type: 'fork' }, { agent_id: 'a2' })).toBe('none');
		expect(await starting({ subagent_type: 'fork' }, { agent_id: '', agent_type: '' })).toBe('none');
		expect(await starting({ subagent_type: 'general-purpose' })).toBe('none');
		expect(await starting({})).toBe('none');
		expect(await starting({ subagent_type: 'general-purpose', isolation: 'remote' })).toBe('outward_tool');
		expect(await starting({ isolation: 'remote' }, { agent_id: '', agent_type: '' })).toBe('none');
	});

	test('is a fork of a main agent that does', async () => {
		const fork = { agent_id: 'a2', agent_type: 'fork' };
		expect(await outcome(fork, { agent: '' })).toBe('outward_tool');
		expect(await outcome({ ...fork, agent_type: 'other' }, { agent: '' })).toBe('none');
		expect(await outcome({ ...fork, session_id: 's2' }, { agent: '' })).toBe('none');
		expect(await outcome(fork)).toBe('none');
	});

	test('is also the main agent of a copy of a session in which it does', async () => {
		const folder = await temporaryFolder();
		const entry = '{"uuid":"6d02c1c4-85aa-4b17-ae98-b64a5a679cde"}';
		const transcripts = { s1: entry, copy: entry, other: entry.replaceAll('6', '7'), open: entry };
		for (const [name, text] of Object.entries(transcripts)) await writeFile(join(folder, `${name}.jsonl`), text);
		const main = { agent_id: '', agent_type: '' };
		const of = (session: string) => ({ session_id: session, transcript_path: join(folder, `${session}.jsonl`) });
		const record = { agent: '' };
		expect(await outcome({ ...main, ...of('copy') }, record)).toBe('outward_tool');
		expect(await outcome({ ...of('copy'), agent_type: 'fork' }, record)).toBe('outward_tool');
		expect(await outcome({ ...of('copy'), agent_id: 'a2' }, record)).toBe('none');
		expect(await outcome({ ...main, ...of('other') }, record)).toBe('none');
		expect(await outcome({ ...main, ...of('missing') }, record)).toBe('none');
		// Of which only an agent does.
		expect(await outcome({ ...main, ...of('copy') })).toBe('none');
	});

	test('stays one when its record is gone, in whatever process and session', async () => {
		const first = createGuard(MAP);
		const fetch = hookEvent('PreToolUse', { tool_name: 'WebFetch', tool_input: '{}' });
		await first.guard.answer(fetch, HOOK);
		const caller = { session: 's1', agent: 'a1', type: 'reader', transcript: '/t.jsonl' };
		await first.guard.note({ key: 'k', caller }, '/private/k.md', 'text', true);
		const second = createGuard(MAP);
		for (const name of first.marked) second.marked.add(name);
		const asked = async (fields: object) => JSON.stringify(await second.guard.answer({ ...fetch, ...fields }, HOOK));
		expect(await asked({})).toContain('outward_tool');
		expect(await asked({ session_id: 's2' })).toContain('outward_tool');
		expect(await asked({ agent_id: 'a2' })).toBe('{}');
		expect(await asked({ agent_id: '', agent_type: '' })).toBe('{}');
	});

	test('is none by what is not private', async () => {
		expect(await outcome({}, { isPrivate: false })).toBe('none');
	});
});

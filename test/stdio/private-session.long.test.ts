import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { OWN_TOOLS, RUN_SHELL_COMMAND } from '../../server/claude-code/tools.ts';
import { sha256 } from '../../server/text/digest.ts';
import {
	callRequest,
	errorCodeOf,
	guardRequest,
	initializeAs,
	loadRequest,
	type RawBroker,
	startBroker,
} from '../support/broker.ts';
import { createRecording, SERVER } from '../support/servers.ts';
import { createUser, type User } from '../support/user.ts';

const TEXT = '# Catalog\n- Jane Example\n';

/** A user with the keys `k`, which is private, and `open`, which is not; with a data folder of its own. */
async function createUserWithKeys(): Promise<{ user: User; data: string; state: string }> {
	const user = await createUser();
	await user.write('k.md', TEXT);
	await user.writeMap('[keys]\nk = "k.md"\n[keys.open]\npath = "k.md"\nprivate = false\n');
	const data = join(user.home, 'data');
	await mkdir(data);
	await symlink(join(inject('preparedData'), 'builds'), join(data, 'builds'));
	return { user, data, state: join(data, 'record') };
}

/** A broker of Claude Code in a session that its events, or its environment, name. */
async function start(user: User, data: string, env: Record<string, string> = {}): Promise<RawBroker> {
	const shown = { CONTEXT_BROKER_ENABLED_TOOLS: 'all', CLAUDE_PROJECT_DIR: user.home, CLAUDE_PLUGIN_DATA: data };
	const broker = startBroker(user.home, { ...shown, ...env });
	broker.send(initializeAs('claude-code', '2.1.332'));
	await broker.answer();
	return broker;
}

async function load(broker: RawBroker, key: string, session_id: string): Promise<unknown> {
	broker.send(guardRequest('g', 'toolu_1', key, { session_id }));
	await broker.answer();
	broker.send(loadRequest('l', key, 'toolu_1'));
	return (await broker.answer()).result;
}

/** Whether a command has a network. @param session_id as the hook before the call names it; undefined where there is none */
async function hasNetwork(broker: RawBroker, session_id?: string): Promise<boolean> {
	if (session_id !== undefined) {
		const call = { tool_name: RUN_SHELL_COMMAND, tool_use_id: 'toolu_2', tool_input: '{"command":"echo hi"}' };
		const event = { hook_event_name: 'PreToolUse', session_id, ...call };
		let answer: string;
		do {
			broker.send(callRequest('e', 'guard', event));
			answer = JSON.stringify((await broker.answer()).result);
			// A disk that stands still for two seconds: the model would call again.
		} while (answer.includes('check_timeout'));
		expect(answer).toContain('"text":"{}"');
	}
	broker.send(callRequest('c', 'run_shell_command', { command: 'echo hi' }, 'toolu_2'));
	const { result } = await broker.answer();
	// Where this account may not take it away, the command does not run.
	if (errorCodeOf(result) === 'network_isolation_unavailable') return false;
	expect(result).toMatchObject({ structuredContent: { output: 'hi\n' } });
	expect(result).toHaveProperty('structuredContent.network_isolated');
	return JSON.stringify(result).includes('"network_isolated":false');
}

/** How many lines the record has. */
async function linesIn(folder: string): Promise<number> {
	return (await readFile(join(folder, 'record.ndjson'), 'utf8')).split('\n').filter(Boolean).length;
}

const DELIVERED = { content: [{ text: TEXT }] };

test('a session that has got private context stays without a network, in whatever process', async () => {
	const { user, data, state } = await createUserWithKeys();
	const first = await start(user, data);
	expect(await hasNetwork(first, 's1')).toBe(true);
	expect(await load(first, 'k', 's1')).toMatchObject(DELIVERED);
	expect(await linesIn(state)).toBe(1);
	expect(await hasNetwork(first, 's1')).toBe(false);
	// The person starts over in it.
	expect(await hasNetwork(first, 's2')).toBe(false);
	expect(await linesIn(state)).toBe(2);
	first.process.kill('SIGKILL');

	expect(await hasNetwork(await start(user, data), 's1')).toBe(false);
	expect(await hasNetwork(await start(user, data), 's2')).toBe(false);
	expect(await hasNetwork(await start(user, data), 's3')).toBe(true);
	expect(await hasNetwork(await start(user, data, { CLAUDE_CODE_SESSION_ID: 's4' }), 's3')).toBe(true);
	expect(await hasNetwork(await start(user, data, { CLAUDE_CODE_SESSION_ID: 's1' }), 's3')).toBe(false);
	// No hook says which session it is; the environment names another one where a session is continued.
	expect(await hasNetwork(await start(user, data))).toBe(false);
	expect(await hasNetwork(await start(user, data, { CLAUDE_CODE_SESSION_ID: 's5' }))).toBe(false);
});

test('what one process of a session gives out takes the network from another', async () => {
	const { user, data } = await createUserWithKeys();
	const [first, second] = await Promise.all([start(user, data), start(user, data)]);
	expect(await hasNetwork(second, 's1')).toBe(true);
	expect(await load(first, 'k', 's1')).toMatchObject(DELIVERED);
	expect(await hasNetwork(second, 's1')).toBe(false);
});

test('also a call that waits for its server in the meantime', async () => {
	const { user, data } = await createUserWithKeys();
	const [open, isolated] = [await createRecording(), await createRecording()];
	const gate = join(user.home, 'gate');
	const script = `while [ ! -e '${gate}' ]; do sleep 0.05; done; exec '${process.execPath}' '${SERVER}' '${open.log}'`;
	const other = `args_isolated = ['${process.execPath}', '${SERVER}', '${isolated.log}']\n`;
	const server = `[mcp_servers.s]\ncommand = "env"\nargs = ["sh", "-c", ${JSON.stringify(script)}]\n${other}`;
	await user.writeMap(`keys.k = "k.md"\n${server}`);
	const [first, second] = await Promise.all([start(user, data), start(user, data)]);
	await expect
		.poll(async () => {
			second.send({ jsonrpc: '2.0', id: 't', method: 'tools/list' });
			return JSON.stringify((await second.answer()).result);
		})
		.toContain('s__echo');
	const call = { tool_name: `${OWN_TOOLS}s__echo`, tool_use_id: 'toolu_2', tool_input: '{}', session_id: 's1' };
	second.send(callRequest('e', 'guard', { hook_event_name: 'PreToolUse', ...call }));
	await second.answer();
	second.send(callRequest('c', 's__echo', {}, 'toolu_2'));
	// So that it waits.
	await delay(200);
	first.send(guardRequest('g', 'toolu_1', 'k', { session_id: 's1' }));
	await first.answer();
	first.send(loadRequest('l', 'k', 'toolu_1'));
	expect((await first.answer()).result).toMatchObject(DELIVERED);
	await writeFile(gate, '');
	expect(await second.answer()).toMatchObject({ id: 'c', result: { content: [{ text: '{}' }] } });
	expect([await open.calls(), await isolated.calls()]).toEqual([0, 1]);
});

test('what an older version has written down holds, and is taken over', async () => {
	const { user, data } = await createUserWithKeys();
	const older = [join(data, 'private-agents'), join(data, 'private-sessions')] as const;
	for (const folder of older) await mkdir(folder, { recursive: true });
	const load = {
		session: 's1',
		agent: 'a1',
		type: 'reader',
		transcript: join(user.home, 's1.jsonl'),
		since: Date.now(),
	};
	await writeFile(join(older[0], 'aa.json'), JSON.stringify(load));
	await writeFile(join(older[1], sha256('s2').slice(0, 32)), '');
	for (const folder of older) await utimes(folder, 0, 0);
	for (let turn = 0; turn < 2; turn++) {
		const broker = await start(user, data);
		const event = { hook_event_name: 'PreToolUse', tool_name: 'WebFetch', tool_input: '{}', session_id: `s9-${turn}` };
		broker.send(callRequest('f', 'guard', { ...event, agent_id: 'a1', agent_type: 'reader' }));
		expect(JSON.stringify((await broker.answer()).result)).toContain('outward_tool');
		expect(await hasNetwork(broker, `s9-${turn}`)).toBe(true);
		expect(await hasNetwork(broker, 's2')).toBe(false);
		await expect.poll(async () => await readdir(data)).not.toContain('private-agents');
	}
	expect(await readdir(data)).not.toContain('private-sessions');
});

test('a key that is not private leaves the network', async () => {
	const { user, data } = await createUserWithKeys();
	const broker = await start(user, data);
	expect(await load(broker, 'open', 's1')).toMatchObject(DELIVERED);
	expect(await hasNetwork(broker, 's1')).toBe(true);
	expect(await load(broker, 'k', 's1')).toMatchObject(DELIVERED);
	expect(await hasNetwork(broker, 's1')).toBe(false);
});

describe('where the state', () => {
	test('can not be written, nothing is given out', async () => {
		const { user, data, state } = await createUserWithKeys();
		const broker = await start(user, data);
		await writeFile(state, '');
		expect(await load(broker, 'k', 's1')).toMatchObject({
			isError: true,
			_meta: { 'context-broker/error': { code: 'state_unwritable' } },
		});
		expect(await hasNetwork(broker, 's1')).toBe(false);
	});

	test('can not be looked into, or is damaged, the session counts as private', async () => {
		const { user, data, state } = await createUserWithKeys();
		await writeFile(state, '');
		expect(await hasNetwork(await start(user, data), 's1')).toBe(false);
	});
});

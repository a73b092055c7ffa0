import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
	callRequest,
	dataFolder,
	guardRequest,
	INITIALIZE,
	initializeAs,
	KEY_ONLY,
	loadRequest,
	type Message,
	type RawBroker,
	startBroker,
} from '../support/broker.ts';
import { createUser, type User } from '../support/user.ts';

const KEY = 'key-jane-doe-marker';
const TEXT = '# Catalog\n- Jane Doe\n';
const CLAUDE_CODE = initializeAs('claude-code', '2.1.332');
const UNKNOWN_TOOL = { error: { code: -32602, message: expect.stringMatching(/Unknown tool$/) } };
const CONTENT = { result: { content: [{ type: 'text', text: TEXT }] } };

async function createUserWithKey(): Promise<User> {
	const user = await createUser();
	await user.write('catalog-jane-doe-marker.md', TEXT);
	await user.writeMap(`[keys]\n${KEY} = "catalog-jane-doe-marker.md"\n`);
	return user;
}

/** Sends requests one after the other and waits for each answer. */
async function ask(broker: RawBroker, ...requests: readonly object[]): Promise<Message[]> {
	const answers: Message[] = [];
	for (const request of requests) {
		broker.send(request);
		answers.push(await broker.receive());
	}
	return answers;
}

/** A broker that Claude Code has started. */
async function startInClaudeCode(user: User, initialize = CLAUDE_CODE): Promise<RawBroker> {
	const broker = startBroker(user.home);
	await ask(broker, initialize);
	return broker;
}

function refusedWith(code: string, text: RegExp = /./): object {
	return {
		result: {
			isError: true,
			content: [{ text: expect.stringMatching(text) }],
			_meta: { 'context-broker/error': { code } },
		},
	};
}

/** What the hook's answer decides, and why. */
function decisionOf({ result }: Message): { permissionDecision: string; permissionDecisionReason: string } {
	const { content } = result as { content: readonly { text: string }[] };
	return JSON.parse(content[0]?.text ?? '').hookSpecificOutput;
}

test('a call passes after its hook, once', async () => {
	const broker = await startInClaudeCode(await createUserWithKey());
	const [hook, first, second] = await ask(
		broker,
		guardRequest(1, 'toolu_1', KEY),
		loadRequest(2, KEY, 'toolu_1'),
		loadRequest(3, KEY, 'toolu_1'),
	);
	expect(decisionOf(hook as Message).permissionDecision).toBe('allow');
	expect(first).toMatchObject(CONTENT);
	expect(second).toMatchObject(refusedWith('caller_unverified', /This call has no approval/));
});

test('no other call passes with that approval', async () => {
	const user = await createUserWithKey();
	await user.writeMap(`[keys]\n${KEY} = "catalog-jane-doe-marker.md"\nother = "catalog-jane-doe-marker.md"\n`);
	const broker = await startInClaudeCode(user);
	for (const call of [
		loadRequest(1, KEY),
		loadRequest(2, KEY, 'toolu_2'),
		loadRequest(3, KEY, ''),
		loadRequest(4, KEY, ['toolu_1']),
		loadRequest(5, 'other', 'toolu_1'),
	]) {
		const [, refusal] = await ask(broker, guardRequest(0, 'toolu_1', KEY), call);
		expect(refusal).toMatchObject(refusedWith('caller_unverified'));
	}
});

test('an approval ends with the broker that gave it', async () => {
	const user = await createUserWithKey();
	await ask(await startInClaudeCode(user), guardRequest(1, 'toolu_1', KEY));
	const [refusal] = await ask(await startInClaudeCode(user), loadRequest(1, KEY, 'toolu_1'));
	expect(refusal).toMatchObject(refusedWith('caller_unverified'));
});

test('what the map says when the call comes counts too', async () => {
	const user = await createUserWithKey();
	const broker = await startInClaudeCode(user);
	await ask(broker, guardRequest(1, 'toolu_1', KEY));
	await user.writeMap(`[keys.${KEY}]\npath = "catalog-jane-doe-marker.md"\nagents = ["reader"]\n`);
	const [refusal] = await ask(broker, loadRequest(2, KEY, 'toolu_1'));
	expect(refusal).toMatchObject(refusedWith('agent_not_listed', /"context-broker:privacy-scanner"/));
});

test('what was loaded is kept from others by the next broker too, which knows nothing of the content', async () => {
	const user = await createUserWithKey();
	const data = await dataFolder();
	const transcript_path = join(user.home, '.claude', 'projects', '-project', 's1.jsonl');
	const scanner = { session_id: 's1', transcript_path, cwd: user.home };
	const start = async () => {
		const broker = startBroker(user.home, { CLAUDE_PLUGIN_DATA: data });
		await ask(broker, CLAUDE_CODE);
		return broker;
	};
	const [, loaded] = await ask(await start(), guardRequest(1, 'toolu_1', KEY, scanner), loadRequest(2, KEY, 'toolu_1'));
	expect(loaded).toMatchObject(CONTENT);

	const kept = (await readdir(data, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
	const notes = kept.filter(({ parentPath }) => parentPath.endsWith('record'));
	expect(notes).toHaveLength(1);
	for (const { parentPath, name } of notes) {
		expect(`${name} ${await readFile(join(parentPath, name), 'utf8')}`).not.toMatch(/jane|doe|catalog/i);
	}

	const broker = await start();
	const main = { ...scanner, agent_id: '', agent_type: '', session_id: 's2' };
	const subagent = join(user.home, '.claude', 'projects', '-project', 's1', 'subagents', 'agent-a1.jsonl');
	const attempts = [
		{ tool_name: 'Read', tool_input: JSON.stringify({ file_path: subagent }) },
		{ tool_name: 'Bash', tool_input: JSON.stringify({ command: 'cat ~/.claude/projects/*/*/subagents/*' }) },
		{ tool_name: 'SendMessage', tool_input: JSON.stringify({ to: 'a1', message: 'x' }) },
	];
	for (const [index, attempt] of attempts.entries()) {
		const [answer] = await ask(broker, guardRequest(index, 'toolu_9', KEY, { ...main, ...attempt }));
		expect(decisionOf(answer as Message)).toMatchObject({ permissionDecision: 'deny' });
	}
	const response = { tool_name: 'Agent', tool_response: JSON.stringify({ agentId: 'a1', content: TEXT }) };
	const [answer] = await ask(
		broker,
		guardRequest(9, 'toolu_9', KEY, { ...main, hook_event_name: 'PostToolUse', ...response }),
	);
	expect(JSON.stringify(answer)).toContain('Context Broker withheld this answer');
	expect((await broker.finish()).errors).not.toMatch(/jane|catalog/i);
});

test('nothing is given out where it can not be noted down', async () => {
	const user = await createUserWithKey();
	const data = await dataFolder();
	await writeFile(join(data, 'record'), 'a file in place of the folder');
	const broker = startBroker(user.home, { CLAUDE_PLUGIN_DATA: data });
	const [, , refusal] = await ask(broker, CLAUDE_CODE, guardRequest(1, 'toolu_1', KEY), loadRequest(2, KEY, 'toolu_1'));
	expect(refusal).toMatchObject(refusedWith('state_unwritable'));
});

test('what the map switches off is told at the start', async () => {
	const user = await createUserWithKey();
	await user.writeMap('[keys]\n[guard]\nfiles = false\nquoting = false\n');
	const { errors } = await (await startInClaudeCode(user)).finish();
	expect(errors).toBe('context-broker: Switched off in [guard] of the map: quoting, files.\n');
});

test('the guard is not listed, and for a model there is no such tool', async () => {
	const broker = await startInClaudeCode(await createUserWithKey());
	const [list, none] = await ask(
		broker,
		{ jsonrpc: '2.0', id: 1, method: 'tools/list' },
		callRequest(2, 'none', {}, 'toolu_1'),
	);
	expect(list).toMatchObject({ result: { tools: [{ name: 'load_context' }, { name: 'find_context' }] } });
	const { params } = guardRequest(0, 'toolu_2', KEY);
	for (const id of ['toolu_1', '', null]) {
		const [refusal, call] = await ask(
			broker,
			callRequest(2, 'guard', params.arguments as object, id),
			loadRequest(3, KEY, 'toolu_2'),
		);
		expect(refusal).toEqual(none);
		expect(refusal).toMatchObject(UNKNOWN_TOOL);
		expect(call).toMatchObject(refusedWith('caller_unverified'));
	}
});

test.each([
	['the main thread', { agent_id: '', agent_type: '' }, /^agents_only: .* Delegate: start the agent/],
	[
		'another agent',
		{ agent_type: 'general-purpose' },
		/^agent_not_listed: .* The name of this agent is "general-purpose"\./,
	],
	['an agent without a name', { agent_type: '' }, /^caller_unverified: .* Call the tool once more\./],
	['a call without a key', { tool_input: '{}' }, /^invalid_arguments: /],
])('%s is refused by the hook and by the tool, and neither tells anything', async (_, fields, reason) => {
	const user = await createUserWithKey();
	const broker = await startInClaudeCode(user);
	const [hook, call] = await ask(broker, guardRequest(1, 'toolu_1', KEY, fields), loadRequest(2, KEY, 'toolu_1'));
	expect(decisionOf(hook as Message)).toMatchObject({
		permissionDecision: 'deny',
		permissionDecisionReason: expect.stringMatching(reason),
	});
	expect(call).toMatchObject(refusedWith('caller_unverified'));
	const { errors } = await broker.finish();
	expect(errors).toMatch(/^context-broker: \w+: .*\ncontext-broker: caller_unverified: .*\n$/);
	for (const text of [JSON.stringify([hook, call]), errors]) {
		expect(text).not.toContain('jane-doe');
		expect(text).not.toContain(user.home);
	}
});

test('without hooks the error says that they are off', async () => {
	const broker = await startInClaudeCode(await createUserWithKey());
	const [refusal] = await ask(broker, loadRequest(1, KEY, 'toolu_1'));
	expect(refusal).toMatchObject(
		refusedWith('caller_unverified', /: hooks are off, or .* disableAllHooks and allowManagedHooksOnly/),
	);
});

test('an older Claude Code is told which version is needed, with its hooks or without', async () => {
	const broker = await startInClaudeCode(await createUserWithKey(), initializeAs('claude-code', '2.1.125'));
	const [before, hook, call] = await ask(
		broker,
		loadRequest(1, KEY, 'toolu_1'),
		guardRequest(2, 'toolu_2', KEY),
		loadRequest(3, KEY, 'toolu_2'),
	);
	const text = /^client_too_old: .* This is 2\.1\.125; 2\.1\.126 or newer is needed\. .*claude update/;
	for (const refusal of [before, call]) expect(refusal).toMatchObject(refusedWith('client_too_old', text));
	expect(decisionOf(hook as Message).permissionDecisionReason).toMatch(text);
});

test('in another client the key alone decides, which is said once; there is no guard', async () => {
	const broker = startBroker((await createUserWithKey()).home);
	const [, first, second, guard] = await ask(
		broker,
		INITIALIZE,
		loadRequest(1, KEY),
		loadRequest(2, KEY, 'toolu_1'),
		guardRequest(3, 'toolu_1', KEY),
	);
	for (const call of [first, second]) expect(call).toMatchObject(CONTENT);
	expect(guard).toMatchObject(UNKNOWN_TOOL);
	const { errors } = await broker.finish();
	expect(errors).toBe(KEY_ONLY);
});

test('it is said as soon as the client is there', async () => {
	const broker = startBroker((await createUserWithKey()).home);
	await ask(broker, INITIALIZE);
	broker.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
	expect((await broker.finish()).errors).toBe(KEY_ONLY);
});

test.each([
	['in a shell of Claude Code', { CLAUDECODE: '1' }, [INITIALIZE]],
	['where Claude Code started it', { CLAUDE_PLUGIN_ROOT: '/plugin' }, [INITIALIZE]],
	['once the client was Claude Code', {}, [CLAUDE_CODE, loadRequest(0, KEY), INITIALIZE]],
	['without initialize', {}, []],
])('%s, a client by another name can not load', async (_, environment, requests) => {
	const broker = startBroker((await createUserWithKey()).home, environment);
	await ask(broker, ...requests);
	const [refusal] = await ask(broker, loadRequest(1, KEY, 'toolu_1'));
	expect(refusal).toMatchObject(refusedWith('caller_unverified'));
});

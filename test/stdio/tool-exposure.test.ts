import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { IS_ROOT, NOT_FOR_ROOT } from '../support/account.ts';
import { callRequest, connectBroker, guardRequest, initializeAs, KEY_ONLY, startBroker } from '../support/broker.ts';
import { createUser, type User } from '../support/user.ts';

const TEXT = '# Catalog\n';

async function createUserWithKey(): Promise<User> {
	const user = await createUser();
	await user.write('catalog.md', TEXT);
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	return user;
}

/** What is listed, and what a call gives: the text, or the error. */
async function outcome(user: User, environment: Record<string, string> = {}) {
	const { client, load, errors } = await connectBroker(user.home, environment);
	const { tools } = await client.listTools();
	const called = await load('k').catch((error: Error) => error);
	const none = await client.callTool({ name: 'none', arguments: { key: 'k' } }).catch((error: Error) => error);
	return {
		listed: tools.map(({ name }) => name),
		called: called instanceof Error ? called : called.content,
		none,
		warnings: () => errors().replace(KEY_ONLY, ''),
	};
}

describe('a tool that is shown can be listed and called', () => {
	test.each([
		{},
		{ CONTEXT_BROKER_ENABLED_TOOLS: 'default' },
		{ CONTEXT_BROKER_ENABLED_TOOLS: 'load-context', CONTEXT_BROKER_DISABLED_TOOLS: 'none' },
		{ CONTEXT_BROKER_ENABLED_TOOLS: 'load*' },
		{ CONTEXT_BROKER_ENABLED_TOOLS: '*', CONTEXT_BROKER_DISABLED_TOOLS: ',' },
	])('%j', async (environment) => {
		const { listed, called, warnings } = await outcome(await createUserWithKey(), environment);
		const isOne = environment.CONTEXT_BROKER_ENABLED_TOOLS?.startsWith('load') === true;
		const isAll = environment.CONTEXT_BROKER_ENABLED_TOOLS === '*';
		expect(listed).toEqual([
			'load_context',
			...(isOne ? [] : ['find_context']),
			...(isAll ? ['run_shell_command'] : []),
		]);
		expect(called).toEqual([{ type: 'text', text: TEXT }]);
		expect(warnings()).toBe('');
	});
});

describe('a tool that is hidden answers like one that does not exist', () => {
	test.each([
		{ CONTEXT_BROKER_DISABLED_TOOLS: 'all' },
		{ CONTEXT_BROKER_DISABLED_TOOLS: 'x,*' },
		{ CONTEXT_BROKER_DISABLED_TOOLS: 'load_context, find_context' },
		{ CONTEXT_BROKER_ENABLED_TOOLS: 'none' },
		{ CONTEXT_BROKER_ENABLED_TOOLS: ',' },
		{ CONTEXT_BROKER_ENABLED_TOOLS: '  ' },
		{ CONTEXT_BROKER_ENABLED_TOOLS: 'lode_context' },
		{ CONTEXT_BROKER_ENABLED_TOOLS: 'all', CONTEXT_BROKER_DISABLED_TOOLS: 'safe run-shell-command' },
	])('%j', async (environment) => {
		const { listed, called, none, warnings } = await outcome(await createUserWithKey(), environment);
		expect(listed).toEqual([]);
		expect(called).toMatchObject({ code: -32602 });
		expect(called).toEqual(none);
		expect(warnings()).toMatch(/No tool of the broker is shown\./);
	});

	test('by its full name in Claude Code, and through the guard', async () => {
		const user = await createUserWithKey();
		const broker = startBroker(user.home, { CONTEXT_BROKER_DISABLED_TOOLS: 'all' });
		broker.send(
			initializeAs('claude-code', '2.1.332'),
			callRequest(1, LOAD_CONTEXT, { key: 'k' }, 'toolu_1'),
			guardRequest(2, 'toolu_1', 'k'),
		);
		await broker.receive();
		expect(await broker.receive()).toMatchObject({ id: 1, error: { code: -32602 } });
		expect(await broker.receive()).toMatchObject({ id: 2, result: { content: [{ text: '{}' }] } });
		broker.send(callRequest(3, 'load_context', { key: 'k' }, 'toolu_1'));
		expect(await broker.receive()).toMatchObject({ id: 3, error: { code: -32602 } });
	});
});

describe('the env file', () => {
	test('is the one in the folder of the map, or the one that the environment names, and the environment wins', async () => {
		const user = await createUserWithKey();
		await user.write('.env', "export CONTEXT_BROKER_DISABLED_TOOLS='all' # for now\r\nOTHER=1\r\n");
		expect((await outcome(user)).listed).toEqual([]);
		expect((await outcome(user, { CONTEXT_BROKER_DISABLED_TOOLS: 'none' })).listed).toEqual([
			'load_context',
			'find_context',
		]);
		const other = join(user.home, 'other.env');
		await writeFile(other, '');
		expect((await outcome(user, { CONTEXT_BROKER_ENV_FILE: other })).listed).toEqual(['load_context', 'find_context']);
	});

	test('that can not be read shows nothing, and it is told why', async () => {
		const user = await createUserWithKey();
		await mkdir(join(user.configFolder, '.env'));
		const { listed, called, warnings } = await outcome(user, { CONTEXT_BROKER_ENABLED_TOOLS: 'all' });
		expect(listed).toEqual([]);
		expect(called).toMatchObject({ code: -32602 });
		expect(warnings()).toMatch(/^context-broker: The env file cannot be read, so no tool is shown: .*\n$/);
	});

	test('that is named by a relative path shows nothing, and it is told why', async () => {
		const { listed, warnings } = await outcome(await createUserWithKey(), { CONTEXT_BROKER_ENV_FILE: '.env' });
		expect(listed).toEqual([]);
		expect(warnings()).toMatch(
			/^context-broker: The env file cannot be read, so no tool is shown: The env file \.env is not an absolute path\. /,
		);
	});

	test('tells of unknown words and variables, once', async () => {
		const user = await createUserWithKey();
		await user.write('.env', 'CONTEXT_BROKER_ENABLE_TOOL=all\nCONTEXT_BROKER_DISABLED_TOOLS=load_contxt\n');
		const { listed, warnings } = await outcome(user);
		expect(listed).toEqual(['load_context', 'find_context']);
		expect(warnings().split('\n')).toEqual([
			'context-broker: There is no variable "CONTEXT_BROKER_ENABLE_TOOL"; the nearest is "CONTEXT_BROKER_ENABLED_TOOLS".',
			'context-broker: CONTEXT_BROKER_DISABLED_TOOLS (env file) has "load_contxt", which is not a tool; the nearest valid word is "load_context".',
			'',
		]);
	});

	test('counts without a restart, however it is edited, and the client is told', async () => {
		const user = await createUserWithKey();
		const { client } = await connectBroker(user.home);
		expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
		let changed = () => {};
		client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed());
		const names = async () => (await client.listTools()).tools.map(({ name }) => name);
		const edit = async (how: () => Promise<unknown>) => {
			const told = new Promise<void>((resolve) => {
				changed = resolve;
			});
			await how();
			const atOnce = await names();
			await told;
			return atOnce;
		};
		expect(await names()).toEqual(['load_context', 'find_context']);
		expect(await edit(() => user.write('.env', 'CONTEXT_BROKER_DISABLED_TOOLS=all'))).toEqual([]);
		expect(await edit(() => rm(join(user.configFolder, '.env')))).toEqual(['load_context', 'find_context']);
	});
});

test('an env file without permission shows nothing', async ({ skip }) => {
	skip(IS_ROOT, NOT_FOR_ROOT);
	const user = await createUserWithKey();
	await chmod(await user.write('.env', ''), 0o000);
	expect((await outcome(user)).listed).toEqual([]);
});

import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../server/errors.ts';
import { CONTENT_LIMIT } from '../../server/files/read-markdown.ts';
import { IS_ROOT, isReadableFor, NOBODY, UNREADABLE, withoutRights } from '../support/account.ts';
import { connectBroker, INITIALIZE, KEY_ONLY, loadRequest, startBroker } from '../support/broker.ts';
import { BOOTSTRAP } from '../support/paths.ts';
import { createUser, type User } from '../support/user.ts';

interface ErrorContent {
	readonly code: string;
	readonly message: string;
	readonly next: string;
}

function errorOf({ _meta }: CallToolResult): ErrorContent {
	return _meta?.['context-broker/error'] as ErrorContent;
}

test('the listing tells a model that has seen nothing else what it needs', async () => {
	const { client } = await connectBroker((await createUser()).home);
	const { tools } = await client.listTools();
	expect(tools.filter(({ name }) => name !== 'find_context')).toEqual([
		{
			name: 'load_context',
			title: 'Load private context',
			description: expect.stringMatching(/key/),
			annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
			_meta: { 'anthropic/maxResultSizeChars': 500_000 },
			inputSchema: expect.objectContaining({
				type: 'object',
				properties: { key: { type: 'string', description: expect.any(String) } },
				required: ['key'],
				additionalProperties: false,
			}),
		},
	]);
});

test('there is nothing else to ask the broker for', async () => {
	const { client } = await connectBroker((await createUser()).home);
	expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
	for (const ask of [() => client.listPrompts(), () => client.listResources(), () => client.listResourceTemplates()]) {
		await expect(ask()).rejects.toMatchObject({ code: -32601 });
	}
	await expect(client.callTool({ name: 'list_keys', arguments: {} })).rejects.toMatchObject({ code: -32602 });
});

test.each([
	['10 KB', 10_000],
	['200 KB', 200_000],
	['the limit', CONTENT_LIMIT],
])('a file of %s comes as one text block, exactly', async (_, size) => {
	const user = await createUser();
	const text = '- entry é 漢 😀\r\n'
		.repeat(size)
		.slice(0, size - 1)
		.concat('\n');
	await user.write('catalog.md', text);
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	const { load, errors } = await connectBroker(user.home);
	expect(await load('k')).toEqual({ content: [{ type: 'text', text }] });
	await expect.poll(errors).toBe(KEY_ONLY);
});

test('a relative XDG_CONFIG_HOME is ignored, an absolute one is used', async () => {
	const user = await createUser();
	await user.write('catalog.md', 'from the home folder');
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	const relative = await connectBroker(user.home, { XDG_CONFIG_HOME: 'config' });
	expect(await relative.load('k')).toEqual({ content: [{ type: 'text', text: 'from the home folder' }] });

	const elsewhere = join(user.home, 'else where', 'context-broker');
	await mkdir(elsewhere, { recursive: true });
	await writeFile(join(elsewhere, 'context-map.toml'), '[keys]\nk = "~/other.md"\n');
	await writeFile(join(user.home, 'other.md'), 'from elsewhere');
	const absolute = await connectBroker(user.home, { XDG_CONFIG_HOME: join(user.home, 'else where') });
	expect(await absolute.load('k')).toEqual({ content: [{ type: 'text', text: 'from elsewhere' }] });
});

test('a change of the map or the file counts at once, in the running broker', async () => {
	const user = await createUser();
	const { load } = await connectBroker(user.home);
	expect(errorOf(await load('k')).code).toBe('config_missing');
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	expect(errorOf(await load('k')).code).toBe('file_missing');
	for (const text of ['one', 'two']) {
		await user.write('catalog.md', text);
		expect(await load('k')).toEqual({ content: [{ type: 'text', text }] });
	}
});

const MARKER = 'jane-doe-marker';

/** Those that guard.test.ts is about. */
const GUARD_CODES = [
	'agents_only',
	'agent_not_listed',
	'caller_unverified',
	'client_too_old',
	'unchecked_background',
	'do_not_continue',
	'protected_file',
	'attached_file',
	'do_not_quote',
	'do_not_fork',
	'do_not_resume',
	'answer_withheld',
	'result_withheld',
	'check_timeout',
	'state_unwritable',
	'state_unreadable',
	'outward_tool',
] as const;

/** Those that find-context.test.ts is about. */
const SEARCH_CODES = ['path_outside', 'path_missing', 'not_searched', 'no_history', 'git_failed'] as const;

/** Those that the tests in shell/ are about. */
const SHELL_CODES = ['command_not_started', 'network_isolation_unavailable'] as const;

/** Those that the tests in upstreams/ are about. */
const UPSTREAM_CODES = [
	'upstream_unavailable',
	'upstream_lost',
	'upstream_timeout',
	'isolated_instance_unavailable',
	'refused_when_private',
] as const;

/** Those that tool-isolation.test.ts is about. */
const ISOLATION_CODES = [
	'isolated_tool',
	'ambiguous_tool',
	'executor_prompt',
	'not_delegated',
	'executor_done',
] as const;

/** For each code, what a user has done to get it. The names hold a marker that no text may repeat. */
const CAUSES: Record<
	Exclude<
		ErrorCode,
		| (
				| typeof GUARD_CODES
				| typeof SEARCH_CODES
				| typeof SHELL_CODES
				| typeof UPSTREAM_CODES
				| typeof ISOLATION_CODES
		  )[number]
		| 'internal_error'
	>,
	(user: User) => Promise<unknown>
> = {
	config_missing: (user) => rm(user.mapFile),
	config_unreadable: async (user) => {
		await rm(user.mapFile);
		await mkdir(user.mapFile);
	},
	config_invalid: (user) => user.writeMap(`[keys]\n${MARKER} = "${MARKER}.md"\nk = ${MARKER}\n`),
	unknown_key: (user) => user.writeMap(`[keys]\n${MARKER} = "${MARKER}.md"\nk2 = "${MARKER}.md"\n`),
	file_missing: async () => {},
	file_unreadable: (user) => symlink(`${MARKER}.md`, join(user.configFolder, `${MARKER}.md`)),
	not_markdown: (user) => user.writeMap(`[keys]\n${MARKER} = "a.md"\nk = "${MARKER}.txt"\n`),
	not_a_file: async (user) => execFileSync('mkfifo', [join(user.configFolder, `${MARKER}.md`)]),
	not_text: (user) => user.write(`${MARKER}.md`, Buffer.from(`${MARKER}\0`)),
	too_large: (user) => user.write(`${MARKER}.md`, MARKER.repeat(50_000)),
	invalid_arguments: async () => {},
};

test.each(Object.entries(CAUSES))('%s', async (code, cause) => {
	const user = await createUser();
	await user.writeMap(`[keys]\n${MARKER} = "other.md"\nk = "${MARKER}.md"\n`);
	await cause(user);
	const { load, client, errors } = await connectBroker(user.home);
	const result =
		code === 'invalid_arguments'
			? ((await client.callTool({ name: 'load_context', arguments: { key: MARKER, path: MARKER } })) as CallToolResult)
			: await load('k');

	const { message, next } = errorOf(result);
	expect(result).toEqual({
		isError: true,
		content: [{ type: 'text', text: `${code}: ${message} ${next}` }],
		_meta: { 'context-broker/error': { code, message, next } },
	});
	expect(message).toMatch(/^[A-Z].*\.$/);
	expect(next).toMatch(/^[A-Z].*\.$/);
	await expect.poll(errors).toContain(KEY_ONLY);
	// What is wrong with the map is told at the start too.
	await expect.poll(() => errors().replace(KEY_ONLY, '')).toMatch(new RegExp(`^(context-broker: ${code}: .*\n){1,2}$`));
	expect(JSON.stringify(result)).not.toContain(user.home);
	// The name of the test's own folder can hold anything.
	for (const text of [JSON.stringify(result), errors().replaceAll(user.home, '')]) {
		expect(text).not.toContain(MARKER);
		expect(text).not.toContain('k2');
	}
});

test('every code is reached here or in the tests of other parts, but the one for faults of our own', () => {
	const elsewhere = [...GUARD_CODES, ...SEARCH_CODES, ...SHELL_CODES, ...UPSTREAM_CODES, ...ISOLATION_CODES];
	expect([...Object.keys(CAUSES), ...elsewhere, 'internal_error'].sort()).toEqual([...ERROR_CODES].sort());
});

test('what the account may not read is told apart from what is missing', async ({ skip }) => {
	skip(IS_ROOT && !isReadableFor(NOBODY), UNREADABLE);
	const user = await createUser();
	const file = await user.write('catalog.md', 'text');
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	for (const folder of [user.home, join(user.home, '.config'), user.configFolder]) await chmod(folder, 0o755);
	const load = async () => {
		const broker = startBroker(user.home, {}, withoutRights(process.execPath, BOOTSTRAP));
		broker.send(INITIALIZE, loadRequest(1, 'k'));
		return (await broker.finish()).rest.find(({ id }) => id === 1)?.result;
	};
	expect(await load()).toEqual({ content: [{ type: 'text', text: 'text' }] });
	await chmod(file, 0o000);
	expect(errorOf((await load()) as CallToolResult)).toMatchObject({
		code: 'file_unreadable',
		message: 'The file of this key cannot be read. Reason: permission denied.',
	});
	await chmod(user.mapFile, 0o000);
	expect(errorOf((await load()) as CallToolResult).code).toBe('config_unreadable');
});

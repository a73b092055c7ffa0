import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { covers, readHookSettings, rewrites } from '../../../server/claude-code/hook-settings.ts';
import type { SettingsOwner } from '../../../server/claude-code/settings-files.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { hook, installPlugin } from './settings.ts';

async function createOwner() {
	const folder = await temporaryFolder();
	const [home, project, managed] = [join(folder, 'home'), join(folder, 'project'), join(folder, 'etc')];
	const write = async (path: string, content: unknown) => {
		const file = join(folder, path);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
		return file;
	};
	return { owner: { home, project, managed, environment: {} }, folder, write };
}

async function rewritesAnswers(owner: SettingsOwner): Promise<boolean> {
	const { hooks, unreadable } = await readHookSettings(owner);
	return unreadable.length > 0 || hooks.some(rewrites);
}

const SETTINGS = [
	'home/.claude/settings.json',
	'project/.claude/settings.json',
	'project/.claude/settings.local.json',
	'etc/managed-settings.json',
	'etc/managed-settings.d/10-hooks.json',
];

describe('nobody rewrites answers', () => {
	test('if there are no settings', async () => {
		const { owner } = await createOwner();
		expect(await readHookSettings(owner)).toEqual({ hooks: [], unreadable: [] });
		expect(await rewritesAnswers(owner)).toBe(false);
	});

	test.each([
		['a formatter', hook('PostToolUse', 'Write|Edit', { command: 'prettier --write' })],
		['a hook that only sees inputs', hook('PreToolUse', '*', { command: 'log' })],
		['a hook that only hears of failures', hook('PostToolUseFailure', '*', { command: 'log' })],
		['one that runs beside', hook('PostToolUse', '*', { command: 'log', async: true })],
		['one that judges', hook('PostToolUse', '*', { type: 'prompt', prompt: 'Is it good? $ARGUMENTS' })],
		['one of another tool', hook('PostToolUse', '*', { command: 'log', if: 'Bash(git *)' })],
		['one of the end of agents', hook('SubagentStop', '', { command: 'log' })],
		['nothing that Claude Code would run', { hooks: { PostToolUse: [null, 1, { hooks: {} }, { hooks: [null] }] } }],
		['an empty file', ''],
	])('by %s', async (_, settings) => {
		const { owner, write } = await createOwner();
		for (const file of SETTINGS) await write(file, settings);
		expect(await rewritesAnswers(owner)).toBe(false);
	});

	test('by our own plugin, one that is switched off, or one that is not installed', async () => {
		const { owner, write } = await createOwner();
		const all = hook('PostToolUse', '*', { command: 'x' });
		await installPlugin(write, 'context-broker@context-broker', all);
		await installPlugin(write, 'logger@tools', all);
		const enabledPlugins = { 'context-broker@context-broker': true, 'logger@tools': true, 'none@tools': true };
		await write('home/.claude/settings.json', { enabledPlugins });
		await write('project/.claude/settings.json', { enabledPlugins: { 'logger@tools': false } });
		expect(await readHookSettings(owner)).toEqual({ hooks: [], unreadable: [] });
	});
});

describe('somebody rewrites answers', () => {
	test.each(SETTINGS)('by a hook in %s', async (file) => {
		const { owner, write, folder } = await createOwner();
		await write(file, hook('PostToolUse', 'Bash|Agent', { command: 'mask' }));
		expect((await readHookSettings(owner)).hooks).toMatchObject([{ file: join(folder, file), action: 'mask' }]);
		expect(await rewritesAnswers(owner)).toBe(true);
	});

	test('by a hook of another type, or for Agent alone', async () => {
		for (const one of [
			{ type: 'http', url: 'http://127.0.0.1' },
			{ type: 'mcp_tool', server: 's', tool: 't' },
			{ command: 'x', if: 'Task(*)' },
		]) {
			const { owner, write } = await createOwner();
			await write('home/.claude/settings.json', hook('PostToolUse', undefined, one));
			expect(await rewritesAnswers(owner)).toBe(true);
		}
	});

	test('by settings in the folder that CLAUDE_CONFIG_DIR names', async () => {
		const { owner, write, folder } = await createOwner();
		await write('other/settings.json', hook('PostToolUse', '*', { command: 'x' }));
		expect(await rewritesAnswers({ ...owner, environment: { CLAUDE_CONFIG_DIR: join(folder, 'other') } })).toBe(true);
	});

	test.each([
		['hooks/hooks.json', {}],
		['more.json', { hooks: './more.json' }],
	])('by a plugin, in its %s', async (name, manifest) => {
		const { owner, write } = await createOwner();
		const root = await installPlugin(write, 'logger@tools', undefined, manifest);
		await write(join(root, name), hook('PostToolUse', '*', { command: 'x' }));
		await write('home/.claude/settings.json', { enabledPlugins: { 'logger@tools': true } });
		expect((await readHookSettings(owner)).hooks).toMatchObject([{ plugin: 'logger@tools', action: 'x' }]);
		expect(await rewritesAnswers(owner)).toBe(true);
	});

	test.each([
		{ PostToolUse: [{ hooks: [{ type: 'command', command: 'x' }] }] },
		hook('PostToolUse', '*', { command: 'x' }),
	])('by a plugin, in its manifest', async (hooks) => {
		const { owner, write } = await createOwner();
		await installPlugin(write, 'logger@tools', undefined, { hooks });
		await write('home/.claude/settings.json', { enabledPlugins: { 'logger@tools': true } });
		expect(await rewritesAnswers(owner)).toBe(true);
	});

	test('by a plugin that is read from the folder of its marketplace; the same hook counts once', async () => {
		const { owner, write, folder } = await createOwner();
		const all = hook('PostToolUse', '*', { command: 'x' });
		await installPlugin(write, 'logger@tools', all);
		await write('market/.claude-plugin/marketplace.json', { plugins: [{ name: 'logger', source: './logger' }] });
		await write('market/logger/hooks/hooks.json', all);
		const known = { tools: { installLocation: join(folder, 'market') } };
		await write('home/.claude/plugins/known_marketplaces.json', known);
		await write('home/.claude/settings.json', { enabledPlugins: { 'logger@tools': true } });
		expect((await readHookSettings(owner)).hooks).toMatchObject([
			{ file: join(folder, 'market/logger/hooks/hooks.json') },
		]);
	});

	test('perhaps, if a file is no JSON', async () => {
		const { owner, write } = await createOwner();
		const file = await write('project/.claude/settings.json', '{"hooks":');
		expect(await readHookSettings(owner)).toEqual({ hooks: [], unreadable: [file] });
		expect(await rewritesAnswers(owner)).toBe(true);
	});
});

const LOAD = 'mcp__plugin_context-broker_broker__load_context';

test.each([
	'Write|Edit',
	'Write, Edit',
	'Bash',
	'Age',
	'agent',
	'Agents',
	'mcp__other__.*',
	'mcp__plugin_context',
	'^(Write|Edit)$',
	`^(?!(Agent|Task|${LOAD})$)`,
	'(Agent',
])('the matcher %j covers neither agents nor loads', (matcher) => {
	expect(covers(matcher, ['Agent', 'Task', LOAD])).toBe(false);
});

test.each([
	[undefined, 'Bash'],
	['', 'Bash'],
	['*', 'Bash'],
	['.*', 'Bash'],
	['Agent', 'Agent'],
	['Bash|Agent', 'Agent'],
	// A list in 2.1.332.
	['Bash, Agent', 'Agent'],
	['^Ag', 'Agent'],
	['^(?!Bash$)', 'Agent'],
	[LOAD, LOAD],
	// A regular expression in 2.1.126, since it has a hyphen.
	['plugin_context-broker', LOAD],
	['mcp__.*', LOAD],
])('the matcher %j covers %s', (matcher, name) => {
	expect(covers(matcher, [name])).toBe(true);
});

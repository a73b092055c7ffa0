import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OLDEST_CLAUDE_CODE } from '../../server/claude-code/client.ts';
import { hookEventSchema } from '../../server/claude-code/hooks.ts';
import { FIND_CONTEXT, LOAD_CONTEXT, RUN_SHELL_COMMAND } from '../../server/claude-code/tools.ts';
import { guardTool } from '../../server/tools/guard.ts';
import { createGuard } from '../support/guard.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { FULL_TOOL_NAMES, TOOLS } from './tool-names.ts';

function text(file: string): string {
	return readFileSync(join(PLUGIN_ROOT, file), 'utf8');
}

function json(file: string): Record<string, unknown> {
	return JSON.parse(text(file)) as Record<string, unknown>;
}

interface Hook {
	readonly command?: string;
	readonly server?: string;
	readonly tool?: string;
	readonly input?: Readonly<Record<string, string>>;
}

interface HookGroup {
	readonly matcher?: string;
	readonly hooks: readonly Hook[];
}

const HOOKS = Object.entries(json('hooks/hooks.json').hooks as Record<string, readonly HookGroup[]>).flatMap(
	([event, groups]) => groups.flatMap(({ matcher, hooks }) => hooks.map((hook) => ({ event, matcher, hook }))),
);

const ASKING = HOOKS.filter(({ hook }) => hook.tool !== undefined);

describe.each(ASKING)('the hook of $event', ({ event, matcher, hook }) => {
	test('asks the guard of this plugin about the event, in the words that it knows', async () => {
		const { name } = json('.claude-plugin/plugin.json');
		expect(Object.keys(json('.mcp.json').mcpServers as object).map((server) => `plugin:${name}:${server}`)).toEqual([
			hook.server,
		]);
		const { state } = createGuard({ entries: new Map(), off: [], allowTools: [], isolation: [] });
		const guard = guardTool(state);
		expect(hook.tool).toBe(guard.name);
		// Claude Code puts in what the event says, or nothing.
		const filled = (values: Readonly<Record<string, string>>) =>
			Object.entries(hook.input ?? {}).map(([field, value]) => [
				field,
				value.replace(/\$\{(\w+)\}/g, (_, name) => values[name] ?? ''),
			]);
		const client = { name: 'claude-code', version: OLDEST_CLAUDE_CODE };
		const call = { client, toolUseId: undefined, signal: new AbortController().signal, progress: undefined };
		const asked = Object.fromEntries(filled({ hook_event_name: event }));
		expect(await guard.call(asked, call)).toEqual({ text: expect.stringMatching(/^\{/) });
		const fields = Object.keys(hookEventSchema().parse({ hook_event_name: event }));
		const each = Object.fromEntries(fields.map((field) => [field, field]));
		for (const [field, value] of filled(each)) expect(value).toBe(field);
	});

	test('is run for all tools but the one whose result an agent is to get as it is', () => {
		const isRun = (tool: string) => matcher === undefined || new RegExp(matcher).test(tool);
		for (const tool of ['Bash', 'mcp__x__load_context', `${LOAD_CONTEXT}_2`, FIND_CONTEXT, RUN_SHELL_COMMAND])
			expect(isRun(tool), tool).toBe(true);
		expect(isRun(LOAD_CONTEXT)).toBe(!event.startsWith('PostToolUse'));
	});
});

test('server, hook and bin start the same file, which is there and may be run', () => {
	const { mcpServers } = json('.mcp.json') as { mcpServers: Record<string, { command: string; args: string[] }> };
	const commands = HOOKS.map(({ hook }) => hook.command?.replaceAll('"', '')).filter((each) => each !== undefined);
	const started = [...Object.values(mcpServers).map(({ command, args }) => [command, ...args].join(' ')), ...commands];
	// biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code fills it in
	const bin = '${CLAUDE_PLUGIN_ROOT}/server/bootstrap.cjs';
	expect(started).toEqual([`node ${bin}`, `node ${bin} prepare`]);
	expect(json('package.json').bin).toEqual({ 'context-broker': 'server/bootstrap.cjs' });
	accessSync(join(PLUGIN_ROOT, 'server', 'bootstrap.cjs'), constants.X_OK);
	expect(text('server/bootstrap.cjs')).toMatch(/^#!\/usr\/bin\/env node\n/);
});

test('tools have the names by which hooks and agents know them', () => {
	expect(FULL_TOOL_NAMES).toEqual([LOAD_CONTEXT, FIND_CONTEXT, RUN_SHELL_COMMAND]);
});

test('version, license and description are the same wherever they stand', () => {
	const [manifest, plugin] = [json('package.json'), json('.claude-plugin/plugin.json')];
	const lockfile = json('package-lock.json');
	expect(plugin.version).toBe(manifest.version);
	expect(lockfile.version).toBe(manifest.version);
	expect(/^## (\S+)/m.exec(text('CHANGELOG.md'))?.[1]).toBe(manifest.version);
	expect(text('README.md')).toContain(`\nContext Broker ${manifest.version}\n`);
	expect(plugin.license).toBe('MIT');
	expect(manifest.license).toBe('MIT');
	expect(json('.claude-plugin/marketplace.json').plugins).toEqual([
		{ name: plugin.name, source: './', description: plugin.description },
	]);
});

test('the root installs run-time packages only', () => {
	const manifest = json('package.json');
	expect(manifest).not.toHaveProperty('devDependencies');
	expect(text('package-lock.json')).not.toContain('"dev": true');
});

test.each(['package-lock.json', 'test/package-lock.json'])(
	'%s holds integrity hashes and no download address',
	(file) => {
		const { packages } = json(file) as { packages: Record<string, { integrity?: string }> };
		expect(text(file)).not.toMatch(
			/"resolved"|https?:\/\/(?!opencollective|github|www\.patreon|paulmillr|tidelift|dotenvx|ko-fi)/,
		);
		for (const [name, { integrity }] of Object.entries(packages)) {
			if (name !== '') expect(integrity, name).toMatch(/^sha512-/);
		}
	},
);

test('nothing generated is committed', ({ skip }) => {
	skip(!existsSync(join(PLUGIN_ROOT, '.git')), 'this is no checkout of git');
	// It can belong to another account.
	const args = ['-c', 'safe.directory=*', 'ls-files'];
	const files = execFileSync('git', args, { cwd: PLUGIN_ROOT, encoding: 'utf8' });
	expect(files).not.toMatch(/node_modules|builds\/|\.code$|dist\/|\.map$/m);
});

test.each(FULL_TOOL_NAMES)('%s is not longer than 64 characters', (name) => {
	expect(name.length).toBeLessThanOrEqual(64);
});

// anthropics/claude-code#87650: longer ones are cut.
test.each(TOOLS)('the description of $name is shorter than 2 KB', ({ listing }) => {
	expect(Buffer.byteLength(listing?.description ?? '')).toBeLessThan(2_000);
});

import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookEvent } from '../../server/claude-code/hooks.ts';
import { FIND_CONTEXT, LOAD_CONTEXT, RUN_SHELL_COMMAND } from '../../server/claude-code/tools.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { FULL_TOOL_NAMES, TOOLS } from './tool-names.ts';

// biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code fills it in
const BOOTSTRAP = '${CLAUDE_PLUGIN_ROOT}/server/bootstrap.cjs';

/** A hook that asks the guard with these fields of the event, beside those that every event has. */
function guardHook(...fields: readonly (keyof HookEvent)[]): object {
	const all = ['hook_event_name', 'session_id', 'transcript_path', 'cwd', 'agent_id', 'agent_type', ...fields];
	const input = Object.fromEntries(all.map((field) => [field, `\${${field}}`]));
	return { type: 'mcp_tool', server: 'plugin:context-broker:broker', tool: 'guard', timeout: 30, input };
}

function text(file: string): string {
	return readFileSync(join(PLUGIN_ROOT, file), 'utf8');
}

function json(file: string): Record<string, unknown> {
	return JSON.parse(text(file)) as Record<string, unknown>;
}

/** All tools but the one whose result an agent is to get as it is. */
const ALL_BUT_LOADS = '^(?!mcp__plugin_context-broker_broker__load_context$)';

test('server, hook and bin start the same file, and the other hooks ask the guard', () => {
	expect(json('.mcp.json')).toEqual({ mcpServers: { broker: { command: 'node', args: [BOOTSTRAP] } } });
	expect(json('hooks/hooks.json').hooks).toEqual({
		SessionStart: [
			{
				matcher: 'startup|resume|fork',
				hooks: [{ type: 'command', command: `node "${BOOTSTRAP}" prepare`, timeout: 60 }],
			},
		],
		PreToolUse: [{ hooks: [guardHook('tool_name', 'tool_use_id', 'mcp_server', 'tool_input')] }],
		PostToolUse: [
			{
				matcher: ALL_BUT_LOADS,
				hooks: [guardHook('tool_name', 'tool_use_id', 'tool_input', 'tool_response')],
			},
		],
		PostToolUseFailure: [
			{
				matcher: ALL_BUT_LOADS,
				hooks: [guardHook('tool_name', 'tool_use_id', 'tool_input', 'error')],
			},
		],
		PostToolBatch: [{ hooks: [guardHook('tool_calls')] }],
		SubagentStop: [{ hooks: [guardHook('last_assistant_message')] }],
		UserPromptSubmit: [{ hooks: [guardHook('prompt')] }],
		UserPromptExpansion: [{ hooks: [guardHook('prompt', 'command_name', 'command_args')] }],
		PreCompact: [{ hooks: [guardHook()] }],
	});
	expect(json('package.json').bin).toEqual({ 'context-broker': 'server/bootstrap.cjs' });
	accessSync(join(PLUGIN_ROOT, 'server', 'bootstrap.cjs'), constants.X_OK);
	expect(FULL_TOOL_NAMES).toEqual([LOAD_CONTEXT, FIND_CONTEXT, RUN_SHELL_COMMAND]);
	expect(text('server/bootstrap.cjs')).toMatch(/^#!\/usr\/bin\/env node\n/);
});

test('the bootstrap is plain JavaScript and imports nothing but itself and what Node brings', () => {
	const parts = readdirSync(join(PLUGIN_ROOT, 'server', 'bootstrap')).map((name) => `server/bootstrap/${name}`);
	for (const file of ['server/bootstrap.cjs', ...parts]) {
		expect(file).toMatch(/\.[cm]js$/);
		for (const [, name] of text(file).matchAll(/(?:^import .* from |require\(|import\()'(.*?)'/gm)) {
			expect(name, file).toMatch(/^(node:[\w/]+|\.\/(bootstrap\/)?[\w-]+\.[cm]js)$/);
		}
	}
});

test('version, license and description are the same wherever they stand', () => {
	const [manifest, plugin] = [json('package.json'), json('.claude-plugin/plugin.json')];
	const lockfile = json('package-lock.json');
	expect(plugin.version).toBe(manifest.version);
	expect(lockfile.version).toBe(manifest.version);
	expect(plugin.license).toBe('MIT');
	expect(manifest.license).toBe('MIT');
	expect(json('.claude-plugin/marketplace.json').plugins).toEqual([
		{ name: plugin.name, source: './', description: plugin.description },
	]);
});

test('the root installs run-time packages only', () => {
	const manifest = json('package.json');
	expect(Object.keys(manifest.dependencies as object)).toEqual([
		'@modelcontextprotocol/sdk',
		'esbuild',
		'smol-toml',
		'unbash',
		'xdg-basedir',
		'zod',
	]);
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

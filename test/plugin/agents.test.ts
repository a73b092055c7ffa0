import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
	COMMAND_TOOLS,
	EGRESS_TOOLS,
	FILE_TOOLS,
	FIND_CONTEXT,
	GLOB,
	GREP,
	LOAD_CONTEXT,
	MESSAGE_TOOLS,
} from '../../server/claude-code/tools.ts';
import { BUNDLED_AGENTS } from '../../server/policy/entitlement.ts';
import { EXECUTOR } from '../../server/policy/tool-isolation/delegate.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { FULL_TOOL_NAMES } from './tool-names.ts';

const FOLDER = join(PLUGIN_ROOT, 'agents');
const BUILT_IN = ['Read'];

/** Of each agent, the fields that are meant, all of which Claude Code honours in a plugin's agent. */
const FIELDS: Record<string, readonly string[]> = {
	'mcp-executor.md': ['name', 'description', 'model', 'maxTurns', 'disallowedTools'],
	'privacy-scanner.md': ['name', 'description', 'tools'],
};

function read(file: string) {
	const text = readFileSync(join(FOLDER, file), 'utf8');
	const [, frontmatter = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
	return { text, frontmatter, body };
}

test('the guard knows each of them', () => {
	const names = readdirSync(FOLDER).map((file) => `context-broker:${file.replace(/\.md$/, '')}`);
	expect([...BUNDLED_AGENTS, EXECUTOR].sort()).toEqual(names.sort());
	// It is not to load anything: the main agent says what it does.
	expect(BUNDLED_AGENTS).not.toContain(EXECUTOR);
});

describe.each(readdirSync(FOLDER))('%s', (file) => {
	const { frontmatter } = read(file);

	// An agent file whose frontmatter does not parse is loaded with all tools.
	test('the frontmatter parses strictly, to exactly the fields that are meant', () => {
		const fields = parse(frontmatter, { strict: true, uniqueKeys: true }) as Record<string, unknown>;
		expect(Object.keys(fields)).toEqual(FIELDS[file]);
		expect(fields.name).toBe(file.replace(/\.md$/, ''));
		for (const field of Object.values(fields)) expect(String(field)).toMatch(/./);
	});
});

describe('mcp-executor.md', () => {
	const { frontmatter } = read('mcp-executor.md');
	const fields = parse(frontmatter) as Record<string, string>;

	test('runs on a small model, for few turns', () => {
		expect(fields).toMatchObject({ model: 'haiku', maxTurns: 6 });
	});

	test('has no tool of the broker itself, and none for files, commands or the web', () => {
		const names = fields.disallowedTools?.split(', ') ?? [];
		expect(new Set(names).size).toBe(names.length);
		const tools = [...FILE_TOOLS, GLOB, GREP, ...COMMAND_TOOLS, ...EGRESS_TOOLS, ...MESSAGE_TOOLS];
		expect(names).toEqual(expect.arrayContaining([...tools, ...FULL_TOOL_NAMES]));
		expect(names).not.toContain('ToolSearch');
	});
});

describe('privacy-scanner.md', () => {
	const { text, frontmatter, body } = read('privacy-scanner.md');

	test('it names only tools that exist, none that writes or reaches out', () => {
		const { tools } = parse(frontmatter) as { tools: string };
		const names = tools.split(', ');
		expect(new Set(names).size).toBe(names.length);
		for (const name of names) expect([...BUILT_IN, ...FULL_TOOL_NAMES]).toContain(name);
		expect(names).toEqual(expect.arrayContaining([LOAD_CONTEXT, FIND_CONTEXT]));
	});

	test('the key stands in the body, once, and not in the frontmatter', () => {
		const [key, ...others] = body.match(/(?<=the key `)[^`]+(?=`)/g) ?? [];
		expect(others).toEqual([]);
		expect(key).toMatch(/^[a-z]+-[a-z0-9]{8}$/);
		expect(text.split(key ?? '')).toHaveLength(2);
		expect(frontmatter).not.toContain(key);
	});

	test('it knows the line by which a job tells a scan that ran', () => {
		const documented = /\/\^ \*(.+?)\$\/m/.exec(readFileSync(join(PLUGIN_ROOT, 'docs', 'errors.md'), 'utf8'))?.[1];
		expect(documented).toMatch(/^[\w: ]+$/);
		expect(body).toContain(`\`${documented}\``);
	});
});

test('no other file of the plugin that Claude Code reads holds a key', () => {
	const keys = readdirSync(FOLDER).flatMap(
		(file) => readFileSync(join(FOLDER, file), 'utf8').match(/(?<=the key `)[^`]+(?=`)/g) ?? [],
	);
	expect(keys).not.toHaveLength(0);
	for (const file of [
		'.mcp.json',
		'hooks/hooks.json',
		'.claude-plugin/plugin.json',
		'.claude-plugin/marketplace.json',
	]) {
		for (const key of keys) expect(readFileSync(join(PLUGIN_ROOT, file), 'utf8')).not.toContain(key);
	}
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { BUNDLED_AGENTS } from '../../server/guard/entitlement.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { FULL_TOOL_NAMES } from './tool-names.ts';

const FOLDER = join(PLUGIN_ROOT, 'agents');
const BUILT_IN = ['Read', 'Grep', 'Glob'];

/** What Claude Code honours in a plugin's agent, of which this plugin needs no more. */
const FIELDS = ['name', 'description', 'tools'];

test('the guard knows each of them', () => {
	const names = readdirSync(FOLDER).map((file) => `context-broker:${file.replace(/\.md$/, '')}`);
	expect(BUNDLED_AGENTS).toEqual(names);
});

describe.each(readdirSync(FOLDER))('%s', (file) => {
	const text = readFileSync(join(FOLDER, file), 'utf8');
	const [, frontmatter = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];

	// An agent file whose frontmatter does not parse is loaded with all tools.
	test('the frontmatter parses strictly, to exactly the fields that are meant', () => {
		const fields = parse(frontmatter, { strict: true, uniqueKeys: true }) as Record<string, unknown>;
		expect(Object.keys(fields)).toEqual(FIELDS);
		expect(fields.name).toBe(file.replace(/\.md$/, ''));
		for (const field of FIELDS) expect(fields[field]).toEqual(expect.stringMatching(/./));
	});

	test('it names only tools that exist, none that writes or reaches out', () => {
		const { tools } = parse(frontmatter) as { tools: string };
		const names = tools.split(', ');
		expect(new Set(names).size).toBe(names.length);
		for (const name of names) expect([...BUILT_IN, ...FULL_TOOL_NAMES]).toContain(name);
		expect(names).toContain(FULL_TOOL_NAMES[0]);
	});

	test('the key stands in the body, once, and not in the frontmatter', () => {
		const [key, ...others] = body.match(/(?<=the key `)[^`]+(?=`)/g) ?? [];
		expect(others).toEqual([]);
		expect(key).toMatch(/^[a-z]+-[a-z0-9]{8}$/);
		expect(text.split(key ?? '')).toHaveLength(2);
		expect(frontmatter).not.toContain(key);
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

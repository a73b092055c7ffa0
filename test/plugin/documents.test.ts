import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { CLAUDE_CODE_VARIABLES, OLDEST_CLAUDE_CODE } from '../../server/claude-code/client.ts';
import { RUN_SHELL_COMMAND } from '../../server/claude-code/tools.ts';
import { findCommand } from '../../server/cli/arguments.ts';
import { COMMANDS } from '../../server/cli/commands.ts';
import { parseContextMap } from '../../server/context-map/parse.ts';
import { knownNames, PROTECTIONS } from '../../server/context-map/schema.ts';
import { ERROR_CODES } from '../../server/errors.ts';
import { GIVEN_TO_COMMANDS, KNOWN_VARIABLES } from '../../server/exposure/settings.ts';
import { CONTENT_LIMIT } from '../../server/files/read-markdown.ts';
import { BUNDLED_AGENTS } from '../../server/policy/entitlement.ts';
import { Journal } from '../../server/record/journal.ts';
import { LastSession } from '../../server/record/last-session.ts';
import { namedVersions } from '../claude/harness/installed-clients.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { FULL_TOOL_NAMES } from './tool-names.ts';

function text(file: string): string {
	return readFileSync(join(PLUGIN_ROOT, file), 'utf8');
}

const README = text('README.md');
const DETAILS = ['search', 'protection', 'tools', 'servers', 'clients', 'machine', 'errors', 'agents'].map(
	(name) => `docs/${name}.md`,
);
/** The README, and what it leads to. */
const FOR_USERS = [README, ...DETAILS.map(text)].join('\n');
const [, SCANNER_KEY = ''] = /the key `([^`]+)`/.exec(text('agents/privacy-scanner.md')) ?? [];

test('every error code is explained, in the order of the list', () => {
	const rows = [...text('docs/errors.md').matchAll(/^\| `([a-z_]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, code]) => code);
	expect(rows).toEqual(ERROR_CODES);
});

test.each(['README.md', ...DETAILS])('the maps in %s are valid', (file) => {
	for (const map of blocksOf(file, 'toml')) {
		const platform = map.includes('\\') ? 'win32' : 'linux';
		const { faults } = parseContextMap(Buffer.from(map), { DATA_TOKEN: 'x' }, platform);
		expect(faults, map).toEqual([]);
	}
});

test('the first map in the README, and that of the demo, hold the key of the scanner', () => {
	const [first = ''] = blocksOf('README.md', 'toml');
	const demo = text('test/demo/config/context-broker/context-map.toml');
	for (const map of [first, demo]) {
		expect([...parseContextMap(Buffer.from(map)).entries.keys()]).toContain(SCANNER_KEY);
	}
});

test.each(['README.md', 'docs/agents.md'])('the agents in %s name keys that a map beside them gives them', (file) => {
	const entries = blocksOf(file, 'toml').flatMap((map) => {
		return [...parseContextMap(Buffer.from(map), { DATA_TOKEN: 'x' }).entries];
	});
	const agents = blocksOf(file, 'markdown');
	expect(agents).not.toEqual([]);
	for (const agent of agents) {
		const [, name] = /^name: (.+)$/m.exec(agent) ?? [];
		const keys = [...agent.matchAll(/ key `([^`]+)`/g)].map(([, key]) => key);
		expect(keys, agent).not.toEqual([]);
		for (const key of keys) {
			const listed = entries.flatMap(([each, { agents: names = [] }]) => (each === key ? names : []));
			expect(
				listed.map((each) => each.replace(/^.*:/, '')),
				key,
			).toContain(name);
		}
	}
});

test('names and figures are those of the code', () => {
	expect(README).toContain(`tools: ${FULL_TOOL_NAMES[0]}\n`);
	expect(FOR_USERS).toContain(`add \`${RUN_SHELL_COMMAND}\` to`);
	for (const name of PROTECTIONS) expect(FOR_USERS).toContain(`| \`${name}\` |`);
	expect(namedVersions().at(-1)).toBe(OLDEST_CLAUDE_CODE);
	expect(README).toContain(`**Claude Code** ${OLDEST_CLAUDE_CODE} or newer`);
	expect(README).toContain(`The newest tried are Claude Code ${namedVersions()[0]} and`);
	for (const name of [...CLAUDE_CODE_VARIABLES, ...BUNDLED_AGENTS, ...KNOWN_VARIABLES])
		expect(FOR_USERS).toContain(`\`${name}\``);
	expect(FOR_USERS).toContain(`more than ${CONTENT_LIMIT.toLocaleString('en')} characters`);
});

test('every table and field that the map may hold is explained, and no other', () => {
	const { document, keys, log: obsolete, ...tables } = knownNames();
	const names = [...document.map((name) => (name === 'mcp_servers' ? '[mcp_servers.NAME]' : `[${name}]`)), ...keys];
	for (const name of [...names, ...Object.values(tables).flat()])
		expect(FOR_USERS, name).toMatch(
			new RegExp(`\`${name.replace(/[[\].]/g, '\\$&')}( = [^\`]*)?\`|^ *${name} += `, 'm'),
		);
	const shown = [...FOR_USERS.matchAll(/`\[([a-z_]+)(?:\.NAME)?\]`/g)].map(([, table = '']) => table);
	expect([...new Set(shown)].sort()).toEqual(document.filter((name) => shown.includes(name)).sort());
});

test('every variable that is explained is one of the code, and the other way round', () => {
	const shown = [...FOR_USERS.matchAll(/\bCONTEXT_BROKER(_[A-Z_]+)?\b/g)].map(([name]) => name);
	const known = [...KNOWN_VARIABLES, ...GIVEN_TO_COMMANDS, 'CONTEXT_BROKER'];
	expect([...new Set(shown)].filter((name) => !known.includes(name))).toEqual([]);
	expect(KNOWN_VARIABLES.filter((name) => !shown.includes(name))).toEqual([]);
});

test('every command that is shown exists, and each that exists is shown', () => {
	const shown = [...FOR_USERS.matchAll(/(?:^\$ |`)context-broker ([a-z][a-z-]*(?: [a-z-]+)?)/gm)].map(
		([, words = '']) => words,
	);
	for (const words of shown) {
		const isKnown = ['help', 'prepare'].includes(words) || findCommand(words.split(' ')) !== undefined;
		expect(isKnown, words).toBe(true);
	}
	for (const { name } of COMMANDS) {
		const word = name.replace('tools ', '');
		expect(shown.some((words) => words.startsWith(name)) || FOR_USERS.includes(`\`${word}\``), name).toBe(true);
	}
});

test('what a session leaves in the data folder is listed', async () => {
	const folder = await temporaryFolder();
	const load = { session: 's1', agent: 'a1', type: 'reader', transcript: '/t.jsonl', loaded: true, private: true };
	await new Journal(folder, Date.now, () => {}).add([load]);
	await new LastSession(folder, Date.now).connected('2.1.332', { file: '/map.toml' });
	const names = await readdir(folder);
	expect(names).toHaveLength(2);
	for (const name of names) expect(text('docs/machine.md')).toContain(`| \`${name}\` |`);
});

test.each(['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/design.md', ...DETAILS])(
	'what %s links to in the repository exists',
	(file) => {
		const links = [...text(file).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
		for (const link of links.filter((each) => !each.startsWith('https://'))) {
			const [path = '', heading] = link.split('#');
			const target = path === '' ? file : join(dirname(file), path);
			expect(existsSync(join(PLUGIN_ROOT, target)), link).toBe(true);
			if (heading !== undefined) expect(headingsOf(target), link).toContain(heading);
		}
	},
);

test.each(['CONTRIBUTING.md', 'docs/design.md'])('the source files that %s names exist', (file) => {
	const files = ['server', 'test/claude', 'test/plugin'].flatMap((folder) =>
		readdirSync(join(PLUGIN_ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => basename(path)),
	);
	const exists = (path: string) => ['', 'server', 'test'].some((folder) => existsSync(join(PLUGIN_ROOT, folder, path)));
	const named = [...text(file).matchAll(/`([\w./-]+\.(?:ts|mjs|cjs))`/g)].map(([, path = '']) => path);
	expect(named.length).toBeGreaterThan(3);
	for (const path of named) expect(exists(path) || files.includes(path), path).toBe(true);
});

test('the command for one test file in CONTRIBUTING.md finds a test', () => {
	const named = [...text('CONTRIBUTING.md').matchAll(/`[^`\n]*vitest run [^`]*--project unit ([\w/-]+)`/g)].map(
		([, path = '']) => path,
	);
	expect(named).not.toEqual([]);
	for (const path of named) {
		const tests = readdirSync(join(PLUGIN_ROOT, 'test', dirname(path)));
		expect(
			tests.some((name) => name.startsWith(basename(path)) && name.endsWith('.test.ts')),
			path,
		).toBe(true);
	}
});

/** As links name them. */
function headingsOf(file: string): string[] {
	return [...text(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\w\s-]/g, '')
			.replaceAll(' ', '-'),
	);
}

/** The blocks of code in a language, without the indentation that a list gives them. */
function blocksOf(file: string, language: string): string[] {
	const blocks = text(file).matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\``, 'gms'));
	return Array.from(blocks, ([, indent = '', code = '']) => code.replace(new RegExp(`^${indent}`, 'gm'), ''));
}

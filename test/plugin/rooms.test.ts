import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { expect, test } from 'vitest';
import * as tools from '../../server/claude-code/tools.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';

const SERVER = join(PLUGIN_ROOT, 'server');

/**
 * What each room of `server/` may import: other rooms, and packages. A room is a folder, or a file beside them. Node's
 * own modules and a room's own files are free.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
	'bootstrap.cjs': ['bootstrap'],
	bootstrap: ['esbuild'],
	'main.ts': ['base.ts', 'programs.ts', 'record', 'search', 'serve.ts', 'standard-error.ts', 'terminal.ts', 'traces'],
	'base.ts': [
		'../package.json',
		'context-map',
		'env-file',
		'errors.ts',
		'files',
		'memoize.ts',
		'programs.ts',
		'paths',
		'standard-error.ts',
		'upstreams',
		'xdg-basedir',
	],
	'serve.ts': [
		'base.ts',
		'bootstrap',
		'claude-code',
		'context-map',
		'env-file',
		'errors.ts',
		'exposure',
		'files',
		'paths',
		'policy',
		'memoize.ts',
		'lifetime.ts',
		'main.ts',
		'processes',
		'protocol',
		'record',
		'search',
		'shell',
		'standard-error.ts',
		'tools',
		'traces',
		'upstreams',
	],
	'terminal.ts': [
		'base.ts',
		'claude-code',
		'cli',
		'doctor',
		'errors.ts',
		'files',
		'policy',
		'record',
		'search',
		'standard-error.ts',
		'tools',
	],
	'standard-error.ts': ['errors.ts'],
	'claude-code': ['bounded-map.ts', 'errors.ts', 'memoize.ts', 'paths', 'text', 'zod'],
	'bounded-map.ts': [],
	doctor: [
		'claude-code',
		'cli',
		'context-map',
		'env-file',
		'errors.ts',
		'exposure',
		'files',
		'policy',
		'processes',
		'record',
		'text',
		'traces',
		'upstreams',
	],
	'errors.ts': [],
	'memoize.ts': [],
	'lifetime.ts': [],
	'programs.ts': ['isolation', 'processes', 'shell', 'upstreams'],
	isolation: ['errors.ts'],
	'context-map': ['claude-code', 'errors.ts', 'memoize.ts', 'files', 'paths', 'text', 'smol-toml', 'zod'],
	cli: ['env-file', 'errors.ts', 'exposure', 'redaction', 'search', 'text'],
	'env-file': ['bootstrap', 'files', 'paths'],
	exposure: ['memoize.ts', 'text'],
	files: ['bootstrap', 'errors.ts'],
	policy: [
		'bounded-map.ts',
		'claude-code',
		'errors.ts',
		'memoize.ts',
		'context-map',
		'paths',
		'redaction',
		'record',
		'text',
		'traces',
		'zod',
	],
	paths: ['claude-code', 'errors.ts', 'unbash'],
	protocol: ['claude-code', 'errors.ts', 'text', 'tools', 'zod'],
	redaction: [],
	record: ['bootstrap', 'bounded-map.ts', 'claude-code', 'errors.ts', 'memoize.ts', 'files', 'text', 'zod'],
	processes: ['bootstrap'],
	search: ['errors.ts', 'processes', 'redaction'],
	shell: ['errors.ts', 'isolation', 'processes', 'text'],
	text: [],
	traces: ['bootstrap', 'claude-code', 'files', 'processes', 'redaction'],
	tools: [
		'claude-code',
		'errors.ts',
		'memoize.ts',
		'context-map',
		'exposure',
		'files',
		'policy',
		'search',
		'shell',
		'zod',
	],
	upstreams: [
		'claude-code',
		'errors.ts',
		'memoize.ts',
		'context-map',
		'exposure',
		'isolation',
		'processes',
		'protocol',
		'text',
		'@modelcontextprotocol/sdk',
		'zod',
	],
};

const files = readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
	.filter((name) => /\.(ts|mjs|cjs)$/.test(name))
	.map((name) => name.replaceAll(sep, '/'));

test('every room is listed', () => {
	expect(readdirSync(SERVER).sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

test.each(files)('%s imports only what its room may know', (file) => {
	const [room = ''] = file.split('/');
	const source = readFileSync(join(SERVER, file), 'utf8');
	const names = [...source.matchAll(IMPORTS)].map(([, name = '']) => name);
	for (const name of names) {
		if (name.startsWith('node:')) continue;
		const target = name.startsWith('.') ? join(dirname(file), name).replaceAll(sep, '/') : packageName(name);
		const targetRoom = target.startsWith('..') || !name.startsWith('.') ? target : (target.split('/')[0] ?? '');
		if (targetRoom !== room) expect(MAY_IMPORT[room], `${file} → ${name}`).toContain(targetRoom);
	}
});

/** Of all kinds: `import … from`, `export … from`, `import()`, also in types, and `require()`. */
const IMPORTS = /(?:\bfrom |\bimport |\bimport\(|\brequire\()\s*'([^']+)'/g;

/** Names of tools, paths and versions of Claude Code, as literals. Comments may speak of them. */
const OF_CLAUDE_CODE = new RegExp(
	[
		`(['"\`])(?:${toolNames().join('|')})\\1`,
		String.raw`\.jsonl\b`,
		String.raw`'(?:\.claude|subagents|tool-results)'`,
		String.raw`\b2\.1\.\d{2,}`,
	].join('|'),
	'g',
);

test.each(files.filter((file) => !file.startsWith('claude-code/')))(
	'%s knows nothing of Claude Code by itself',
	(file) => {
		const source = readFileSync(join(SERVER, file), 'utf8').replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '');
		expect([...source.matchAll(OF_CLAUDE_CODE)].map(([found]) => found)).toEqual([]);
	},
);

/** Those that the room names, but for words that mean other things, too. */
function toolNames(): string[] {
	const names: unknown[] = Object.values(tools).flatMap((value) => (typeof value === 'function' ? [] : value));
	return names.filter((name) => typeof name === 'string').filter((name) => /^[A-Z]/.test(name) && name !== 'Glob');
}

test('imports of all kinds are seen', () => {
	const kinds = [
		"import { a } from 'a';",
		"import type { b } from 'b';",
		"import {\n\tc,\n} from 'c';",
		"export { d } from 'd';",
		"import 'e';",
		"const { f } = await import('f');",
		"type G = typeof import('g');",
		"const h = require('h');",
		"const { i } = require('i').j;",
	];
	expect([...kinds.join('\n').matchAll(IMPORTS)].map(([, name]) => name)).toEqual([...'abcdefghi']);
});

function packageName(specifier: string): string {
	return specifier
		.split('/')
		.slice(0, specifier.startsWith('@') ? 2 : 1)
		.join('/');
}

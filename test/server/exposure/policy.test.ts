import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ExposableTool, exposureOf } from '../../../server/exposure/policy.ts';

const TOOLS: readonly ExposableTool[] = [
	{ name: 'load_context', exposure: 'safe' },
	{ name: 'run_shell_command', exposure: 'named' },
	{ name: 'docs__search', exposure: 'default' },
	{ name: 'docs__fetch-page', exposure: 'default' },
];

/** The names that are shown, by their first letters: l, r, s and f. */
function shown(enabled?: string, disabled?: string, tools = TOOLS): string {
	const list = (text?: string) => (text === undefined ? undefined : { text, source: 'environment' as const });
	const names = exposureOf(tools, { enabled: list(enabled), disabled: list(disabled) }).filter((tool) => tool.shown);
	return names.map(({ name }) => name.replace('docs__', '').slice(0, 1)).join('');
}

describe('which tools are shown', () => {
	test.each([
		[undefined, undefined, 'lsf'],
		['default', undefined, 'lsf'],
		['safe', undefined, 'l'],
		['all', undefined, 'lrsf'],
		['*', undefined, 'lrsf'],
		['ALL', undefined, 'lrsf'],
		['none', undefined, ''],
		['none,load_context', undefined, 'l'],
		['load_context', undefined, 'l'],
		['load-context', undefined, 'l'],
		['docs--fetch_page', undefined, 'f'],
		['run_shell_command', undefined, 'r'],
		['run_*', undefined, 'r'],
		['docs__*', undefined, 'sf'],
		['docs-_*', undefined, 'sf'],
		['default run_shell_command', undefined, 'lrsf'],
		['load_context, docs__search;run_shell_command\ndocs__fetch-page\t', undefined, 'lrsf'],
		['load_context,load_context', undefined, 'l'],
		[',', undefined, ''],
		['  \n ', undefined, ''],
		['no_such_tool', undefined, ''],
		['Load_Context', undefined, ''],
		['*context', undefined, ''],
		['load*context', undefined, ''],
		['l?ad_context', undefined, ''],
		['load_contex', undefined, ''],
		['load_context_', undefined, ''],
		['__proto__', undefined, ''],
		['constructor', undefined, ''],
		[undefined, 'all', ''],
		[undefined, '*', ''],
		[undefined, 'load_context,*', ''],
		['all', 'all', ''],
		[undefined, 'none', 'lsf'],
		[undefined, ',', 'lsf'],
		[undefined, 'no_such_tool', 'lsf'],
		[undefined, 'load_context', 'sf'],
		[undefined, 'load-context docs__*', ''],
		[undefined, 'safe', 'sf'],
		[undefined, 'default', ''],
		['all', 'default', 'r'],
		['all', 'run_shell_command', 'lsf'],
		['load_context', 'load_context', ''],
		['load_context', 'load*', ''],
		['none', 'none', ''],
	])('allowlist %j, denylist %j: %s', (enabled, disabled, expected) => {
		expect(shown(enabled, disabled)).toBe(expected);
	});
});

test('a tool that appears later is subject to the same rule', () => {
	const later = [
		...TOOLS,
		{ name: 'other__tool', exposure: 'default' as const },
		{ name: 'x', exposure: 'named' as const },
	];
	expect(shown(undefined, undefined, later)).toBe('lsfo');
	expect(shown('load_context', undefined, later)).toBe('l');
	expect(shown(undefined, 'all', later)).toBe('');
});

describe('what decided is told', () => {
	test.each([
		[undefined, undefined, { shown: true, list: undefined, source: undefined, selector: 'default' }],
		['*', undefined, { shown: true, list: 'enabled', source: 'environment', selector: '*' }],
		[
			'load*, load-context',
			undefined,
			{ shown: true, list: 'enabled', source: 'environment', selector: 'load-context' },
		],
		['none', undefined, { shown: false, list: 'enabled', source: 'environment', selector: undefined }],
		['all', 'safe', { shown: false, list: 'disabled', source: 'env_file', selector: 'safe' }],
	])('allowlist %j, denylist %j', (enabled, disabled, expected) => {
		const [tool] = exposureOf(TOOLS, {
			enabled: enabled === undefined ? undefined : { text: enabled, source: 'environment' },
			disabled: disabled === undefined ? undefined : { text: disabled, source: 'env_file' },
		});
		expect(tool).toEqual({ name: 'load_context', exposure: 'safe', ...expected });
	});

	test('a high-impact tool is hidden where no list names it', () => {
		const [, shell] = exposureOf(TOOLS, { enabled: undefined, disabled: undefined });
		expect(shell).toMatchObject({ shown: false, list: undefined, selector: undefined });
	});
});

const word = fc.oneof(
	fc.constantFrom('all', '*', 'none', 'default', 'safe', 'docs__*', 'run*', ',', 'x'),
	fc.constantFrom(...TOOLS.map(({ name }) => name)),
	fc.string(),
);
const list = fc.array(word, { maxLength: 6 });
const join = (words: readonly string[]) => words.join(' ');

describe('whatever the lists are', () => {
	test('a denial more never shows a tool more, and what is denied is never shown', () => {
		fc.assert(
			fc.property(list, list, word, (enabled, disabled, more) => {
				const before = shown(join(enabled), join(disabled));
				const after = shown(join(enabled), join([...disabled, more]));
				expect([...after].every((letter) => before.includes(letter))).toBe(true);
				expect(shown(join(enabled), join([...disabled, 'load_context']))).not.toContain('l');
			}),
		);
	});

	test('order and duplicates do not matter', () => {
		fc.assert(
			fc.property(list, list, (enabled, disabled) => {
				const expected = shown(join(enabled), join(disabled));
				const twice = (words: readonly string[]) => join([...words, ...words].reverse());
				expect(shown(twice(enabled), twice(disabled))).toBe(expected);
			}),
		);
	});

	test('only what exists is shown, each once, in its order', () => {
		fc.assert(
			fc.property(list, list, fc.subarray([...TOOLS]), (enabled, disabled, tools) => {
				expect('lrsf').toMatch(new RegExp([...shown(join(enabled), join(disabled), tools)].join('.*')));
				expect(shown(join(enabled), join(disabled), [])).toBe('');
			}),
		);
	});

	test('a high-impact tool is shown only if it is named, or all are', () => {
		fc.assert(
			fc.property(list, list, (enabled, disabled) => {
				const names = enabled.flatMap((text) => text.split(/[\s,;]+/)).map((text) => text.toLowerCase());
				const isNamed = names.some((text) => ['all', '*', 'run_shell_command', 'run*'].includes(text));
				if (!isNamed) expect(shown(join(enabled.filter((text) => text !== 'r*')), join(disabled))).not.toContain('r');
			}),
		);
	});
});

describe('a tool whose name was shortened', () => {
	const tool = { name: 'docs__get-anno_d052949f', exposure: 'default', origin: 'docs__get-annotated.message' } as const;

	test.each([
		['docs__get-anno_d052949f', true],
		['docs__get-annotated.message', true],
		['docs__get_annotated.message', true],
		['docs__get-annot*', true],
		['docs__get-annotated', false],
		['docs__get-annotated.message2', false],
	])('is named by its own name and by that of its server: %s', (text, isMeant) => {
		const list = { text, source: 'environment' } as const;
		const [denied] = exposureOf([tool], { enabled: undefined, disabled: list });
		const [allowed] = exposureOf([tool], { enabled: list, disabled: undefined });
		expect([denied?.shown, allowed?.shown]).toEqual([!isMeant, isMeant]);
	});
});

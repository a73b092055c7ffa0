import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reached, reachedIn } from '../place.ts';

const MEGABYTE = 1_000_000;

function repeated(text: string): string {
	return text.repeat(MEGABYTE / text.length);
}

/** Each takes about a second on a machine of its own; what is not linear meets the time limit of tests. */
describe('a megabyte of it takes no longer than it should', () => {
	const texts = [
		"'",
		'"',
		'`',
		'$(',
		'{',
		'}',
		'{,',
		'{a,b}',
		'*',
		'*a',
		'?',
		'[',
		'[a',
		'[!',
		'[[:a',
		']',
		'(',
		')',
		'<(',
		'<<a\n',
		'<<<',
		'\\',
		'$',
		'${',
		'${a',
		'${a:-',
		'$a',
		'$1',
		"$'",
		'"$(',
		'"`',
		'\'"',
		'/',
		'/.',
		'../',
		'a/../',
		'./',
		'~',
		'~/',
		'=',
		':',
		'a=',
		'-',
		'--',
		';',
		'|',
		'&&',
		'\n',
		' ',
		'\t',
		'#',
		'\0',
		'a',
		'a ',
		'a;',
		'sh;',
		'ls|',
		'find|',
		'find|sort|',
		'cd a;',
		'cd $a;',
		'cd ..;',
		'eval ',
		'sudo ',
		'xargs ',
		'X=$X$X;',
		'X+=$X$X;',
		'for a in b c; do $a ',
		'bash -c "',
		'*(',
		'@(a',
		'if ',
		'\u0301',
		'\ud800',
		'😀',
		'home/u/private',
		'/home/u/private/',
		'catalog.md/',
		'"/home/u/private/catalog.m"',
		'/* ',
		'**/',
		'**/a/',
	];
	test.each(texts)('%j', (text) => {
		const long = repeated(text);
		reachedIn(long);
		reached('PowerShell', { command: long });
		reached('Read', { file_path: long });
		reached('Glob', { pattern: long });
		reached('Grep', { pattern: 'x', path: long, glob: long });
	});

	test.each([
		['distinct words', (index: number) => `a${index} `],
		['distinct paths', (index: number) => `/a/${index} `],
		['distinct paths over links', (index: number) => `linked/../${index} `],
		['distinct variables', (index: number) => `A${index}=$A${index - 1}x;`],
		['distinct globs', (index: number) => `~/*${index}* `],
		['folders one after the other', (index: number) => `cd ${index};sh;`],
		['options', (index: number) => `--a${index}=b,c:d@e `],
		['searches', (index: number) => `grep -r a b${index};`],
		['braces', (index: number) => `{a,b${index}}{c,d} `],
	])('%s', (_, part) => {
		let text = '';
		for (let index = 0; text.length < MEGABYTE; index++) text += part(index);
		reachedIn(text);
		reached('PowerShell', { command: text });
	});
});

describe('no text throws', () => {
	const pieces = [
		"'",
		'"',
		'`',
		'$(',
		'${',
		'$',
		')',
		'(',
		'{',
		'}',
		'[',
		']',
		'*',
		'?',
		'\\',
		'\n',
		' ',
		';',
		'|',
		'&',
		'<',
		'>',
		'<<',
		'EOF',
		'~',
		'/',
		'..',
		'a',
		'=',
		':-',
		'#',
		'cd',
		'find',
		'bash',
		'-c',
		'eval',
		'for',
		'in',
		'do',
		'X',
		'-I',
		'xargs',
		'catalog.md',
		'private',
		'$HOME',
		'%',
		'\0',
	];
	const script = fc.oneof(
		fc.string({ unit: 'binary' }),
		fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join('')),
		fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(' ')),
	);

	test.each(['Bash', 'PowerShell', 'Read', 'Grep', 'Glob', 'other'])('in %s', (tool) => {
		fc.assert(
			fc.property(script, (text) => {
				reached(tool, { command: text, file_path: text, path: text, pattern: text, glob: text });
			}),
			{ numRuns: 2000 },
		);
	});
});

test('scripts that are nested too deeply, or too long together, are refused', () => {
	expect(reachedIn(`${'$('.repeat(50)}ls${')'.repeat(50)}`)).toBe('nothing');
	expect(reachedIn(`${'$('.repeat(200)}ls${')'.repeat(200)}`)).toBe('context-map.toml');
	expect(reachedIn('eval '.repeat(200))).toBe('context-map.toml');
	expect(reachedIn(`: ${'x'.repeat(9_000_000)}`)).toBe('context-map.toml');
});

import fc from 'fast-check';
import { parse } from 'unbash';
import { describe, expect, test } from 'vitest';
import { expectLinear, processorTime } from '../../support/growth.ts';
import { runs } from '../../support/runs.ts';
import { place, reached, reachedIn } from './place.ts';

const LONGEST_COMMAND = 128 * 1024;
const WINDOWS = place({ platform: 'win32' });

function repeated(text: string, length: number): string {
	return text.repeat(length / text.length);
}

describe('the longest command of it, and a megabyte elsewhere, takes twice as long as the half', () => {
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
		'find -exec ',
		'find|sort|',
		'gci -r a|gc;',
		"@'\n",
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
	test.each(texts)('%j', async (text) => {
		await expectLinear(1, (part) => async () => {
			const command = repeated(text, part * LONGEST_COMMAND);
			const long = repeated(text, part * 1_000_000);
			await reachedIn(command);
			await reached('PowerShell', { command });
			await reached('PowerShell', { command }, WINDOWS);
			await reached('mcp__x__run', { command: long });
			await reached('Read', { file_path: long });
			await reached('Glob', { pattern: long });
			await reached('Grep', { pattern: 'x', path: long, glob: long });
			await reached('Skill', { args: long });
		});
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
	])('%s', async (_, part) => {
		await expectLinear(LONGEST_COMMAND - 20, (size) => async () => {
			let command = '';
			for (let index = 0; command.length < size; index++) command += part(index);
			await reachedIn(command);
			await reached('PowerShell', { command });
			await reached('PowerShell', { command }, WINDOWS);
		});
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

	test.each(['Bash', 'PowerShell', 'Read', 'Grep', 'Glob', 'mcp__x__run', 'Skill'])('in %s', async (tool) => {
		await fc.assert(
			fc.asyncProperty(script, async (text) => {
				await reached(tool, { command: text, file_path: text, path: text, pattern: text, glob: text });
			}),
			{ numRuns: runs(2000) },
		);
	});
});

test('scripts that are nested too deeply, or too long together, are refused', async () => {
	expect(await reachedIn(`${'$('.repeat(50)}ls${')'.repeat(50)}`)).toBe('nothing');
	expect(await reachedIn(`${'$('.repeat(200)}ls${')'.repeat(200)}`)).toBe('context-map.toml');
	expect(await reachedIn(`: ${'x'.repeat(LONGEST_COMMAND - 2)}`)).toBe('nothing');
	expect(await reachedIn(`: ${'x'.repeat(LONGEST_COMMAND)}`)).toBe('context-map.toml');
});

test('a longer text of another tool is only searched for the names of paths', async () => {
	const code = `x = "${'y'.repeat(LONGEST_COMMAND)}";`;
	expect(await reached('mcp__x__run', { code })).toBe('nothing');
	expect(await reached('mcp__x__run', { code: `${code} open("/home/u/private/catalog.md")` })).toBe('catalog.md');
});

/** The least of three tries: the first is not compiled yet. */
async function leastTime(run: () => unknown): Promise<number> {
	const times: number[] = [];
	for (let tries = 0; tries < 3; tries++) times.push(await processorTime(run));
	return Math.min(...times);
}

test.each(['$(', 'sudo ', 'find -exec '])('128 KB of %j take little more than the parser does', async (text) => {
	const command = repeated(text, LONGEST_COMMAND);
	const parsing = await leastTime(() => parse(command));
	const own = await leastTime(async () => await reachedIn(command));
	// Measured alone: 40 to 215 ms, of which the parser takes 3 to 52. Ten times as much would fail in each case.
	expect(own).toBeLessThan(10 * parsing + 250);
});

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editEnvFile } from '../../../server/env-file/edit.ts';
import { parseEnvFile } from '../../../server/env-file/parse.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test.each([
	['', 'A='],
	['on', 'A=on'],
	['/home/jo/a_b-c.md', 'A=/home/jo/a_b-c.md'],
	['https://a.example:80/b', 'A=https://a.example:80/b'],
	['c2VjcmV0Cg==', 'A=c2VjcmV0Cg=='],
	['=a', "A='=a'"],
	['a b', "A='a b'"],
	[' ', "A=' '"],
	['a\tb', "A='a\tb'"],
	['#', "A='#'"],
	['~/a', "A='~/a'"],
	['a;b', "A='a;b'"],
	['$HOME', "A='$HOME'"],
	['`id`', "A='`id`'"],
	['C:\\new', "A='C:\\new'"],
	['"a"', `A='"a"'`],
	['ä', "A='ä'"],
	["it's", `A="it's"`],
	[`'"\\$\``, 'A="\'\\"\\\\\\$\\`"'],
	['a\nb\r\n', 'A="a\\nb\\r\\n"'],
	['a\\\nb', 'A="a\\\\\\nb"'],
])('%j is written as %j', (value, line) => {
	expect(editEnvFile('', 'A', value)).toBe(`${line}\n`);
	expect(parseEnvFile(line).get('A')).toBe(value);
});

/** What bash reads for each name, with no variable set before. */
function readWithBash(file: string, names: readonly string[]): string[] {
	// biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash's own
	const script = 'set -a; . "$1"; shift; set +a; for name; do printf "%s\\0" "${!name}"; done';
	const output = execFileSync('bash', ['--norc', '-c', script, '_', file, ...names], { env: {}, stdio: 'pipe' });
	return output.toString().split('\0').slice(0, -1);
}

const CHARACTERS = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const FORMS = [
	'',
	'A=',
	'export A=old',
	"A='old' # c",
	`A="old" # c`,
	`A="it's"# c`,
	'A=`old`',
	'A=old # c',
	'A= # c',
	"A='old\nold' #c",
	"A='old",
];

test.each(FORMS)('bash reads each value of one or two printable characters written into %j', async (form) => {
	const values = CHARACTERS.flatMap((first) => [first, ...CHARACTERS.map((second) => first + second)]);
	const lines = values.map((value, index) =>
		editEnvFile(form, 'A', value)
			.replace(/\bA\s*=/, `V${index}=`)
			.trimEnd(),
	);
	const file = join(await temporaryFolder(), 'env');
	await writeFile(file, `${lines.join('\n')}\n`);
	const names = values.map((_, index) => `V${index}`);
	expect(readWithBash(file, names)).toEqual(values);
});

test('bash reads any printable value, after any number of edits', async () => {
	const file = join(await temporaryFolder(), 'env');
	const value = fc.string({ unit: fc.constantFrom(...CHARACTERS, ...'\'"`\\$#= '), maxLength: 30 });
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...FORMS),
			fc.array(value, { minLength: 1, maxLength: 4 }),
			async (form, values) => {
				await writeFile(
					file,
					values.reduce((text, each) => editEnvFile(text, 'A', each), form),
				);
				expect(readWithBash(file, ['A'])).toEqual(values.slice(-1));
			},
		),
		{ numRuns: 200 },
	);
});

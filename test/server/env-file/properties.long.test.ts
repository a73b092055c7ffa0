import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEnvFile } from '../../../server/env-file/parse.ts';
import { editEnvFile } from '../../../server/env-file/write.ts';
import { runs } from '../../support/runs.ts';

const name = fc.constantFrom('A', 'B', 'C', '__proto__', 'constructor', 'export');
const ending = fc.constantFrom('\n', '\r\n', '\r', '\n\r');
const piece = fc.constantFrom(
	...'\'"`\\#$= \t',
	'\n',
	'\r',
	'\r\n',
	'a',
	'n',
	"'a'",
	'"a"',
	" # '",
	'A=',
	'B =',
	'export ',
);
/** As lists have them. */
const value = fc.stringMatching(/^[\w.*,-]{0,12}$/);

/** Lines as users write them, and others that are put together of what has a meaning. */
const line = fc.oneof(
	fc
		.tuple(
			fc.constantFrom('', ' ', 'export '),
			name,
			fc.constantFrom('=', ' = ', '= '),
			fc.string({ unit: piece, maxLength: 8 }),
		)
		.map((parts) => parts.join('')),
	fc
		.tuple(
			name,
			fc.constantFrom("'", '"', '`', ''),
			fc.string({ unit: piece, maxLength: 8 }),
			fc.constantFrom('', ' ', ' # c', '#c'),
		)
		.map(([left, quote, right, rest]) => `${left}=${quote}${right}${quote}${rest}`),
	fc.string({ unit: piece, maxLength: 8 }),
	fc.constantFrom('', '# A=1', '\ufeff', "# it's"),
);
const lines = fc.array(
	fc.tuple(line, ending).map((parts) => parts.join('')),
	{ maxLength: 8 },
);
const text = fc
	.tuple(fc.constantFrom('', '', '\ufeff'), lines, fc.oneof(fc.constant(''), line))
	.map(([mark, whole, last]) => mark + whole.join('') + last);

const RUNS = { numRuns: runs(5_000) };

function others(content: string, changed: string): [string, string][] {
	return [...parseEnvFile(content)].filter(([each]) => each !== changed);
}

describe('for any text, name and value', () => {
	test('what is set is what is read, and all other variables stay', () => {
		fc.assert(
			fc.property(text, name, value, (before, changed, set) => {
				const after = editEnvFile(before, changed, set);
				expect(parseEnvFile(after).get(changed)).toBe(set);
				expect(others(after, changed)).toEqual(others(before, changed));
			}),
			RUNS,
		);
	});

	test('what is removed is not there, and all other variables stay', () => {
		fc.assert(
			fc.property(text, name, (before, changed) => {
				const after = editEnvFile(before, changed, undefined);
				expect(parseEnvFile(after).has(changed)).toBe(false);
				expect(others(after, changed)).toEqual(others(before, changed));
			}),
			RUNS,
		);
	});

	test('the same edit once more changes nothing', () => {
		fc.assert(
			fc.property(text, name, fc.option(value, { nil: undefined }), (before, changed, set) => {
				const after = editEnvFile(before, changed, set);
				expect(editEnvFile(after, changed, set)).toBe(after);
			}),
			RUNS,
		);
	});

	test('an edit after another one is as if it were the only one, where both can keep the quotes', () => {
		fc.assert(
			fc.property(
				text,
				name,
				fc.stringMatching(/^[a-z]{1,9}$/),
				fc.stringMatching(/^[a-z]{1,9}$/),
				(before, changed, a, b) => {
					expect(editEnvFile(editEnvFile(before, changed, a), changed, b)).toBe(editEnvFile(before, changed, b));
				},
			),
			RUNS,
		);
	});

	test('removing what was added gives the text back, with a line ending at its end', () => {
		fc.assert(
			fc.property(text, value, (before, set) => {
				const after = editEnvFile(editEnvFile(before, 'NEW', set), 'NEW', undefined);
				expect(after.startsWith(before)).toBe(true);
				expect(after.slice(before.length)).toMatch(before === '' || /[\r\n]$/.test(before) ? /^$/ : /^(\r\n|\n|\r)$/);
			}),
			RUNS,
		);
	});

	test('a change leaves everything before and behind the value as it was', () => {
		fc.assert(
			fc.property(lines, lines, fc.constantFrom('', '\t', 'export '), value, (above, below, start, set) => {
				const [head, tail] = [above.join(''), below.join('')];
				const before = `${head}${start}NEW=old\n${tail}`;
				fc.pre(parseEnvFile(before).get('NEW') === 'old');
				const after = editEnvFile(before, 'NEW', set);
				expect(after.startsWith(`${head}${start}NEW=`)).toBe(true);
				expect(after.endsWith(`\n${tail}`)).toBe(true);
				expect(after.slice(head.length, after.length - tail.length)).toMatch(/^[^\r\n]*\n$/);
				expect(editEnvFile(before, 'NEW', undefined)).toBe(head + tail);
			}),
			RUNS,
		);
	});
});

describe('no text takes long', () => {
	const LENGTH = 500_000;

	test.each([
		...["'", '"', '`', '\\', '=', ' ', '#', 'A', '\n', '\r', '\ufeff', 'export ', "A='", 'A="', 'A=`'],
		...[
			"A='\n",
			'A="\\\n',
			'A=`x\n',
			`A='x\nA="x\nA=\`x\n`,
			`A='"\`\n`,
			'A="\\"\n',
			"A='' x\n",
			'A=# \n',
			'= \t',
			'A =',
			' #',
			'\\"',
		],
	])('%j again and again', (part) => {
		const repeated = part.repeat(LENGTH / part.length);
		for (const long of [repeated, `A="${repeated}`, `A=1${repeated}\nB='`]) {
			const set = editEnvFile(long, 'A', 'x');
			expect(parseEnvFile(set).get('A')).toBe('x');
			expect(parseEnvFile(editEnvFile(set, 'A', undefined)).has('A')).toBe(false);
		}
	});
});

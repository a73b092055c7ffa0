import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expand, expandList, expandTable, Fault } from '../../../server/context-map/expand.ts';

const ENVIRONMENT = { A: 'a', _b1: 'b', EMPTY: '', NESTED: `\${A}`, DOLLARS: "$& $1 $$ $' $`" };

/** `[text, text with the variables in]`; `{` stands for a dollar sign and that. */
const EXPANDED: readonly (readonly [string, string])[] = [
	['', ''],
	['plain', 'plain'],
	['{A}', 'a'],
	['x{A}y{_b1}z{A}', 'xaybza'],
	['{EMPTY}', ''],
	['{NESTED}', '{A}'],
	['{DOLLARS}', ENVIRONMENT.DOLLARS],
	['$A $ $$ $1 }', '$A $ $$ $1 }'],
	['\u0024{A}', '$a'],
	['\\{A}', '\\a'],
	['{A}}', 'a}'],
	['{A}\n{A}', 'a\na'],
].map(([text, whole]) => [dollars(text), dollars(whole)] as const);

/** So that no text of this file looks like a template of its own. */
function dollars(text = ''): string {
	return text.replaceAll('{', '\u0024{');
}

function fault(text: string, environment: NodeJS.ProcessEnv = ENVIRONMENT): string {
	try {
		expand(text, environment, ['url']);
	} catch (error) {
		if (error instanceof Fault && error.path.join() === 'url') return error.message;
		throw error;
	}
	throw new Error('it was accepted');
}

test.each(EXPANDED)('%j is %j', (text, whole) => {
	expect(expand(text, ENVIRONMENT, [])).toBe(whole);
});

describe('what is no variable, or none that is set', () => {
	test.each(['{B}', '{a}', 'x{A}{B}', '{constructor}', '{__proto__}', '{toString}', '{hasOwnProperty}'])(
		'%s',
		(text) => {
			expect(fault(dollars(text))).toBe('a variable in it is not set');
		},
	);

	test.each(['{', '{}', '{A', '{ A}', '{A }', '{1A}', '{A-B}', '{A:-x}', '{{A}}', '{é}', 'x{A}{', '{A\n}', '{a.b}'])(
		'%j',
		(text) => {
			expect(fault(dollars(text))).toBe(dollars('{ begins a variable: {NAME}'));
		},
	);

	test('one that is undefined', () => {
		expect(fault(dollars('{A}'), { A: undefined })).toBe('a variable in it is not set');
	});
});

test.each(['constructor', '__proto__', 'toString'])('a variable of the name %s is one like all others', (name) => {
	expect(expand(dollars(`{${name}}`), Object.fromEntries([[name, 'x']]), [])).toBe('x');
});

test('it takes time linear in the length of the text', () => {
	expect(fault(dollars('{A'.repeat(500_000)))).toBe(dollars('{ begins a variable: {NAME}'));
	expect(fault(dollars(`{${'A'.repeat(1_000_000)}`))).toBe(dollars('{ begins a variable: {NAME}'));
	expect(expand('$'.repeat(1_000_000), {}, [])).toHaveLength(1_000_000);
});

test('a fault in a list or a table is told by its place in it', () => {
	const text = dollars('{B}');
	expect(() => expandList(['x', text], ENVIRONMENT, ['args'])).toThrow(
		expect.objectContaining({ path: ['args', 1] }) as Error,
	);
	expect(() => expandTable({ a: 'x', b: text }, ENVIRONMENT, ['env'])).toThrow(
		expect.objectContaining({ path: ['env', 'b'] }) as Error,
	);
});

describe('for any texts', () => {
	const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
	const value = fc.string({ unit: 'grapheme' });
	const plain = fc.string({ unit: 'grapheme' }).filter((text) => !/\$\{|\$$/.test(text));
	/** Texts of which no end begins a variable, with the names of variables after each but the last. */
	const parts = fc.tuple(fc.array(fc.tuple(plain, name), { maxLength: 6 }), plain);

	test('each variable is its value, whatever that is, and the rest stays', () => {
		fc.assert(
			fc.property(parts, fc.func(value), ([pairs, last], choose) => {
				const environment = Object.fromEntries(pairs.map(([, variable]) => [variable, choose(variable)]));
				const text = pairs.map(([before, variable]) => `${before}\u0024{${variable}}`).join('') + last;
				const whole = pairs.map(([before, variable]) => before + choose(variable)).join('') + last;
				expect(expand(text, environment, [])).toBe(whole);
			}),
		);
	});

	test('one that is not set is a fault, wherever it stands', () => {
		fc.assert(
			fc.property(parts, fc.nat(), ([pairs, last], pick) => {
				fc.pre(pairs.length > 0);
				const [, unset = ''] = pairs[pick % pairs.length] ?? [];
				const set = pairs.filter(([, variable]) => variable !== unset).map(([, variable]) => [variable, 'x']);
				const text = pairs.map(([before, variable]) => `${before}\u0024{${variable}}`).join('') + last;
				expect(fault(text, Object.fromEntries(set))).toBe('a variable in it is not set');
			}),
		);
	});

	test('a table keeps its names', () => {
		fc.assert(
			fc.property(fc.dictionary(value, plain), (table) => {
				expect(Object.entries(expandTable(table, {}, []))).toEqual(Object.entries(table));
			}),
		);
		const hostile = Object.fromEntries([['__proto__', 'x']]);
		expect(Object.entries(expandTable(hostile, {}, []))).toEqual([['__proto__', 'x']]);
	});
});

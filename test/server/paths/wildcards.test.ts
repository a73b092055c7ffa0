import { expect, test } from 'vitest';
import { UNKNOWN } from '../../../server/paths/pattern.ts';
import { expandBraces, fitsName } from '../../../server/paths/wildcards.ts';

test.each([
	['a', 'a', true],
	['a', 'b', false],
	['', '', true],
	['*', '', true],
	['*', 'abc', true],
	['a*c', 'abbc', true],
	['a*c', 'abcd', false],
	['*a*b*', 'xaxbx', true],
	['*a*b*', 'xbxax', false],
	['?', 'é', true],
	['?', '😀', true],
	['??', 'a', false],
	['[a-c]', 'b', true],
	['[a-c]', '-', false],
	['[a-]', '-', true],
	['[]a]', ']', true],
	['[!a-c]', 'b', false],
	['[^a-c]', 'd', true],
	['[[:digit:]]', '1', true],
	['[', '[', true],
	['[a', '[a', true],
	['\\*', '*', true],
	['\\*', 'a', false],
	['*.md', '.md', false],
	['.*', '.md', true],
	[`${UNKNOWN}.md`, '.md', true],
	[`a${UNKNOWN}`, 'abc', true],
])('whether %j stands for %j: %s', (pattern, name, expected) => {
	expect(fitsName(pattern, name, false)).toBe(expected);
});

test('a wildcard at the start stands for a dot only where it is told to', () => {
	for (const pattern of ['*.md', '?x.md', '[.]x.md']) {
		expect(fitsName(pattern, '.x.md', false)).toBe(false);
		expect(fitsName(pattern, '.x.md', true)).toBe(true);
	}
});

test.each([
	['a', ['a']],
	['{a,b}', ['a', 'b']],
	['x{a,b}y', ['xay', 'xby']],
	['{a,{b,c}d}', ['a', 'bd', 'cd']],
	['{a,}', ['a', '']],
	['{a}', ['{a}']],
	['{}', ['{}']],
	['{a,b', ['{a,b']],
	['a,b}', ['a,b}']],
	['\\{a,b\\}', ['\\{a,b\\}']],
	['{x}{a,b}', ['{x}a', '{x}b']],
	['{1..9}', [UNKNOWN]],
])('%j stands for %j', (pattern, expected) => {
	expect(expandBraces(pattern)).toEqual(expected);
});

test('more alternatives than can be gone through are unknown', () => {
	const expanded = expandBraces('{a,b}'.repeat(7));
	expect(expanded).toHaveLength(64);
	for (const pattern of expanded) expect(pattern).toMatch(/^[ab]{6}\0$/);
});

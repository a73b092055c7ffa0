import { expect, test } from 'vitest';
import { expandBraces, matchesName } from '../../../server/paths/wildcards.ts';

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
	['[z-a]x', 'bx', true],
	['a*+c', 'ab+c', true],
	['*1*0', '1 0', true],
])('whether %j stands for %j: %s', (pattern, name, expected) => {
	expect(matchesName(pattern, name, false)).toBe(expected);
});

test('a wildcard at the start stands for a dot only where it is told to', () => {
	for (const pattern of ['*.md', '?x.md', '[.]x.md']) {
		expect(matchesName(pattern, '.x.md', false)).toBe(false);
		expect(matchesName(pattern, '.x.md', true)).toBe(true);
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
	['{1..9}', ['*']],
])('%j stands for %j', (pattern, expected) => {
	expect(expandBraces(pattern).sort()).toEqual(expected.sort());
});

test('what stands for more than can be gone through stands for anything', () => {
	expect(expandBraces(`a/${'{a,b}'.repeat(7)}.md`)).toEqual(['a/*.md']);
});

test('a pattern that fits nowhere is given up soon', () => {
	const start = performance.now();
	for (const pattern of ['*a'.repeat(100), '*?'.repeat(100), '[a-z]*'.repeat(100)])
		matchesName(`${pattern}b`, 'a'.repeat(255), true);
	expect(performance.now() - start).toBeLessThan(30_000);
});

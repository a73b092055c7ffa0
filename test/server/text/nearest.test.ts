import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest } from '../../../server/text/nearest.ts';

test.each([
	['pth', 'path'],
	['agent', 'agents'],
	['Agents', 'agents'],
	['file', 'path'],
	['', 'path'],
])('%s is nearest to %s', (name, expected) => {
	expect(nearest(name, ['path', 'agents'])).toBe(expected);
});

test('there is none among no candidates', () => {
	expect(nearest('a', [])).toBeUndefined();
});

test('a candidate is nearest to itself', () => {
	fc.assert(
		fc.property(fc.uniqueArray(fc.string({ maxLength: 90 }), { minLength: 1 }), (candidates) => {
			for (const candidate of candidates) expect(nearest(candidate, candidates)).toBe(candidate);
		}),
	);
});

test('a name of a megabyte takes no time', () => {
	expect(nearest('p'.repeat(1_000_000), ['path', 'agents'])).toBe('path');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CERTAIN, hashOf, PhraseTable, RangeHashes } from '../../../server/redaction/phrases.ts';

const streamOf = (text: string) => Uint16Array.from(text, (letter) => letter.charCodeAt(0));

test('phrases with one hash are told apart', () => {
	const table = new PhraseTable();
	table.add('abc', 1, CERTAIN, 7);
	table.add('abd', 2, CERTAIN, 7);
	const other = 'xabdabcabe';
	expect([1, 4, 7].map((start) => table.find(other, start, start + 3, 7)?.line)).toEqual([2, 1, undefined]);
	expect(table.find(other, 1, 3, 7)).toBeUndefined();
	expect(table.lengths()).toEqual([3]);
});

test('a table holds what was added, whatever its size', () => {
	const letters = Array.from({ length: 5000 }, (_, n) => String.fromCharCode(n + 1)).join('');
	const hashes = new RangeHashes(streamOf(letters));
	const table = new PhraseTable();
	const places = Array.from({ length: 4997 }, (_, n): [number, number] => [n, n + 1 + (n % 3)]);
	for (const [start, end] of places) table.add(letters.slice(start, end), start);
	for (const [start, end] of places) expect(table.find(letters, start, end, hashes.of(start, end))?.line).toBe(start);
	expect(table.lengths()).toEqual([3, 2, 1]);
});

test('equal ranges have equal hashes, wherever they stand', () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (text, before, after, other) => {
			const hashes = new RangeHashes(streamOf(before + text + after));
			const [start, end] = [before.length, before.length + text.length];
			expect(hashes.of(start, end)).toBe(new RangeHashes(streamOf(text + other)).of(0, text.length));
			expect(hashes.of(start, end)).toBe(hashOf(text));
		}),
	);
});

test('of 100,000 different ranges hardly any share a hash', () => {
	const numbers = Array.from({ length: 100_000 }, (_, n) => String(n).padStart(6, '0'));
	const hashes = new RangeHashes(streamOf(numbers.join('')));
	const different = new Set(numbers.map((_, n) => hashes.of(n * 6, n * 6 + 6)));
	expect(different.size).toBeGreaterThan(99_900);
});

import { expect, test } from 'vitest';
import { truncate } from '../../../server/text/truncate.ts';

test.each([
	['abc', 2, 'ab'],
	['abc', 5, 'abc'],
	['a🎉c', 2, 'a'],
	['a🎉c', 3, 'a🎉'],
	['🎉🎉', 3, '🎉'],
	['🎉', 0, ''],
])('of %j the first %i', (text, length, beginning) => {
	expect(truncate(text, length)).toBe(beginning);
});

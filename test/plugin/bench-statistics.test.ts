import { expect, test } from 'vitest';
import { median, percentile } from '../bench/statistics.mjs';

test.each([
	[[7], 7],
	[[9, 1, 5], 5],
	[[10, 9, 1, 2], 5.5],
])('the median of %j is %d', (values, expected) => {
	expect(median(values)).toBe(expected);
});

test('a percentile is a value that was measured', () => {
	const values = Array.from({ length: 200 }, (_, index) => 200 - index);
	expect(percentile(values, 0.99)).toBe(198);
	expect(percentile(values, 0.5)).toBe(100);
	expect(percentile(values, 1)).toBe(200);
	expect(percentile([3], 0.99)).toBe(3);
	expect(percentile([3, 4], 0)).toBe(3);
});

test('the values stay in their order', () => {
	const values = [3, 1, 2];
	median(values);
	percentile(values, 0.5);
	expect(values).toEqual([3, 1, 2]);
});

test('of nothing there is none', () => {
	expect(() => median([])).toThrow(RangeError);
	expect(() => percentile([], 0.5)).toThrow(RangeError);
});

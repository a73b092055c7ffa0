import { expect, test } from 'vitest';
import { toTable } from '../bench/report.mjs';
import { difference, holds, isFarOff, ratio, value } from '../bench/row.mjs';

test.each([
	['at the target', ratio('a', 'ms', 12, ['b', 10], 1.2), true, false],
	['a little off', ratio('a', 'ms', 17, ['b', 10], 1.2), false, false],
	['by more than half again', ratio('a', 'ms', 19, ['b', 10], 1.2), false, true],
	['a time, which depends on the machine', value('a', 'ms', 10_000, 1), false, false],
	['a difference of times', difference('a', 'ms', 100, ['b', 10], 5), false, false],
	['without a target', ratio('a', 'ms', 100, ['b', 10]), undefined, false],
])('%s', (_, row, held, farOff) => {
	expect(holds(row)).toBe(held);
	expect(isFarOff(row)).toBe(farOff);
});

test('the table shows what was measured, against what, and whether it holds', () => {
	const rows = [
		ratio('a call', 'ms', 1.5, ['another', 1.25], 1),
		difference('a share', 'ms', 104, ['without', 100], 5),
		value('a size', 'MB', 42),
	];
	expect(toTable(rows).split('\n').slice(2)).toEqual([
		'a call   1.50 ms  another        1.25 ms    1.20     ≤ 1  ✘',
		'a share   104 ms  without         100 ms  + 4 ms  ≤ 5 ms  ✔',
		'a size     42 MB',
	]);
});

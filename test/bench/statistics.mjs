/** @param {readonly number[]} values at least one @returns {number} */
export function median(values) {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	return (at(sorted, Math.ceil(middle) - 1) + at(sorted, Math.floor(middle))) / 2;
}

/**
 * The nearest rank: a measured value, not an interpolated one.
 *
 * @param {readonly number[]} values at least one
 * @param {number} fraction 0.99 for the value that 99 of 100 do not exceed
 * @returns {number}
 */
export function percentile(values, fraction) {
	const sorted = values.toSorted((a, b) => a - b);
	return at(sorted, Math.max(Math.ceil(fraction * sorted.length) - 1, 0));
}

/** @param {readonly number[]} values @param {number} index */
function at(values, index) {
	const value = values[index];
	if (value === undefined) throw new RangeError('there is nothing measured');
	return value;
}

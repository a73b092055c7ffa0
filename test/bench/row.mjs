/**
 * One figure, measured.
 *
 * @typedef {object} Row
 * @property {string} figure
 * @property {Unit} unit of the two values
 * @property {number} broker
 * @property {string} [against] what it is compared with
 * @property {number} [other] the value of that
 * @property {number} [ratio] of the first to the second
 * @property {number} [difference] of the first from the second, where that is what counts
 * @property {Target} [target]
 */

/** @typedef {'ms' | 'MB' | 'packages'} Unit */
/** @typedef {{ of: 'ratio' | 'value' | 'difference', limit: number }} Target none is exceeded */

/** @param {string} figure @param {Unit} unit @param {number} broker @param {number} [limit] @returns {Row} */
export function value(figure, unit, broker, limit) {
	return { figure, unit, broker, ...(limit === undefined ? {} : { target: { of: 'value', limit } }) };
}

/**
 * @param {string} figure
 * @param {Unit} unit
 * @param {number} broker
 * @param {[string, number]} other its name and its value
 * @param {number} [limit]
 * @returns {Row}
 */
export function ratio(figure, unit, broker, [against, other], limit) {
	const row = { figure, unit, broker, against, other, ratio: broker / other };
	return limit === undefined ? row : { ...row, target: { of: 'ratio', limit } };
}

/**
 * @param {string} figure
 * @param {Unit} unit
 * @param {number} broker
 * @param {[string, number]} other
 * @param {number} limit
 * @returns {Row}
 */
export function difference(figure, unit, broker, [against, other], limit) {
	return { figure, unit, broker, against, other, difference: broker - other, target: { of: 'difference', limit } };
}

/** What the target is about. @param {Row} row @returns {number} */
export function measuredOf({ broker, ratio, difference, target }) {
	const measured = { ratio, difference, value: broker }[target?.of ?? 'value'];
	return measured ?? broker;
}

/** @param {Row} row @returns {boolean | undefined} undefined without a target */
export function holds(row) {
	return row.target && measuredOf(row) <= row.target.limit;
}

/** Whether a ratio is so far off that noise does not explain it. @param {Row} row */
export function isFarOff(row) {
	return row.target?.of === 'ratio' && measuredOf(row) > 1.5 * row.target.limit;
}

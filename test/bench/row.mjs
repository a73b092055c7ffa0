/**
 * One measured figure.
 *
 * @typedef {object} Row
 * @property {string} figure
 * @property {Unit} unit the unit of the two values
 * @property {number} broker
 * @property {string} [against] what the broker is compared with
 * @property {number} [other] its value
 * @property {number} [ratio] the broker's value divided by the other
 * @property {number} [difference] the broker's value minus the other, if that is what counts
 * @property {Target} [target]
 */

/** @typedef {'ms' | 'MB' | 'packages'} Unit */
/** @typedef {{ of: 'ratio' | 'value' | 'difference', limit: number }} Target an upper limit */

/** @param {string} figure @param {Unit} unit @param {number} broker @param {number} [limit] @returns {Row} */
export function value(figure, unit, broker, limit) {
	return { figure, unit, broker, ...(limit === undefined ? {} : { target: { of: 'value', limit } }) };
}

/**
 * @param {string} figure
 * @param {Unit} unit
 * @param {number} broker
 * @param {[string, number]} other the other's name and value
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

/** The number that the target limits. @param {Row} row @returns {number} */
export function measuredOf({ broker, ratio, difference, target }) {
	const measured = { ratio, difference, value: broker }[target?.of ?? 'value'];
	return measured ?? broker;
}

/** @param {Row} row @returns {boolean | undefined} undefined if there is no target */
export function holds(row) {
	return row.target && measuredOf(row) <= row.target.limit;
}

/** Whether a ratio misses its target by more than noise explains. @param {Row} row */
export function isFarOff(row) {
	return row.target?.of === 'ratio' && measuredOf(row) > 1.5 * row.target.limit;
}

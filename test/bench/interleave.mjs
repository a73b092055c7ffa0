/**
 * Measures in turns, A B C A B C …, so that other load on the machine affects all of them alike.
 *
 * @template {string} Name
 * @param {number} rounds
 * @param {Record<Name, () => Promise<number | readonly number[]>>} measures each returns one value or a batch
 * @returns {Promise<Record<Name, number[]>>}
 */
export async function interleave(rounds, measures) {
	/** @type {[Name, () => Promise<number | readonly number[]>][]} */
	const entries = /** @type {any} */ (Object.entries(measures));
	const series = entries.map(([name, measure]) => ({ name, measure, values: /** @type {number[]} */ ([]) }));
	for (let round = 0; round < rounds; round++) {
		for (const { measure, values } of series) values.push(...[await measure()].flat());
	}
	return /** @type {any} */ (Object.fromEntries(series.map(({ name, values }) => [name, values])));
}

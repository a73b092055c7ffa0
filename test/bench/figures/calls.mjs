import { withClient } from '../client.mjs';
import { ratio } from '../row.mjs';
import { median, percentile } from '../statistics.mjs';
import { catalog, LARGE, load, User } from '../user.mjs';

/** How often the broker and the floor server are started each. */
const TURNS = 3;

/**
 * The round trip of a call to a running, warm process.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function calls({ isShort }) {
	const user = new User({ small: catalog(10_000), large: catalog(LARGE) });
	user.build();
	const small = await compare(user, 'small', isShort ? 4 : 10, 250);
	const large = await compare(user, 'large', isShort ? 5 : 20, 5);
	const [typical, worst] = [median(small.broker), percentile(small.broker, 0.99)];
	return [
		ratio('call of 10 KB, median', 'ms', typical, ['30-line server', median(small.floor)], 1.2),
		ratio('call of 10 KB, 99 of 100 are faster', 'ms', worst, ['median of the 30-line server', median(small.floor)], 5),
		ratio('call of 10 KB, 99 of 100 are faster', 'ms', worst, ['its own median', typical]),
		ratio('call of 10 KB, 99 of 100 are faster', 'ms', worst, ['30-line server', percentile(small.floor, 0.99)]),
		ratio('call of 480,000 characters', 'ms', median(large.broker), ['30-line server', median(large.floor)], 1.5),
	];
}

/**
 * Measures one after the other: if two processes wait for each other, the system favours one.
 *
 * @param {User} user
 * @param {string} key
 * @param {number} rounds
 * @param {number} batch
 */
async function compare(user, key, rounds, batch) {
	/** @type {{ broker: number[], floor: number[] }} */
	const times = { broker: [], floor: [] };
	for (let turn = 0; turn < TURNS; turn++) {
		for (const name of /** @type {const} */ (['broker', 'floor'])) {
			await withClient(user[name], async (client) => {
				await client.introduce();
				// Warm-up, until V8 has compiled the hot code.
				for (let round = 0; round < 20; round++) await client.timeAll(batch, load(key));
				for (let round = 0; round < rounds; round++) times[name].push(...(await client.timeAll(batch, load(key))));
			});
		}
	}
	return times;
}

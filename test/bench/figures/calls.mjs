import { withClient } from '../client.mjs';
import { interleave } from '../interleave.mjs';
import { ratio } from '../row.mjs';
import { median, percentile } from '../statistics.mjs';
import { catalog, LARGE, load, User } from '../user.mjs';

/** @typedef {import('../client.mjs').Client} Client */

/**
 * The round trip of a call to a process that is warm.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function calls({ isShort }) {
	const user = new User({ small: catalog(10_000), large: catalog(LARGE) });
	user.build();
	return await withClient(user.broker, (broker) =>
		withClient(user.floor, async (floor) => {
			await Promise.all([broker.introduce(), floor.introduce()]);
			// The first call after a turn of the other waits for the process to wake: less than one in a hundred.
			const small = await compare(broker, floor, 'small', isShort ? 8 : 20, 250);
			const large = await compare(broker, floor, 'large', isShort ? 10 : 40, 5);
			const [typical, worst] = [median(small.broker), percentile(small.broker, 0.99)];
			return [
				ratio('call of 10 KB, p50', 'ms', typical, ['30-line server', median(small.floor)], 1.2),
				ratio('call of 10 KB, p99', 'ms', worst, ['p50 of the 30-line server', median(small.floor)], 5),
				ratio('call of 10 KB, p99', 'ms', worst, ['its own p50', typical]),
				ratio('call of 10 KB, p99', 'ms', worst, ['30-line server', percentile(small.floor, 0.99)]),
				ratio('call of 480,000 characters', 'ms', median(large.broker), ['30-line server', median(large.floor)], 1.5),
			];
		}),
	);
}

/** @param {Client} broker @param {Client} floor @param {string} key @param {number} rounds @param {number} batch */
async function compare(broker, floor, key, rounds, batch) {
	const measures = {
		broker: () => broker.timeAll(batch, load(key)),
		floor: () => floor.timeAll(batch, load(key)),
	};
	// Until what runs often is compiled.
	await interleave(20, measures);
	return await interleave(rounds, measures);
}

import { timeStart } from '../client.mjs';
import { interleave } from '../interleave.mjs';
import { ratio } from '../row.mjs';
import { median } from '../statistics.mjs';
import { catalog, load, User } from '../user.mjs';

const MANY = 50;

/**
 * Brokers that start at the same time and get one request each. All must answer.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function many({ isShort }) {
	const user = new User({ small: catalog(10_000) });
	user.build();
	const single = () => timeStart(user.broker, load('small'));
	const times = await interleave(isShort ? 1 : 3, {
		one: async () => [await single(), await single(), await single()],
		all: async () => Math.max(...(await Promise.all(Array.from({ length: MANY }, single)))),
	});
	return [ratio(`${MANY} brokers at once`, 'ms', median(times.all), ['one cold start', median(times.one)], 60)];
}

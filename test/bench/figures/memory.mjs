import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '../client.mjs';
import { interleave } from '../interleave.mjs';
import { residentOf } from '../resident.mjs';
import { ratio } from '../row.mjs';
import { median } from '../statistics.mjs';
import { catalog, load, User } from '../user.mjs';

/**
 * The memory of an idle process that has answered once.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function memory({ rounds, isShort }) {
	const user = new User({ small: catalog(10_000) });
	user.build();
	/** @param {import('../client.mjs').Program} program */
	const idle = (program) =>
		withClient(program, async (client) => {
			await client.introduce();
			await client.call(load('small'));
			await delay(500);
			return residentOf(client.pid);
		});
	const sizes = await interleave(isShort ? 3 : rounds, {
		broker: () => idle(user.broker),
		floor: () => idle(user.floor),
	});
	return [ratio('memory, idle', 'MB', median(sizes.broker), ['30-line server', median(sizes.floor)], 1.25)];
}

import type { Random } from '../random.ts';
import type { Run } from '../row.ts';

/**
 * Tries by their indexes, so many at a time, until all were tried or the time of the row is over.
 *
 * @param attempt what does not hold, in a line; undefined where all does. What it throws does not hold either
 */
export async function tryAll(
	run: Run,
	width: number,
	attempt: (index: number, random: Random) => Promise<string | undefined>,
): Promise<void> {
	let next = 0;
	const work = async () => {
		while (next < run.count && !run.isLate()) {
			const index = next++;
			const fault = await attempt(index, run.random(index)).catch((error: unknown) => `it ended: ${error}`);
			run.tried();
			if (fault !== undefined) run.fail(index, fault);
		}
	};
	await Promise.all(Array.from({ length: width }, work));
}

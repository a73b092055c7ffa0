import { expect } from 'vitest';

/** What a garbage collection can add, in milliseconds. */
const NOISE_MS = 200;

/**
 * Of twice as much, something takes about twice as long: what grows with the square takes four times as long. Time is that
 * of the processor, which does not pass while others use it, and the least of some tries.
 *
 * @param prepare returns what is done with so much
 */
export async function expectLinear(size: number, prepare: (size: number) => () => unknown): Promise<void> {
	const [half, whole] = [prepare(size / 2), prepare(size)];
	let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
	for (let tries = 1; tries <= 4; tries++) {
		short = Math.min(short, await processorTime(half));
		long = Math.min(long, await processorTime(whole));
		// What is over so soon has grown by nothing that can be seen. The first time, the rest is not compiled yet.
		if (long <= NOISE_MS || (tries > 1 && long <= 3.3 * short + NOISE_MS)) return;
	}
	expect.fail(`${long} ms, and ${short} ms for the half`);
}

/** Milliseconds of the processor. */
export async function processorTime(run: () => unknown): Promise<number> {
	const start = process.cpuUsage();
	await run();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1_000;
}

import { expect } from 'vitest';

/** Milliseconds that a garbage collection can add. */
const NOISE_MS = 200;

/**
 * Expects that twice the amount takes about twice the time; quadratic growth takes four times. Measures processor time, which
 * does not pass while other processes run, and takes the least of several tries.
 *
 * @param prepare returns the work for an amount
 */
export async function expectLinear(size: number, prepare: (size: number) => () => unknown): Promise<void> {
	const [half, whole] = [prepare(size / 2), prepare(size)];
	let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
	for (let tries = 1; tries <= 4; tries++) {
		short = Math.min(short, await processorTime(half));
		long = Math.min(long, await processorTime(whole));
		// So short a time shows no growth. In the first try, much code is not compiled yet.
		if (long <= NOISE_MS || (tries > 1 && long <= 3.3 * short + NOISE_MS)) return;
	}
	expect.fail(`${long} ms, and ${short} ms for the half`);
}

/** Processor time in milliseconds. */
export async function processorTime(run: () => unknown): Promise<number> {
	const start = process.cpuUsage();
	await run();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1_000;
}

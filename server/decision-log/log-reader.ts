import { setTimeout as delay } from 'node:timers/promises';
import { LogTail } from './log-tail.ts';
import type { DecisionRecord } from './record.ts';

/** Milliseconds between two looks for what was added. */
const INTERVAL = 200;

/**
 * What the log holds, the oldest first.
 *
 * @param data the data folder; need not exist
 * @param until goes on with what is added, until it is aborted; without it, ends with what there is
 * @param pause lies between two looks
 * @throws LogError where it is there but can't be read
 */
export async function* readLog(
	data: string,
	until?: AbortSignal,
	pause: (until: AbortSignal) => Promise<unknown> = interval,
): AsyncGenerator<DecisionRecord> {
	const tail = new LogTail(data);
	try {
		for (;;) {
			yield* await tail.added();
			if (until === undefined) return;
			await pause(until);
			if (until.aborted) return;
		}
	} finally {
		await tail.close();
	}
}

async function interval(until: AbortSignal): Promise<void> {
	await delay(INTERVAL, undefined, { signal: until }).catch(() => {}); // Aborted.
}

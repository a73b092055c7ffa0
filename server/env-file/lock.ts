import { setTimeout as delay } from 'node:timers/promises';
import { Lock } from '../bootstrap/lock.mjs';
import { EnvFileError } from './errors.ts';
import { realFile } from './write.ts';

/** Milliseconds between two looks at whether another command is done. */
const POLL = 20;

/**
 * Does what reads an env file and writes it while no other command does: else the later one would undo the edit of the
 * earlier one. Makes the folder of the file.
 *
 * @throws EnvFileError `unwritable`
 */
export async function whileLocked<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
	const lock = await take(path).catch((error: unknown) => {
		throw new EnvFileError('unwritable', path, error);
	});
	try {
		return await work();
	} finally {
		lock.release();
	}
}

async function take(path: string): Promise<Lock> {
	const lock = new Lock(`${await realFile(path)}.lock`);
	while (!lock.tryTake()) await delay(POLL);
	return lock;
}

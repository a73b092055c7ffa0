import { realpathSync, statSync } from 'node:fs';
import { type FileVersion, isSameVersion, ReadError, type ReadFile, readVersion } from './read-stable.ts';

/** In bytes; the files that were read last are kept, up to so much of them. */
const MOST = 8 * 1024 * 1024;

/** In milliseconds: a file system that has not answered by then is taken for one that does not. */
const PATIENCE = 10_000;

/**
 * Reads like `readStable`, but a file that is as it was is only looked at.
 *
 * A version that was read is told from a later one by its stamps, since it was read only once these were old enough.
 *
 * @param answers waits until the file system of a path has answered
 * @param patience milliseconds
 */
export function remembering(answers: (path: string) => Promise<void> = async () => {}, patience = PATIENCE): ReadFile {
	/** By path, the one that was read last at the end. */
	const known = new Map<string, FileVersion>();

	const read: ReadFile = async (path, options) => {
		await answers(path);
		const version = known.get(path);
		if (version !== undefined && isUnchanged(path, version)) return version.content;
		known.delete(path);
		// A name that is refused is refused whether or not there is such a file.
		if (options.acceptsName?.(path) !== false && isMissing(path)) throw new ReadError('missing');
		const now = await readVersion(path, options);
		known.set(path, now);
		let size = 0;
		for (const [other, { content }] of [...known].reverse()) {
			size += content.length;
			if (size > MOST) known.delete(other);
		}
		return now.content;
	};

	return async (path, options) => await inTime(read(path, options), patience);
}

/** @throws ReadError `unreadable` where that takes too long */
async function inTime(reading: Promise<Buffer>, patience: number): Promise<Buffer> {
	let timer: NodeJS.Timeout | undefined;
	const tooLong = new Promise<never>((_, reject) => {
		const message = `the file system did not answer within ${patience / 1_000} seconds`;
		timer = setTimeout(() => reject(new ReadError('unreadable', { message })), patience).unref();
	});
	try {
		return await Promise.race([reading, tooLong]);
	} finally {
		clearTimeout(timer);
	}
}

// These hold up the process, since that is microseconds, and the file system has answered just now.

function isUnchanged(path: string, { stats, target }: FileVersion): boolean {
	try {
		const now = statSync(path, { bigint: true });
		if (now.dev !== stats.dev || now.ino !== stats.ino || !isSameVersion(now, stats)) return false;
		return target === undefined || realpathSync.native(path) === target;
	} catch {
		return false; // Reading it will tell.
	}
}

/** Most people have no env file, and it is asked for at each call. */
function isMissing(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false }) === undefined;
	} catch {
		return false; // Reading it will tell.
	}
}

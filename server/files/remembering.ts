import { realpathSync, statSync } from 'node:fs';
import { type FileVersion, isSameVersion, ReadError, type ReadFile, readVersion } from './read-stable.ts';

/** In bytes; the files that were read last are kept, up to so much of them. */
const MOST = 8 * 1024 * 1024;

/**
 * Reads like `readStable`, but a file that is as it was is not read again: it is looked at in a few microseconds, where
 * reading it takes a dozen turns through Node's threads.
 *
 * A version that was read is told from a later one by its stamps, since it was read only once these were old enough.
 */
export function remembering(): ReadFile {
	/** By path, the one that was read last at the end. */
	const known = new Map<string, FileVersion>();
	return async (path, options) => {
		const version = known.get(path);
		if (version !== undefined && isUnchanged(path, version)) return version.content;
		known.delete(path);
		// A name that is refused is refused whether or not there is such a file.
		if (options.acceptsName?.(path) !== false && isMissing(path)) throw new ReadError('missing');
		const read = await readVersion(path, options);
		known.set(path, read);
		let size = 0;
		for (const [other, { content }] of [...known].reverse()) {
			size += content.length;
			if (size > MOST) known.delete(other);
		}
		return read.content;
	};
}

function isUnchanged(path: string, { stats, target }: FileVersion): boolean {
	try {
		const now = statSync(path, { bigint: true, throwIfNoEntry: false });
		if (now === undefined || now.dev !== stats.dev || now.ino !== stats.ino || !isSameVersion(now, stats)) return false;
		return target === undefined || realpathSync.native(path) === target;
	} catch {
		return false; // Reading it will tell.
	}
}

function isMissing(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false }) === undefined;
	} catch {
		return false; // Reading it will tell.
	}
}

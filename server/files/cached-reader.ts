import { realpathSync, statSync } from 'node:fs';
import { type FileVersion, isSameFile, isSameVersion, ReadError, type ReadFile, readVersion } from './read-stable.ts';

/** The last files read are kept up to this size. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/** A file system that takes longer counts as not answering. */
const READ_TIMEOUT_MS = 10_000;

/**
 * Reads an unchanged file from memory, after a look at its time stamps.
 *
 * @param answers waits until the file system answers
 */
export function cachedReader(
	answers: (path: string) => Promise<void> = async () => {},
	timeoutMs = READ_TIMEOUT_MS,
): ReadFile {
	const known = new Map<string, FileVersion>();

	const read: ReadFile = async (path, options) => {
		await answers(path);
		const version = known.get(path);
		if (version !== undefined && isUnchanged(path, version)) return version.content;
		known.delete(path);
		// A refused name must give the same error whether or not the file exists.
		if (options.acceptsName?.(path) !== false && isMissing(path)) throw new ReadError('missing');
		const now = await readVersion(path, options);
		known.set(path, now);
		let size = 0;
		for (const [other, { content }] of [...known].reverse()) {
			size += content.length;
			if (size > MAX_KEPT_BYTES) known.delete(other);
		}
		return now.content;
	};

	return async (path, options) => {
		let timer: NodeJS.Timeout | undefined;
		const tooLong = new Promise<never>((_, reject) => {
			const message = `the file system did not answer within ${timeoutMs / 1_000} seconds`;
			timer = setTimeout(() => reject(new ReadError('unreadable', { message })), timeoutMs).unref();
		});
		return await Promise.race([read(path, options), tooLong]).finally(() => clearTimeout(timer));
	};
}

// These calls are synchronous, but block for microseconds only: the file system has just answered.

function isUnchanged(path: string, { stats, target }: FileVersion): boolean {
	try {
		const now = statSync(path, { bigint: true });
		if (!isSameFile(now, stats) || !isSameVersion(now, stats)) return false;
		return target === undefined || realpathSync.native(path) === target;
	} catch {
		return false; // Reading it gives the reason.
	}
}

/** A fast path, because most people have no env file and each call looks for it. */
function isMissing(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false }) === undefined;
	} catch {
		return false; // Reading it gives the reason.
	}
}

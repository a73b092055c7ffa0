import { promises as fs } from 'node:fs';

/** Milliseconds after which a process that holds the lock must have died with it: a rename takes one. */
const LOCK_LASTS = 10_000;

/** A file that is bounded, and what there was of it before. */
export interface BoundedFile {
	readonly file: string;
	/** Where it goes when it is full, in the place of the one that is there. */
	readonly older: string;
	/** In bytes. */
	readonly limit: number;
}

/**
 * Puts a file aside that has no room for so many bytes. One of several processes does so: two at once would put aside
 * the new file of a few lines, and drop the full one. Where another one is at it, nobody waits for it.
 */
export async function makeRoom(bounded: BoundedFile, bytes: number): Promise<void> {
	if (!(await isFull(bounded, bytes))) return;
	const lock = `${bounded.file}.lock`;
	if (!(await take(lock))) return;
	try {
		if (await isFull(bounded, bytes)) await fs.rename(bounded.file, bounded.older);
	} finally {
		await fs.rm(lock, { force: true });
	}
}

async function isFull({ file, limit }: BoundedFile, bytes: number): Promise<boolean> {
	const size = (await fs.stat(file).catch(ifMissing))?.size ?? 0;
	return size > 0 && size + bytes > limit;
}

/** Whether it was free. One of a process that died is removed, for the next one who needs it. */
async function take(lock: string): Promise<boolean> {
	try {
		await fs.writeFile(lock, '', { flag: 'wx', mode: 0o600 });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
		const since = (await fs.stat(lock).catch(ifMissing))?.mtimeMs ?? Number.POSITIVE_INFINITY;
		if (Date.now() - since > LOCK_LASTS) await fs.rm(lock, { force: true });
		return false;
	}
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'ENOENT') throw error;
}

import { promises as fs } from 'node:fs';
import { dirname } from 'node:path';
import { retryReadIfBusy } from '../bootstrap/retry.mjs';

/** The names in a folder; undefined if there is none. Rejects if something else stands in its place, or in that of one above. */
export async function listFolder(folder: string): Promise<string[] | undefined> {
	try {
		return await retryReadIfBusy(() => fs.readdir(folder));
	} catch (error) {
		if (!isMissing(error)) throw error;
		// On Windows, what is below a file is missing as well.
		for (let path = folder; path !== dirname(path); path = dirname(path)) {
			const stats = await fs.stat(path).catch(unlessMissing);
			if (stats?.isDirectory() === true) break;
			if (stats !== undefined) throw error;
		}
		return undefined;
	}
}

function isMissing(error: unknown): boolean {
	return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function unlessMissing(error: unknown): undefined {
	if (!isMissing(error)) throw error;
}

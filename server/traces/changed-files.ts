import { readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { removeStaleTemporary } from './clean-file.ts';

/** The clocks of a file system and of the process can differ. */
const CLOCK_TOLERANCE_MS = 2_000;

interface SearchedFolders {
	readonly folders: readonly string[];
	/** Folders in which links to folders are followed. Elsewhere a link can lead anywhere. */
	readonly linked: readonly string[];
	/** Folders and files that are left out. */
	readonly except: readonly string[];
}

/**
 * Lists the files below the folders that have changed since a time, each once. Removes the temporary files of killed
 * processes.
 *
 * @param since milliseconds since 1970
 */
export function changedFiles({ folders, linked, except }: SearchedFolders, since: number): string[] {
	const found: string[] = [];
	const seen = new Set<string>();
	const left = new Set(except);
	const isLinked = (path: string) => linked.some((folder) => path === folder || path.startsWith(folder + sep));
	const waiting = [...folders];
	for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
		for (const entry of entriesOf(folder)) {
			const path = join(folder, entry.name);
			if (left.has(path)) continue;
			const stats = statOf(path);
			if (stats === undefined) continue;
			const id = `${stats.dev}:${stats.ino}`;
			if (seen.has(id)) continue;
			if (stats.isDirectory()) {
				if (entry.isSymbolicLink() && !isLinked(path)) continue;
				waiting.push(path);
			} else if (stats.isFile() && !removeStaleTemporary(path) && stats.mtimeMs >= since - CLOCK_TOLERANCE_MS) {
				found.push(path);
			}
			// Not a file with several names (hard links): cleaning one name leaves the others on the old file.
			if (stats.isDirectory() || stats.nlink === 1n) seen.add(id);
		}
	}
	return found;
}

function entriesOf(folder: string) {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return []; // Gone, or not readable for this account, and so not for Claude Code.
	}
}

function statOf(path: string) {
	try {
		// Windows' numbers of files have 64 bits.
		return statSync(path, { bigint: true });
	} catch {
		return undefined;
	}
}

import { readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { removeIfLeft } from './clean-file.ts';

/** The clocks of a file system and of a process can differ, in milliseconds. */
const CLOCKS = 2_000;

interface Places {
	readonly folders: readonly string[];
	/** Folders in which links to folders are followed. Elsewhere one can lead anywhere. */
	readonly linked: readonly string[];
	/** Folders and files that are left out. */
	readonly except: readonly string[];
}

/**
 * The files below folders that were changed since a time, each once. What a killed process has left of its own is
 * removed.
 *
 * @param since milliseconds since 1970
 */
export function changedFiles({ folders, linked, except }: Places, since: number): string[] {
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
			} else if (stats.isFile() && !removeIfLeft(path) && stats.mtimeMs >= since - CLOCKS) {
				found.push(path);
			}
			// Of two names of a file each leads to a file of its own when one was replaced.
			if (stats.isDirectory() || stats.nlink === 1) seen.add(id);
		}
	}
	return found;
}

function entriesOf(folder: string) {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return []; // It is gone, or closed to this account and so to Claude Code.
	}
}

function statOf(path: string) {
	try {
		return statSync(path);
	} catch {
		return undefined;
	}
}

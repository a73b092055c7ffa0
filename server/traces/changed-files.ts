import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { removeIfLeft } from './clean-file.ts';

/** The clocks of a file system and of a process can differ, in milliseconds. */
const CLOCKS = 2_000;

/**
 * The files below folders that were changed since a time. Links are followed, and each file is given once. What a killed
 * process has left of its own is removed.
 *
 * @param since milliseconds since 1970
 * @param except folders and files that are left out
 */
export function changedFiles(folders: readonly string[], since: number, except: readonly string[]): string[] {
	const found: string[] = [];
	const seen = new Set<string>();
	const left = new Set(except);
	const waiting = [...folders];
	for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
		for (const name of namesIn(folder)) {
			const path = join(folder, name);
			if (left.has(path)) continue;
			const stats = statOf(path);
			if (stats === undefined) continue;
			const id = `${stats.dev}:${stats.ino}`;
			if (seen.has(id)) continue;
			seen.add(id);
			if (stats.isDirectory()) waiting.push(path);
			else if (stats.isFile() && !removeIfLeft(path) && stats.mtimeMs >= since - CLOCKS) found.push(path);
		}
	}
	return found;
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return []; // It is gone, or closed to this account and to Claude Code.
	}
}

function statOf(path: string) {
	try {
		return statSync(path);
	} catch {
		return undefined;
	}
}

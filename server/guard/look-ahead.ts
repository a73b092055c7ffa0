import { promises as fs } from 'node:fs';
import { resolve } from 'node:path';

/** How many paths are looked at for one call. */
const MOST = 100;

/** Looks at a path, whatever comes of it. */
export type Look = (path: string) => Promise<unknown>;

/**
 * Looks at paths before they are resolved in a way that holds up the process: a file system that does not answer then
 * holds up this call alone, which is refused when its time is over.
 */
export async function lookAhead(paths: readonly string[], look: Look = (path) => fs.stat(path)): Promise<void> {
	await Promise.all([...new Set(paths)].slice(0, MOST).map((path) => look(path).catch(() => {})));
}

/** What looks like a path in a call's input, absolute. @param input JSON */
export function namedPaths(input: string, cwd: string, home: string): string[] {
	const words = input.split(/[\s"'`;|&()<>={},]+|\\[nt"]/).filter((word) => word.includes('/') && !/[*?[$]/.test(word));
	return words.map((word) => resolve(cwd, word.replace(/^~(?=\/)/, home)));
}

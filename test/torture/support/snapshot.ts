import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What lies in a folder: each file's digest by its path, folders with none. */
export type Snapshot = ReadonlyMap<string, string>;

/** @param isLeftOut by the path from the folder */
export function snapshotOf(folder: string, isLeftOut: (path: string) => boolean = () => false): Snapshot {
	const found = new Map<string, string>();
	const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
	for (const name of names.filter((path) => !isLeftOut(path))) {
		const path = join(folder, name);
		const content = lstatSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
		found.set(name, content);
	}
	return found;
}

/** @returns what is changed or gone, in a line; undefined where all that was is as it was. More is no change */
export function changeOf(before: Snapshot, after: Snapshot): string | undefined {
	for (const [name, content] of before) {
		if (!after.has(name)) return `${name} is gone`;
		if (after.get(name) !== content) return `${name} is changed`;
	}
	return undefined;
}

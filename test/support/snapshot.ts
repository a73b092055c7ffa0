import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder's content: each file's digest by its path. A folder has an empty digest. */
export type Snapshot = Readonly<Record<string, string>>;

/** @param isLeftOut receives a path relative to the folder */
export function snapshotOf(folder: string, isLeftOut: (path: string) => boolean = () => false): Snapshot {
	const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => !isLeftOut(path));
	return Object.fromEntries(
		names.map((name) => {
			const path = join(folder, name);
			return [name, lstatSync(path).isFile() ? digest(readFileSync(path)) : ''];
		}),
	);
}

export function digest(content: Uint8Array): string {
	return createHash('sha256').update(content).digest('hex');
}

import { dirname, isAbsolute, join, resolve } from 'node:path';

/**
 * The absolute path that an entry of the map stands for: absolute, relative to the home folder (`~/…`), or relative to
 * the folder in which the map stands.
 *
 * @param path as written in the map, checked by the schema
 * @param mapFolder the folder of the map as it was located, also where the map is a symbolic link
 * @param home the user's home folder
 */
export function resolveEntryPath(path: string, mapFolder: string, home: string): string {
	if (/^~(?:[/\\]|$)/.test(path)) return join(home, path.slice(1));
	// With the name of an account, which only a path that is not served can have.
	if (/^~[^/\\]+[/\\]/.test(path)) return join(dirname(home), path.slice(1));
	return isAbsolute(path) ? path : resolve(mapFolder, path);
}

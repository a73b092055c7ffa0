import { posix, win32 } from 'node:path';
import { absolutePath, isAbsolutePath } from '../paths/spellings.ts';

/** @param configHome `$XDG_CONFIG_HOME`. A relative one is ignored (XDG Base Directory Specification, section 2). */
export function locateContextMap(
	configHome: string | undefined,
	home: string,
	platform: NodeJS.Platform = process.platform,
): string {
	const { join } = platform === 'win32' ? win32 : posix;
	const base = configHome !== undefined && isAbsolutePath(configHome, platform) ? configHome : join(home, '.config');
	return join(base, 'context-broker', 'context-map.toml');
}

/** @param mapFolder the folder of the map's path, also if the map is a symbolic link */
export function resolveEntryPath(path: string, mapFolder: string, home: string, platform: NodeJS.Platform): string {
	const { dirname, join } = platform === 'win32' ? win32 : posix;
	if (/^~(?:[/\\]|$)/.test(path)) return join(home, path.slice(1));
	// `~account/…`: the schema rejects it, so it is never served, but it is protected.
	if (/^~[^/\\]+[/\\]/.test(path)) return join(dirname(home), path.slice(1));
	return isAbsolutePath(path, platform) ? path : absolutePath(path, mapFolder, { home, platform });
}

import { isAbsolute, join } from 'node:path';

/**
 * The path of the user's context map.
 *
 * @param configHome `$XDG_CONFIG_HOME`, where set. A relative one is ignored, as the XDG Base Directory Specification
 *   (section 2) asks.
 * @param home the user's home folder
 */
export function locateContextMap(configHome: string | undefined, home: string): string {
	const base = configHome !== undefined && isAbsolute(configHome) ? configHome : join(home, '.config');
	return join(base, 'context-broker', 'context-map.toml');
}

import { isAbsolute, join } from 'node:path';

/**
 * The path of the user's env file: `$CONTEXT_BROKER_ENV_FILE` where it is absolute or begins with `~/`, else
 * `context-broker/.env` in the configuration folder.
 *
 * A relative one is ignored, as it would name another file in each working folder, and so is one that holds `${…}`,
 * which whoever started the broker was to expand.
 *
 * @param xdgConfig `$XDG_CONFIG_HOME`, where set; a relative one is ignored, as the XDG Base Directory Specification
 *   (section 2) asks
 * @param home the user's home folder
 */
export function locateEnvFile(environment: NodeJS.ProcessEnv, xdgConfig: string | undefined, home: string): string {
	const named = environment.CONTEXT_BROKER_ENV_FILE ?? '';
	const isExpanded = !/\$\{[^}]*\}/.test(named);
	if (isExpanded && isAbsolute(named)) return named;
	if (isExpanded && named.startsWith('~/')) return join(home, named.slice(2));
	const base = xdgConfig !== undefined && isAbsolute(xdgConfig) ? xdgConfig : join(home, '.config');
	return join(base, 'context-broker', '.env');
}

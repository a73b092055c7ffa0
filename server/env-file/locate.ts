import { isAbsolute, join } from 'node:path';
import { EnvFileError } from './errors.ts';

/**
 * The path of the user's env file: `$CONTEXT_BROKER_ENV_FILE` where it is set, else `context-broker/.env` in the
 * configuration folder.
 *
 * @param xdgConfig `$XDG_CONFIG_HOME`, where set; a relative one is ignored, as the XDG Base Directory Specification
 *   (section 2) asks
 * @param home the user's home folder
 * @throws EnvFileError `not_absolute` where the variable is neither absolute nor begins with `~/`: a relative one would
 *   name another file in each working folder, and to pass over it would pass over what that file denies
 */
export function locateEnvFile(environment: NodeJS.ProcessEnv, xdgConfig: string | undefined, home: string): string {
	const named = environment.CONTEXT_BROKER_ENV_FILE ?? '';
	// Unset, it can arrive as a placeholder of itself.
	if (named !== '' && !/^\$\{CONTEXT_BROKER_ENV_FILE\b[^}]*\}$/.test(named)) {
		if (named.startsWith('~/')) return join(home, named.slice(2));
		if (!isAbsolute(named)) throw new EnvFileError('not_absolute', named);
		return named;
	}
	const base = xdgConfig !== undefined && isAbsolute(xdgConfig) ? xdgConfig : join(home, '.config');
	return join(base, 'context-broker', '.env');
}

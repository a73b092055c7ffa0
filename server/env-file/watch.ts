import { watchFile } from 'node:fs';
import { EnvFileError } from './errors.ts';

/** The file is looked at so often, in milliseconds. By its path, so that editors may replace it. */
const WATCHED = { interval: 1_000, persistent: false };

/**
 * Watches the env file, where its path can be told.
 *
 * @param envFile its path. @throws EnvFileError
 * @param later does work when nobody waits for it
 */
export function watchEnvFile(envFile: () => string, later: (work: () => void) => void): (listener: () => void) => void {
	return (listener) =>
		later(() => {
			try {
				watchFile(envFile(), WATCHED, listener);
				// It may have been edited before it was watched.
				listener();
			} catch (error) {
				// The gate tells why nothing is shown.
				if (!(error instanceof EnvFileError)) throw error;
			}
		});
}

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The plugin's root, without a separator at its end. */
export const PLUGIN_ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** The program that starts the broker. */
export const BOOTSTRAP = fileURLToPath(new URL('../../server/bootstrap.cjs', import.meta.url));

/** Whether another account may read this checkout: the one of root, or below a folder of root's, it may not. */
export function isReadableFor(user: number): boolean {
	const as = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
	return spawnSync('setpriv', [...as, 'test', '-r', BOOTSTRAP]).status === 0;
}

import { fileURLToPath } from 'node:url';

/** The plugin's root, without a separator at the end. */
export const PLUGIN_ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** The program that starts the broker. */
export const BOOTSTRAP = fileURLToPath(new URL('../../server/bootstrap.cjs', import.meta.url));

import { setTimeout as delay } from 'node:timers/promises';
import { isErrno } from './errors.mjs';

const FIRST_WAIT_MS = 10;
/** The last one; all together take up to 2.5 seconds. */
const LONGEST_WAIT_MS = 1_280;

/**
 * On Windows, a file cannot be renamed, replaced or removed while another process renames it or looks at it, as virus scanners do
 * (https://github.com/isaacs/node-graceful-fs/issues/104). Elsewhere these errors last.
 *
 * @param {unknown} error @param {NodeJS.Platform} [platform]
 */
export function isBusy(error, platform = process.platform) {
	return platform === 'win32' && isErrno(error) && ['EPERM', 'EACCES', 'EBUSY'].includes(error.code ?? '');
}

/** Tries again for a moment if a file is busy. @template T @param {() => T | Promise<T>} action @param {NodeJS.Platform} [platform] */
export async function retryIfBusy(action, platform = process.platform) {
	for (let wait = FIRST_WAIT_MS; ; wait *= 2) {
		try {
			return await action();
		} catch (error) {
			if (!isBusy(error, platform) || wait > LONGEST_WAIT_MS) throw error;
		}
		// Those that came together must not come together again.
		await delay(wait * (0.5 + Math.random() / 2));
	}
}

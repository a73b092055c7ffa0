import { setTimeout as delay } from 'node:timers/promises';
import { isErrno } from './errors.mjs';

const FIRST_WAIT_MS = 10;
/** Many short waits: among those that look at a file all the time, only a try at the right moment succeeds. */
const LONGEST_WAIT_MS = 80;
const TIMEOUT_MS = 2_500;
/** For what is read while a call waits: an answer that comes late counts as none. */
const READ_TIMEOUT_MS = 500;

const BUSY = ['EPERM', 'EACCES', 'EBUSY', 'ENOTEMPTY'];

/**
 * On Windows, a file cannot be renamed, replaced or removed while another process renames it or looks at it, as virus scanners do
 * (https://github.com/isaacs/node-graceful-fs/issues/104). A removed file that is still open keeps its name, but nobody can
 * open it, and its folder is not empty. Elsewhere these errors last.
 *
 * @param {unknown} error @param {NodeJS.Platform} [platform]
 */
export function isBusy(error, platform = process.platform) {
	return platform === 'win32' && isErrno(error) && BUSY.includes(error.code ?? '');
}

/** @template T @param {() => T | Promise<T>} action @param {NodeJS.Platform} [platform] */
export async function retryReadIfBusy(action, platform) {
	return await retryIfBusy(action, platform, READ_TIMEOUT_MS);
}

/**
 * Tries again for a moment if a file is busy.
 *
 * @template T @param {() => T | Promise<T>} action @param {NodeJS.Platform} [platform] @param {number} [timeoutMs]
 */
export async function retryIfBusy(action, platform = process.platform, timeoutMs = TIMEOUT_MS) {
	const start = performance.now();
	for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
		try {
			return await action();
		} catch (error) {
			if (!isBusy(error, platform) || performance.now() - start > timeoutMs) throw error;
		}
		// Those that came together must not come together again.
		await delay(wait * (0.5 + Math.random() / 2));
	}
}

import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundle } from './bundle.mjs';
import { cannotWrite, isErrno, PrepareError } from './errors.mjs';
import { makeFolder, remove } from './files.mjs';
import { Lock } from './lock.mjs';
import { pack } from './pack.mjs';
import { findPackages } from './packages.mjs';
import { codeOf, laterOf } from './program.cjs';
import { isBusy, retryIfBusy } from './retry.mjs';

/** @typedef {import('./paths.cjs').Paths} Paths */

const POLL_INTERVAL_MS = 50;

/** @param {Paths} paths @param {number} headStart milliseconds that other processes get first @param {AbortSignal} signal */
export async function prepare(paths, headStart, signal) {
	const { data, build } = paths;
	const lock = new Lock(path.join(data, '.lock'));
	try {
		const until = performance.now() + headStart;
		while (!fs.existsSync(build) && performance.now() < until) await delay(POLL_INTERVAL_MS, undefined, { signal });
		fs.mkdirSync(data, { recursive: true });
		// Not recursive: Node would then report ENOENT instead of the real reason.
		makeFolder(path.dirname(build));
		while (!fs.existsSync(build)) {
			if (!lock.tryTake()) {
				await delay(POLL_INTERVAL_MS, undefined, { signal });
				continue;
			}
			try {
				if (!fs.existsSync(build)) await makeBuild(paths, lock, signal);
			} finally {
				lock.release();
			}
		}
	} catch (error) {
		if (signal.aborted) throw signal.reason;
		throw error instanceof PrepareError ? error : cannotWrite(error, data);
	}
}

/** @param {Paths} paths @param {Lock} lock @param {AbortSignal} signal */
async function makeBuild(paths, lock, signal) {
	const { root, data, build } = paths;
	removeLeftovers(data);
	const staging = path.join(data, `.staging-${randomUUID()}`);
	fs.mkdirSync(staging);
	try {
		const packages = await findPackages(paths, staging, lock, signal);
		const { program, code, later } = pack(await bundle(root, packages), build);
		signal.throwIfAborted();
		// The program comes last: its presence means that all files are there.
		const files = new Map([
			[codeOf(build), code],
			[laterOf(build), later],
		]).set(build, Buffer.from(program, 'latin1'));
		for (const [target, content] of files) {
			const staged = path.join(staging, path.basename(target));
			fs.writeFileSync(staged, content, { flush: true });
			await retryIfBusy(() => fs.renameSync(staged, target));
		}
		for (const name of fs.readdirSync(path.dirname(build))) {
			const file = path.join(path.dirname(build), name);
			if (!files.has(file)) remove(file);
		}
	} finally {
		removeLeftovers(data);
	}
}

/**
 * Removes the lock of a process that was killed, and what else it left. It can have been killed when the build was there.
 *
 * @param {string} data
 */
export function cleanUpAfterKilled(data) {
	const lock = new Lock(path.join(data, '.lock'));
	lock.breakIfDead();
	try {
		// Not without the lock: another version can be at work in the same folder.
		if (!lock.tryTake()) return;
	} catch {
		return; // For example, the disk is full. The build is usable, and the next preparation removes the rest.
	}
	try {
		removeLeftovers(data);
	} finally {
		lock.release();
	}
}

/** Removes what this process and killed ones left. @param {string} data @param {NodeJS.Platform} [platform] */
export function removeLeftovers(data, platform = process.platform) {
	for (const name of fs.readdirSync(data)) {
		if (!name.startsWith('.staging-') && !name.startsWith('.lock-')) continue;
		try {
			remove(path.join(data, name));
		} catch (error) {
			// A process still writes there. That process cleans up, or the next preparation does.
			if (!isBusy(error, platform) && (!isErrno(error) || error.code !== 'ENOTEMPTY')) throw error;
		}
	}
}

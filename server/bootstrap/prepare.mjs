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

/** @typedef {import('./place.cjs').Place} Place */

/** Milliseconds between two looks at whether another process is done. */
const POLL = 50;

/**
 * Makes the broker's build exist.
 *
 * @param {Place} place
 * @param {number} patience milliseconds to leave the work to others first
 * @param {AbortSignal} signal ends the work early
 */
export async function prepare(place, patience, signal) {
	const { data, build } = place;
	const lock = new Lock(path.join(data, '.lock'));
	try {
		const until = performance.now() + patience;
		while (!fs.existsSync(build) && performance.now() < until) await delay(POLL, undefined, { signal });
		fs.mkdirSync(data, { recursive: true });
		// Not in one step with the folder above: Node would hide the reason behind ENOENT.
		makeFolder(path.dirname(build));
		while (!fs.existsSync(build)) {
			if (!lock.tryTake()) {
				await delay(POLL, undefined, { signal });
				continue;
			}
			try {
				if (!fs.existsSync(build)) await makeBuild(place, lock, signal);
			} finally {
				lock.release();
			}
		}
	} catch (error) {
		if (signal.aborted) throw signal.reason;
		throw error instanceof PrepareError ? error : cannotWrite(error, data);
	}
}

/** @param {Place} place @param {Lock} lock @param {AbortSignal} signal */
async function makeBuild(place, lock, signal) {
	const { root, data, build } = place;
	sweep(data);
	const staging = path.join(data, `.staging-${randomUUID()}`);
	fs.mkdirSync(staging);
	try {
		const packages = await findPackages(place, staging, lock, signal);
		const { program, code, later } = pack(await bundle(root, packages), build);
		signal.throwIfAborted();
		// The program last: where it is, all is there.
		for (const [target, content] of /** @type {const} */ ([
			[codeOf(build), code],
			[laterOf(build), later],
			[build, program],
		])) {
			const staged = path.join(staging, path.basename(target));
			fs.writeFileSync(staged, content, { flush: true });
			fs.renameSync(staged, target);
		}
		const current = [build, codeOf(build), laterOf(build)].map((file) => path.basename(file));
		for (const name of fs.readdirSync(path.dirname(build))) {
			if (!current.includes(name)) remove(path.join(path.dirname(build), name));
		}
	} finally {
		remove(staging);
		sweep(data);
	}
}

/** Removes what killed processes left. @param {string} data */
function sweep(data) {
	for (const name of fs.readdirSync(data)) {
		if (!name.startsWith('.staging-') && !name.startsWith('.lock-')) continue;
		try {
			remove(path.join(data, name));
		} catch (error) {
			// Something still writes there: whoever started it cleans up, or the next sweep.
			if (!isErrno(error) || error.code !== 'ENOTEMPTY') throw error;
		}
	}
}

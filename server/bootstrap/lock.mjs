import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { isErrno } from './errors.mjs';
import { readIfPresent, remove } from './files.mjs';
import { isBusy } from './retry.mjs';

const HEARTBEAT_INTERVAL_MS = 1_000;
/** While a process waits: a lock that is not refreshed for this long has no holder. */
const STALE_AFTER_MS = 10_000;
/** For a process that looks only once. Longer than any preparation, and compares the clocks of two machines. */
const ABANDONED_AFTER_MS = 600_000;
/** How often in a row the file may be busy: whoever waits looks again. */
const MAX_BUSY = 100;

/** A lock file that its holder refreshes. Another container or machine can see only by that whether the holder lives. */
export class Lock {
	/** @param {string} file absolute @param {NodeJS.Platform} [platform] */
	constructor(file, platform = process.platform) {
		this.file = file;
		this.platform = platform;
		this.busy = 0;
		this.content = `${process.pid} ${processIdSpace()} ${randomUUID()}`;
		/** @type {number | undefined} */
		this.descriptor = undefined;
		/** @type {NodeJS.Timeout | undefined} */
		this.heartbeat = undefined;
		this.seen = { content: '', modified: 0, since: 0 };
	}

	tryTake() {
		let descriptor;
		try {
			descriptor = fs.openSync(this.file, 'wx');
		} catch (error) {
			if (!isErrno(error) || error.code !== 'EEXIST') this.passOver(error);
			else this.breakIfDead();
			return false;
		}
		this.busy = 0;
		this.descriptor = descriptor;
		try {
			fs.writeSync(descriptor, this.content);
		} catch (error) {
			fs.rmSync(this.file, { force: true });
			throw error;
		}
		this.heartbeat = setInterval(() => {
			try {
				fs.futimesSync(descriptor, new Date(), new Date());
			} catch {
				// A failing disk is reported elsewhere, a lost lock by isHeld().
			}
		}, HEARTBEAT_INTERVAL_MS);
		return true;
	}

	isHeld() {
		return readIfPresent(this.file)?.toString('utf8') === this.content;
	}

	release() {
		clearInterval(this.heartbeat);
		if (this.descriptor !== undefined) fs.closeSync(this.descriptor);
		this.descriptor = undefined;
		if (this.isHeld()) remove(this.file);
	}

	/** Removes the lock if its holder is gone. */
	breakIfDead() {
		try {
			this.look();
			this.busy = 0;
		} catch (error) {
			this.passOver(error);
		}
	}

	/** Lets a file pass that is busy, as one that is being removed on Windows: whoever waits looks again. @param {unknown} error */
	passOver(error) {
		if (!isBusy(error, this.platform) || ++this.busy > MAX_BUSY) throw error;
	}

	look() {
		const content = readIfPresent(this.file)?.toString('utf8');
		const modified = fs.statSync(this.file, { throwIfNoEntry: false })?.mtimeMs;
		if (content === undefined || modified === undefined) return;
		const now = performance.now();
		if (content !== this.seen.content || modified !== this.seen.modified) {
			this.seen = { content, modified, since: now };
		}
		const isRefreshed = now - this.seen.since < STALE_AFTER_MS && Date.now() - modified < ABANDONED_AFTER_MS;
		if (isRefreshed && !isKnownDead(content)) return;
		// Moved aside first. If another process has just broken and taken the lock, this is its lock: it is moved back.
		const aside = `${this.file}-${randomUUID()}`;
		try {
			fs.renameSync(this.file, aside);
		} catch (error) {
			if (isErrno(error) && error.code === 'ENOENT') return;
			throw error;
		}
		if (readIfPresent(aside)?.toString('utf8') === content) fs.rmSync(aside, { force: true });
		else fs.renameSync(aside, this.file);
	}
}

/** The scope in which process ids are unique: this machine and container. */
export function processIdSpace() {
	try {
		return `${hostname()}/${fs.readlinkSync('/proc/self/ns/pid')}`.replace(/\s/g, '');
	} catch {
		return hostname().replace(/\s/g, '');
	}
}

/** @param {string} content a lock's content */
function isKnownDead(content) {
	const [pid, space] = content.split(' ');
	if (space !== processIdSpace()) return false;
	try {
		process.kill(Number(pid), 0);
		return false;
	} catch (error) {
		return isErrno(error) && error.code === 'ESRCH';
	}
}

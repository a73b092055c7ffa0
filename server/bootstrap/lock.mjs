import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { isErrno } from './errors.mjs';
import { readIfPresent } from './files.mjs';

const HEARTBEAT = 1_000;
/** A lock that is not refreshed while somebody watches it for this long is nobody's. */
const LOCK_STALE = 10_000;
/** One that was refreshed longer ago than any preparation takes is nobody's either: for one look, by the clocks of two machines. */
const LOCK_OLD = 600_000;

/**
 * A lock file, its modification time refreshed while it is held: `<process id> <where that means something> <token>`. In
 * another container with the same home, or on another machine, only the refreshing tells that its holder lives.
 */
export class Lock {
	/** @param {string} file absolute; its folder exists when it is taken */
	constructor(file) {
		this.file = file;
		this.content = `${process.pid} ${processIdSpace()} ${randomUUID()}`;
		/** @type {number | undefined} */
		this.descriptor = undefined;
		/** @type {NodeJS.Timeout | undefined} */
		this.heartbeat = undefined;
		this.seen = { content: '', modified: 0, since: 0 };
	}

	/** @returns {boolean} whether the lock is now held by this process */
	tryTake() {
		let descriptor;
		try {
			descriptor = fs.openSync(this.file, 'wx');
		} catch (error) {
			if (!isErrno(error) || error.code !== 'EEXIST') throw error;
			this.breakIfDead();
			return false;
		}
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
				// The disk fails: whoever works on it says so. A lock lost meanwhile shows in isHeld().
			}
		}, HEARTBEAT);
		return true;
	}

	isHeld() {
		return readIfPresent(this.file)?.toString('utf8') === this.content;
	}

	release() {
		clearInterval(this.heartbeat);
		if (this.descriptor !== undefined) fs.closeSync(this.descriptor);
		this.descriptor = undefined;
		if (this.isHeld()) fs.rmSync(this.file, { force: true });
	}

	/** Removes the lock, if there is one, whose holder is gone, so that the next try can take it. */
	breakIfDead() {
		const content = readIfPresent(this.file)?.toString('utf8');
		const modified = fs.statSync(this.file, { throwIfNoEntry: false })?.mtimeMs;
		if (content === undefined || modified === undefined) return;
		const now = performance.now();
		if (content !== this.seen.content || modified !== this.seen.modified) {
			this.seen = { content, modified, since: now };
		}
		const isRefreshed = now - this.seen.since < LOCK_STALE && Date.now() - modified < LOCK_OLD;
		if (isRefreshed && !isKnownDead(content)) return;
		// Moved aside before it is removed: had another process broken and taken the lock just now, what was moved is
		// that process's lock, and it goes back.
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

/** Within which a process id is one process's: of this machine, and of its container. */
export function processIdSpace() {
	try {
		return `${hostname()}/${fs.readlinkSync('/proc/self/ns/pid')}`.replace(/\s/g, '');
	} catch {
		return hostname().replace(/\s/g, ''); // A system without such containers.
	}
}

/** @param {string} content of a lock */
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

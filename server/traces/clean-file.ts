import {
	closeSync,
	fchmodSync,
	fchownSync,
	fstatSync,
	fsyncSync,
	futimesSync,
	linkSync,
	openSync,
	readSync,
	realpathSync,
	renameSync,
	rmSync,
	type Stats,
	statSync,
	writeSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { retryIfBusy } from '../bootstrap/retry.mjs';
import { isRunning } from './is-running.ts';
import { isJson, linesOf, tailOf } from './lines.ts';

/** The end of the names of files that are written to take the place of others. */
const TEMPORARY = /\.context-broker-(\d+)$/;

/** In bytes. */
const CHUNK = 1024 * 1024;

/** In bytes: lines that are no JSON are cleaned together, since a passage can go over several; so many at a time. */
const BLOCK = 256 * 1024;

/** After the rename, in milliseconds: a program that had opened the old file can still write into it. */
const LOOKS_BACK = [0, 30, 150];

/** How often to begin anew with a file that is changed meanwhile. */
const ATTEMPTS = 5;

export interface FileCleaning {
	/** Returns a text as it is if it repeats nothing. It keeps the number of lines. */
	readonly clean: (text: string) => string;
	/** Whether a line is to be cleaned; by default all are. */
	readonly concerns?: (line: Buffer) => boolean;
	/** Whether it is only looked whether it would be cleaned. */
	readonly isDry?: boolean;
	/** Told of each step, for tests. */
	readonly step?: (name: 'opened' | 'written' | 'synced' | 'renamed') => void;
}

export type CleanedFile = 'unchanged' | 'cleaned' | { readonly failed: string };

/**
 * Cleans a file in one step: whoever reads it meanwhile gets the old text or the new one, and what others append is kept.
 * Mode, owner and times stay. A file that needs no cleaning is not touched. A link is followed.
 *
 * @returns the code of the error if it could not be cleaned: then it is as it was
 */
export async function cleanFile(path: string, cleaning: FileCleaning): Promise<CleanedFile> {
	try {
		for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
			const result = await new Rewrite(realpathSync(path), cleaning).run();
			if (result !== 'changed meanwhile') return result;
		}
		return { failed: 'EBUSY' };
	} catch (error) {
		if (error instanceof WouldClean) return 'cleaned';
		const { code = 'EIO' } = error as NodeJS.ErrnoException;
		// A file that is gone holds nothing.
		return code === 'ENOENT' ? 'unchanged' : { failed: code };
	}
}

/** Whether a file is one that an earlier process left when it was killed; then it is removed. */
export function removeIfLeft(path: string): boolean {
	const [, pid] = TEMPORARY.exec(path) ?? [];
	if (pid === undefined) return false;
	if (!isRunning(Number(pid))) rmSync(path, { force: true });
	return true;
}

class WouldClean extends Error {}

class Rewrite {
	readonly #path: string;
	readonly #cleaning: FileCleaning;
	readonly #temporary: string;
	/** Windows: another name of the old file. */
	readonly #old: string;
	#source = -1;
	/** Made when the first line changes. */
	#target: number | undefined;
	/** Bytes of the source that were read. */
	#read = 0;
	/** Bytes of the source that stay as they are, before the first change. */
	#same = 0;
	#pending: Buffer[] = [];
	#pendingBytes = 0;

	/** @param path no link */
	constructor(path: string, cleaning: FileCleaning) {
		this.#path = path;
		this.#cleaning = cleaning;
		this.#temporary = `${path}.context-broker-${process.pid}`;
		this.#old = `${path}.old.context-broker-${process.pid}`;
	}

	async run(): Promise<'unchanged' | 'cleaned' | 'changed meanwhile'> {
		if (!statSync(this.#path).isFile()) return 'unchanged';
		this.#source = openSync(this.#path, 'r');
		try {
			const before = fstatSync(this.#source);
			this.#cleanTo(before.size);
			if (this.#target === undefined) return 'unchanged';
			this.#step('written');
			fchmodSync(this.#target, before.mode & 0o7777);
			const own = fstatSync(this.#target);
			if (own.uid !== before.uid || own.gid !== before.gid) fchownSync(this.#target, before.uid, before.gid);
			fsyncSync(this.#target);
			this.#step('synced');
			this.#cleanGrowth();
			const now = fstatSync(this.#source);
			if (isRewritten(before, now) || !isStillAt(this.#path, now)) return 'changed meanwhile';
			// The client takes the session that was written last for the one to be continued.
			futimesSync(this.#target, now.atime, now.mtime);
			await this.#replace();
			this.#step('renamed');
			await this.#keepLate();
			return 'cleaned';
		} finally {
			closeSync(this.#source);
			if (this.#target !== undefined) closeSync(this.#target);
			for (const path of [this.#temporary, this.#old]) await retryIfBusy(() => rmSync(path, { force: true }));
		}
	}

	async #replace(): Promise<void> {
		const replace = () => renameSync(this.#temporary, this.#path);
		if (process.platform !== 'win32') return replace();
		// It replaces no file that is open. By its other name, the old one is read again for what others write late.
		linkSync(this.#path, this.#old);
		closeSync(this.#source);
		try {
			await retryIfBusy(replace);
		} finally {
			this.#source = openSync(this.#old, 'r');
		}
	}

	#step(name: Parameters<NonNullable<FileCleaning['step']>>[0]): void {
		this.#cleaning.step?.(name);
	}

	/** Takes over what was appended since. */
	#cleanGrowth(): void {
		for (let { size } = fstatSync(this.#source); size > this.#read; { size } = fstatSync(this.#source)) {
			this.#cleanTo(size);
		}
	}

	/** Takes over what a program wrote into the old file, which it had opened before the new one took its place. */
	async #keepLate(): Promise<void> {
		for (const wait of LOOKS_BACK) {
			await delay(wait);
			if (fstatSync(this.#source).size <= this.#read) continue;
			if (this.#target !== undefined) closeSync(this.#target);
			this.#target = openSync(this.#path, 'a');
			this.#cleanGrowth();
		}
	}

	#cleanTo(end: number): void {
		const { clean, concerns = () => true } = this.#cleaning;
		let block: Buffer[] = [];
		let blockBytes = 0;
		let limit = BLOCK;
		/** @param keep how much of the end is looked at again with what follows */
		const putBlock = (keep: number) => {
			const bytes = Buffer.concat(block);
			const cleaned = this.#cleaned(bytes, clean);
			const tail = tailOf(cleaned, keep);
			this.#put(cleaned.subarray(0, cleaned.length - tail.length), cleaned === bytes);
			block = [tail];
			blockBytes = tail.length;
			limit = Math.max(BLOCK, 2 * blockBytes);
		};
		for (const line of linesOf(this.#source, this.#read, end)) {
			const isConcerned = concerns(line);
			if (isConcerned && !isJson(line)) {
				block.push(line);
				blockBytes += line.length;
				if (blockBytes > limit) putBlock(BLOCK / 8);
				continue;
			}
			putBlock(0);
			const cleaned = isConcerned ? this.#cleaned(line, clean) : line;
			this.#put(cleaned, cleaned === line);
		}
		putBlock(0);
		this.#flush();
		this.#read = end;
	}

	/** The same bytes if they need no cleaning, also if they are no valid UTF-8. */
	#cleaned(bytes: Buffer, clean: FileCleaning['clean']): Buffer {
		const text = bytes.toString();
		const cleaned = clean(text);
		return cleaned === text ? bytes : Buffer.from(cleaned);
	}

	#put(bytes: Buffer, isSame: boolean): void {
		if (this.#target === undefined) {
			if (isSame) {
				this.#same += bytes.length;
				return;
			}
			this.#target = this.#begin();
		}
		this.#pending.push(bytes);
		this.#pendingBytes += bytes.length;
		if (this.#pendingBytes >= CHUNK) this.#flush();
	}

	/** Makes the new file, with what stays as it was before the first change. */
	#begin(): number {
		if (this.#cleaning.isDry === true) throw new WouldClean();
		if (this.#isBinary()) throw Object.assign(new Error('not a text'), { code: 'EILSEQ' });
		const target = openSync(this.#temporary, 'wx', 0o600);
		this.#target = target;
		this.#step('opened');
		for (let at = 0; at < this.#same; ) {
			const chunk = Buffer.allocUnsafe(Math.min(CHUNK, this.#same - at));
			const length = readSync(this.#source, chunk, 0, chunk.length, at);
			if (length === 0) break;
			writeAll(target, chunk.subarray(0, length));
			at += length;
		}
		return target;
	}

	/** A database breaks when its bytes move. */
	#isBinary(): boolean {
		const beginning = Buffer.alloc(8192, ' ');
		readSync(this.#source, beginning, 0, beginning.length, 0);
		return beginning.includes(0);
	}

	#flush(): void {
		if (this.#target !== undefined && this.#pendingBytes > 0) writeAll(this.#target, Buffer.concat(this.#pending));
		this.#pending = [];
		this.#pendingBytes = 0;
	}
}

function writeAll(file: number, bytes: Buffer): void {
	for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

/** What was only appended to has grown. */
function isRewritten(before: Stats, now: Stats): boolean {
	return now.size < before.size || (now.size === before.size && now.mtimeMs !== before.mtimeMs);
}

function isStillAt(path: string, { dev, ino }: Stats): boolean {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats?.dev === dev && stats.ino === ino;
}

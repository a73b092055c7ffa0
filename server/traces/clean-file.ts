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
import { isSameFile } from '../files/read-stable.ts';
import { isRunning } from '../processes/is-running.ts';
import { isJson, linesOf, tailOf } from './lines.ts';

/** The end of a temporary file's name, with the id of the process that writes it. */
const TEMPORARY = /\.context-broker-(\d+)$/;

/** In bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** In bytes: so much of the lines that are not JSON is cleaned together, since a passage can span several lines. */
const BLOCK_BYTES = 256 * 1024;

/** Waits before each check of the old file after the rename: a program that has it open can still write to it. */
const LATE_WRITE_DELAYS_MS = [0, 30, 150];

/** For a file that others change meanwhile. */
const MAX_ATTEMPTS = 5;

export interface FileCleaning {
	/** Returns the same text if it repeats nothing. Keeps the number of lines. */
	readonly clean: (text: string) => string;
	/** Whether a line is to be cleaned; by default all are. */
	readonly concerns?: (line: Buffer) => boolean;
	/** Whether to find out only if the file needs cleaning. */
	readonly isDry?: boolean;
	/** Called at each step, for tests. */
	readonly step?: (name: 'opened' | 'written' | 'synced' | 'renamed') => void;
}

export type CleanedFile = 'unchanged' | 'cleaned' | { readonly failed: string };

/**
 * Replaces a file by its cleaned text in one step. A reader gets the old text or the new one, and text that others append
 * meanwhile is kept. Mode, owner and times stay. A file that needs no cleaning is not touched. Links are followed.
 *
 * @returns the error's code if the file could not be cleaned
 */
export async function cleanFile(path: string, cleaning: FileCleaning): Promise<CleanedFile> {
	try {
		for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
			const result = await new Rewrite(realpathSync(path), cleaning).run();
			if (result !== 'changed meanwhile') return result;
		}
		return { failed: 'EBUSY' };
	} catch (error) {
		if (error instanceof WouldClean) return 'cleaned';
		const { code = 'EIO' } = error as NodeJS.ErrnoException;
		// A missing file needs no cleaning.
		return code === 'ENOENT' ? 'unchanged' : { failed: code };
	}
}

/** Whether a file is a temporary one of a cleaning process. Removes it if that process has ended. */
export function removeStaleTemporary(path: string): boolean {
	const [, pid] = TEMPORARY.exec(path) ?? [];
	if (pid === undefined) return false;
	if (!isRunning(Number(pid))) rmSync(path, { force: true, maxRetries: 3 });
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
	/** Opened when the first line changes. */
	#target: number | undefined;
	/** Bytes read from the source. */
	#read = 0;
	/** Bytes of the source before the first change. */
	#same = 0;
	#pending: Buffer[] = [];
	#pendingBytes = 0;

	/** @param path with links resolved */
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
			if (isRewritten(before, now) || !isStillAt(this.#path, this.#source)) return 'changed meanwhile';
			// Claude Code continues the session whose file was written last.
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

	/** Copies what was appended to the source since. */
	#cleanGrowth(): void {
		for (let { size } = fstatSync(this.#source); size > this.#read; { size } = fstatSync(this.#source)) {
			this.#cleanTo(size);
		}
	}

	/** Copies what a program writes into the old file after the rename, because it has that file open. */
	async #keepLate(): Promise<void> {
		for (const wait of LATE_WRITE_DELAYS_MS) {
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
		let limit = BLOCK_BYTES;
		/** @param keep bytes at the end that are checked again together with what follows */
		const putBlock = (keep: number) => {
			const bytes = Buffer.concat(block);
			const cleaned = this.#cleaned(bytes, clean);
			const tail = tailOf(cleaned, keep);
			this.#put(cleaned.subarray(0, cleaned.length - tail.length), cleaned === bytes);
			block = [tail];
			blockBytes = tail.length;
			limit = Math.max(BLOCK_BYTES, 2 * blockBytes);
		};
		for (const line of linesOf(this.#source, this.#read, end)) {
			const isConcerned = concerns(line);
			if (isConcerned && !isJson(line)) {
				block.push(line);
				blockBytes += line.length;
				if (blockBytes > limit) putBlock(BLOCK_BYTES / 8);
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

	/** Returns the same buffer if it needs no cleaning, so that invalid UTF-8 stays as it is. */
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
		if (this.#pendingBytes >= CHUNK_BYTES) this.#flush();
	}

	/** Creates the new file, with the bytes before the first change. */
	#begin(): number {
		if (this.#cleaning.isDry === true) throw new WouldClean();
		if (this.#isBinary()) throw Object.assign(new Error('not a text'), { code: 'EILSEQ' });
		const target = openSync(this.#temporary, 'wx', 0o600);
		this.#target = target;
		this.#step('opened');
		for (let at = 0; at < this.#same; ) {
			const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, this.#same - at));
			const length = readSync(this.#source, chunk, 0, chunk.length, at);
			if (length === 0) break;
			writeAll(target, chunk.subarray(0, length));
			at += length;
		}
		return target;
	}

	/** Whether the first 8 KB contain a NUL. A database would break if its bytes moved. */
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

/** A file to which others have only appended has grown. */
function isRewritten(before: Stats, now: Stats): boolean {
	return now.size < before.size || (now.size === before.size && now.mtimeMs !== before.mtimeMs);
}

function isStillAt(path: string, file: number): boolean {
	// Windows' numbers of files have 64 bits.
	const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
	return stats !== undefined && isSameFile(fstatSync(file, { bigint: true }), stats);
}

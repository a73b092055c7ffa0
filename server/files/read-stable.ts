import * as callbacks from 'node:fs';
import { type BigIntStats, constants, type Stats } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

export type ReadFailure = 'missing' | 'unreadable' | 'not_a_file' | 'refused_name' | 'too_large';

/** A file that could not be read. The cause names its path, so it must not be sent to a client. */
export class ReadError extends Error {
	readonly failure: ReadFailure;
	readonly size: number | undefined;

	constructor(failure: ReadFailure, options: { size?: number; cause?: unknown; message?: string } = {}) {
		super(options.message ?? failure, { cause: options.cause });
		this.failure = failure;
		this.size = options.size;
	}
}

export interface ReadOptions {
	/** In bytes. A larger file fails with `too_large`. */
	readonly limit: number;
	/** Whether a name may be read. Called with the given path, and with its target after all links. */
	readonly acceptsName?: (path: string) => boolean;
}

/** Reads a whole file. @throws ReadError */
export type ReadFile = (path: string, options: ReadOptions) => Promise<Buffer>;

export interface FileVersion {
	readonly content: Buffer;
	/** From before and after the read, which were the same. */
	readonly stats: BigIntStats;
	/** The path's target after all links; undefined without `acceptsName`. */
	readonly target: string | undefined;
}

/** Not `fs.promises`: its file handles take a millisecond of the start. */
const fs = {
	stat: promisify(callbacks.stat),
	lstat: promisify(callbacks.lstat),
	realpath: promisify(callbacks.realpath.native),
	open: promisify(callbacks.open),
	fstat: promisify(callbacks.fstat),
	read: promisify(callbacks.read),
	close: promisify(callbacks.close),
};

/** With waits of MIN_AGE_MS: a file that changes all the time fails after about a second. */
const ATTEMPTS = 20;

/** A file that changed less than this ago can change again with the same time stamp: kernel clocks tick every 1 to 10 ms. */
const MIN_AGE_MS = 50;

/**
 * Reads one consistent version of a file. Checks the open file itself, and reads again if the file changed meanwhile. Never
 * blocks on FIFOs, devices and sockets.
 */
export const readStable: ReadFile = async (path, options) => (await readVersion(path, options)).content;

export async function readVersion(path: string, { limit, acceptsName }: ReadOptions): Promise<FileVersion> {
	if (acceptsName?.(path) === false) throw new ReadError('refused_name');
	try {
		for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
			const file = await openFile(path);
			try {
				const target = acceptsName && (await targetOf(path, file, acceptsName));
				if (target !== null) return { ...(await readOpen(file, limit)), target };
			} finally {
				await fs.close(file);
			}
		}
	} catch (error) {
		throw error instanceof ReadError ? error : fromErrno(error);
	}
	throw new ReadError('unreadable', { message: 'the link to it keeps changing' });
}

async function openFile(path: string): Promise<number> {
	// Checked before opening: opening a FIFO or a device can have side effects.
	requireFile(await fs.stat(path));
	const file = await fs.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
	try {
		requireFile(await fs.fstat(file));
		return file;
	} catch (error) {
		await fs.close(file);
		throw error;
	}
}

/** The path's target after all links. Null if it is not the open file: a link was swapped in between. */
async function targetOf(path: string, file: number, acceptsName: (path: string) => boolean): Promise<string | null> {
	const target = await realPath(path);
	if (!acceptsName(target)) throw new ReadError('refused_name');
	// Not `stat`: a link that takes the target's place now would lead to the open file, whatever that one's name is.
	const [opened, named] = [await fs.fstat(file, { bigint: true }), await fs.lstat(target, { bigint: true })];
	return isSameFile(opened, named) ? target : null;
}

/** On Windows, a drive that bypasses the mount manager, as virtual ones do, gives EISDIR (https://github.com/nodejs/node/issues/6861). */
export async function realPath(path: string, native: (path: string) => Promise<string> = fs.realpath): Promise<string> {
	try {
		return await native(path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
		return await promisify(callbacks.realpath)(path);
	}
}

async function readOpen(file: number, limit: number): Promise<Pick<FileVersion, 'content' | 'stats'>> {
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const before = await fs.fstat(file, { bigint: true });
		if (before.size > limit) throw new ReadError('too_large', { size: Number(before.size) });
		if (Math.abs(Date.now() - Number(before.ctimeMs)) < MIN_AGE_MS) {
			await delay(MIN_AGE_MS);
			continue;
		}
		const content = await readAtMost(file, Number(before.size) + 1);
		const after = await fs.fstat(file, { bigint: true });
		if (BigInt(content.length) === after.size && isSameVersion(before, after)) return { content, stats: after };
	}
	throw new ReadError('unreadable', { message: 'it keeps changing' });
}

function requireFile(stats: Stats): void {
	if (!stats.isFile()) throw new ReadError('not_a_file');
}

type FileId = Pick<BigIntStats, 'dev' | 'ino'>;

/** On Windows, some versions of Node.js give another device for a path than for an open file (https://github.com/libuv/libuv/issues/4698). */
export function isSameFile(a: FileId, b: FileId, platform: NodeJS.Platform = process.platform): boolean {
	return a.ino === b.ino && (platform === 'win32' || a.dev === b.dev);
}

export function isSameVersion(a: BigIntStats, b: BigIntStats): boolean {
	return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

async function readAtMost(file: number, length: number): Promise<Buffer> {
	const buffer = Buffer.alloc(length);
	let filled = 0;
	while (filled < length) {
		const { bytesRead } = await fs.read(file, buffer, filled, length - filled, filled);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return buffer.subarray(0, filled);
}

function fromErrno(cause: unknown): ReadError {
	const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
	if (code === 'ENOENT' || code === 'ENOTDIR') return new ReadError('missing', { cause });
	if (code === 'EISDIR' || code === 'ENXIO' || code === 'ENODEV') return new ReadError('not_a_file', { cause });
	return new ReadError('unreadable', { cause, message: errnoText(code) ?? (code || 'unknown reason') });
}

/** Why a file cannot be read or written, in words. Undefined if the code tells as much. */
export function errnoText(code: string, platform = process.platform): string | undefined {
	// Of files in Documents, Desktop, iCloud and the like.
	if (code === 'EPERM' && platform === 'darwin')
		return 'macOS denies the terminal app that folder: see Privacy & Security';
	return ERRNO_TEXTS[code];
}

const ERRNO_TEXTS: Readonly<Record<string, string>> = {
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	EBUSY: 'another program has it open',
	EROFS: 'the file system is read-only',
	ENOSPC: 'the disk is full',
	ELOOP: 'its links form a loop',
	ENOTDIR: 'a part of its path is not a folder',
	ENAMETOOLONG: 'its path is too long',
};

import { type ChildProcess, execFile, type StdioOptions } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemProgram } from '../processes/system-program.ts';

/** In bytes: the capacity of a pipe on Linux. */
const CHUNK_SIZE = 64 * 1024;

/** Limit for emptying a pipe: a program can have enlarged it to 1 MiB, and another can keep filling it. */
const MAX_READS = 16;

/** For the two pipes of Windows, which a program in the background can keep open. */
const DRAIN_TIMEOUT_MS = 200;

class NoTemporaryFile extends Error {
	readonly code = 'NO_TEMPORARY_FILE';

	constructor(options: ErrorOptions) {
		super(undefined, options);
	}
}

/** Receives a program's standard output and error, in their order. */
export interface OutputChannel {
	readonly stdio: StdioOptions;
	/** Call it as soon as the program runs. @param receive gets a buffer that is reused */
	attach(child: ChildProcess, receive: (chunk: Buffer) => void): void;
	drain(): Promise<void>;
	/** From now on, the output of programs in the background is read and dropped. */
	release(): void;
}

/** @param folder for temporary files @param path the PATH for programs outside of the system's folders */
export async function openOutputChannel(
	platform: NodeJS.Platform,
	folder: string,
	path: string | undefined,
): Promise<OutputChannel> {
	return platform === 'win32' ? twoPipes() : await onePipe(folder, path);
}

/**
 * One pipe for both streams, so that their order is kept. Node gives children sockets, which cannot be opened as /dev/stderr
 * (ENXIO), and Node cannot create a pipe. So this is a FIFO whose name is removed.
 */
async function onePipe(folder: string, path: string | undefined): Promise<OutputChannel> {
	const [readEnd, writeEnd] = await openFifo(folder, path);
	const buffer = Buffer.allocUnsafe(CHUNK_SIZE);
	let receive = (_chunk: Buffer) => {};
	const callback = (bytes: number) => {
		receive(buffer.subarray(0, bytes));
		return true;
	};
	const options = { fd: readEnd, readable: true, writable: false, onread: { buffer, callback } };
	const socket = new Socket(options);
	socket.on('error', () => socket.destroy()).unref();
	let isOpen = true;
	const closeWriteEnd = () => {
		if (isOpen) closeSync(writeEnd);
		isOpen = false;
	};
	return {
		stdio: ['ignore', writeEnd, writeEnd],
		attach: (_child, receiver) => {
			closeWriteEnd();
			receive = receiver;
			socket.resume();
		},
		drain: async () => {
			// Reads directly: a program in the background can hold the pipe open, so the end would never come.
			socket.pause();
			for (let reads = 0; reads < MAX_READS && !socket.destroyed; reads++) {
				const bytes = readNow(readEnd, buffer);
				if (bytes === 0) return;
				receive(buffer.subarray(0, bytes));
			}
		},
		release: () => {
			closeWriteEnd();
			receive = () => {};
			socket.resume();
		},
	};
}

async function openFifo(folder: string, path: string | undefined): Promise<[number, number]> {
	const temporary = await mkdtemp(join(folder, 'context-broker-')).catch((cause: NodeJS.ErrnoException) => {
		throw new NoTemporaryFile({ cause });
	});
	try {
		const fifo = join(temporary, 'output');
		const mkfifo = systemProgram('mkfifo', path) ?? 'mkfifo';
		await promisify(execFile)(mkfifo, [fifo], { env: {} }).catch((cause: { code?: unknown }) => {
			// A number is an exit status: mkfifo ran and failed.
			throw typeof cause.code === 'number' ? new NoTemporaryFile({ cause }) : cause;
		});
		const readEnd = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
		try {
			return [readEnd, openSync(fifo, constants.O_WRONLY)];
		} catch (error) {
			closeSync(readEnd);
			throw error;
		}
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

function readNow(fd: number, buffer: Buffer): number {
	try {
		return readSync(fd, buffer);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0; // Nothing to read.
		throw error;
	}
}

function twoPipes(): OutputChannel {
	let pipes: (Readable | null)[] = [];
	let closed: Promise<unknown> = Promise.resolve();
	return {
		stdio: ['ignore', 'pipe', 'pipe'],
		attach: (child, receive) => {
			pipes = [child.stdout, child.stderr];
			closed = new Promise((resolve) => child.once('close', resolve));
			for (const pipe of pipes) pipe?.on('data', receive);
		},
		drain: async () => void (await Promise.race([closed, delay(DRAIN_TIMEOUT_MS)])),
		release: () => {
			for (const pipe of pipes) pipe?.removeAllListeners('data').resume();
		},
	};
}

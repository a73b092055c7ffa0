import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { ENV_FILE_LIMIT, EnvFileError } from './errors.ts';

/** How often a read is made anew because the file changed meanwhile. */
const ATTEMPTS = 20;

/**
 * The text of an env file, with a byte-order mark where it has one, so that it can be written back as it was.
 *
 * @returns '' where there is no such file, also where a link leads to none
 * @throws EnvFileError `unreadable`, `not_a_file`, `not_text`, `too_large`
 */
export async function readEnvFile(path: string): Promise<string> {
	let content: Buffer | undefined;
	try {
		content = await readFile(path);
	} catch (error) {
		if (error instanceof EnvFileError) throw error;
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT' || code === 'ENOTDIR') return '';
		throw new EnvFileError('unreadable', path, error);
	}
	if (content.includes(0)) throw new EnvFileError('not_text', path);
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
	} catch (error) {
		throw new EnvFileError('not_text', path, error);
	}
}

async function readFile(path: string): Promise<Buffer> {
	// Asked before it is opened too: opening a FIFO or a device can have effects of its own.
	if (!(await stat(path)).isFile()) throw new EnvFileError('not_a_file', path);
	const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		if (!(await handle.stat()).isFile()) throw new EnvFileError('not_a_file', path);
		return await readVersion(handle, path);
	} finally {
		await handle.close();
	}
}

/** One version of the file: half of one, written back, would cost the user the other half. */
async function readVersion(handle: FileHandle, path: string): Promise<Buffer> {
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const before = await handle.stat({ bigint: true });
		const content = await readAtMost(handle, Math.min(Number(before.size), ENV_FILE_LIMIT) + 1);
		if (content.length > ENV_FILE_LIMIT) throw new EnvFileError('too_large', path);
		const after = await handle.stat({ bigint: true });
		if (after.mtimeNs === before.mtimeNs && BigInt(content.length) === after.size) return content;
	}
	throw new EnvFileError('unreadable', path, new Error('It is being written all the time'));
}

async function readAtMost(handle: FileHandle, length: number): Promise<Buffer> {
	const buffer = Buffer.alloc(length);
	let filled = 0;
	while (filled < length) {
		const { bytesRead } = await handle.read(buffer, filled, length - filled, filled);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return buffer.subarray(0, filled);
}

import type { Stats } from 'node:fs';
import { type FileHandle, mkdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { writeAtomically } from '../files/write-atomically.ts';
import { ENV_FILE_LIMIT, EnvFileError } from './errors.ts';

/** As many as Linux follows. */
const LINK_LIMIT = 40;

/**
 * Writes an env file in one step: whoever reads it meanwhile gets the old text or the new one.
 *
 * An existing file keeps its mode, and its owner where the account may give files away; a link stays, and what it leads
 * to is replaced or made. A new file has the mode 0600, new folders 0700. Access control lists, extended attributes and
 * further hard links are not carried over.
 *
 * @throws EnvFileError `unwritable`, `not_a_file`; `not_text` and `too_large` for what `readEnvFile` would refuse. The
 *   file is then as it was.
 */
export async function writeEnvFile(path: string, text: string): Promise<void> {
	const content = Buffer.from(text);
	// A lone surrogate would silently become U+FFFD.
	if (/[\0\p{Surrogate}]/u.test(text)) throw new EnvFileError('not_text', path);
	if (content.length > ENV_FILE_LIMIT) throw new EnvFileError('too_large', path);
	try {
		const file = await realFile(path);
		const old = await statOrUndefined(file);
		if (old?.isFile() === false) throw new EnvFileError('not_a_file', path);
		await writeAtomically(file, content, old && ((handle) => takeOver(handle, old)));
	} catch (error) {
		throw error instanceof EnvFileError ? error : new EnvFileError('unwritable', path, error);
	}
}

/** Where a path leads once all links are followed, also where nothing is there yet. Makes the folders to it. */
export async function realFile(path: string): Promise<string> {
	let next = resolve(path);
	for (let hop = 0; hop <= LINK_LIMIT; hop++) {
		await mkdir(dirname(next), { recursive: true, mode: 0o700 });
		const folder = await realpath(dirname(next));
		const file = join(folder, basename(next));
		const target = await readlink(file).catch((error: NodeJS.ErrnoException) => {
			if (error.code === 'EINVAL' || error.code === 'ENOENT') return undefined; // No link, or nothing at all.
			throw error;
		});
		if (target === undefined) return file;
		next = resolve(folder, target);
	}
	throw Object.assign(new Error('Too many links'), { code: 'ELOOP' });
}

async function statOrUndefined(file: string): Promise<Stats | undefined> {
	try {
		return await stat(file);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

/** Gives a new file the owner and the mode of the old one. */
async function takeOver(handle: FileHandle, old: Stats): Promise<void> {
	const own = await handle.stat();
	const mayChange = async (user: number, group: number) => {
		if (own.uid === user && own.gid === group) return true;
		return handle.chown(user, group).then(
			() => true,
			(error: NodeJS.ErrnoException) => {
				if (error.code === 'EPERM') return false;
				throw error;
			},
		);
	};
	const keepsGroup = (await mayChange(old.uid, old.gid)) || (await mayChange(own.uid, old.gid));
	// What the old group was allowed is not for another one.
	await handle.chmod(old.mode & (keepsGroup ? 0o7777 : 0o7707));
}

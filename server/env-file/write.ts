import type { Stats } from 'node:fs';
import { type FileHandle, mkdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Lock } from '../bootstrap/lock.mjs';
import { writeAtomically } from '../files/write-atomically.ts';
import { ENV_FILE_LIMIT, EnvFileError } from './env-file.ts';
import { assignmentIn, LINE_ENDING } from './parse.ts';

/** Characters without a meaning to a shell or to dotenv. */
const PLAIN = /^[\w.,-]*$/;

/**
 * Edits one variable; all else stays byte for byte. The variable's last line keeps `export`, indentation, comment and quotes.
 */
export function editEnvFile(text: string, name: string, value: string | undefined): string {
	// Lines at even indexes, and line ends at odd ones.
	const parts = text.split(new RegExp(`(${LINE_ENDING.source})`));
	const places = [...parts.keys()].filter((at) => at % 2 === 0 && assignmentIn(parts[at] ?? '')?.name === name);
	const last = places.at(-1);
	if (value === undefined) {
		for (const at of places) parts.splice(at, 2, parts[at]?.startsWith('\ufeff') ? '\ufeff' : '', '');
	} else if (last !== undefined) {
		const { before = '', quote = '', after = '' } = assignmentIn(parts[last] ?? '') ?? {};
		parts[last] = before + quoted(value, quote) + after;
	} else {
		const ending = parts[1] ?? '\n';
		parts.push(parts.at(-1) === '' ? '' : ending, `${name}=${quoted(value, '')}${ending}`);
	}
	return parts.join('');
}

/** @param old the quote around the old value. A backtick is replaced, because a shell would run the value */
function quoted(value: string, old: string): string {
	const fits = (quote: string) => (quote === '' ? PLAIN.test(value) : !value.includes(quote));
	const quote = [old.replace('`', "'"), '', "'", '"'].find(fits) ?? '';
	return quote + value + quote;
}

const LOCK_POLL_MS = 20;

/**
 * Runs `work` under a lock. Otherwise the later of two commands would undo the other's edit.
 *
 * @throws EnvFileError `unwritable`
 */
export async function whileLocked<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
	let lock: Lock;
	try {
		lock = new Lock(`${await realFile(path)}.lock`);
		while (!lock.tryTake()) await delay(LOCK_POLL_MS);
	} catch (error) {
		throw new EnvFileError('unwritable', path, error);
	}
	try {
		return await work();
	} finally {
		lock.release();
	}
}

/** Linux's limit. */
const MAX_LINKS = 40;

/**
 * Keeps an existing file's mode, and its owner if the account may change owners. A link stays, and its target is replaced or
 * created. Access control lists, extended attributes and further hard links are lost.
 *
 * @throws EnvFileError; then the file is unchanged
 */
export async function writeEnvFile(path: string, text: string): Promise<void> {
	const content = Buffer.from(text);
	// A lone surrogate would silently become U+FFFD.
	if (/[\0\p{Surrogate}]/u.test(text)) throw new EnvFileError('not_text', path);
	if (content.length > ENV_FILE_LIMIT) throw new EnvFileError('too_large', path);
	try {
		const file = await realFile(path);
		const old = await stat(file).catch(unless('ENOENT'));
		if (old?.isFile() === false) throw new EnvFileError('not_a_file', path);
		await writeAtomically(file, content, old && ((handle) => takeOver(handle, old)));
	} catch (error) {
		throw error instanceof EnvFileError ? error : new EnvFileError('unwritable', path, error);
	}
}

async function realFile(path: string): Promise<string> {
	let next = resolve(path);
	for (let hop = 0; hop <= MAX_LINKS; hop++) {
		await mkdir(dirname(next), { recursive: true, mode: 0o700 });
		const folder = await realpath(dirname(next));
		const file = join(folder, basename(next));
		// Undefined if it is not a link, or does not exist.
		const target = await readlink(file).catch(unless('EINVAL', 'ENOENT'));
		if (target === undefined) return file;
		next = resolve(folder, target);
	}
	throw Object.assign(new Error('Too many links'), { code: 'ELOOP' });
}

async function takeOver(handle: FileHandle, old: Stats): Promise<void> {
	const own = await handle.stat();
	const mayChange = async (user: number, group: number) => {
		if (own.uid === user && own.gid === group) return true;
		return (await handle.chown(user, group).then(() => true, unless('EPERM'))) ?? false;
	};
	const keepsGroup = (await mayChange(old.uid, old.gid)) || (await mayChange(own.uid, old.gid));
	// Another group must not get the old group's rights.
	await handle.chmod(old.mode & (keepsGroup ? 0o7777 : 0o7707));
}

function unless(...codes: readonly string[]): (error: NodeJS.ErrnoException) => undefined {
	return (error) => {
		if (!codes.includes(error.code ?? '')) throw error;
	};
}

import { promises as fs } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { BrokerError } from '../errors.ts';
import { REASONS } from './report.ts';

export interface Scope {
	/** A real path: absolute, with links resolved. */
	readonly root: string;
	/** Relative to the root, with `/`. A folder's path ends with `/`, and the root is ''. */
	readonly path: string;
}

/**
 * Resolves what to search.
 *
 * @param project absolute
 * @param path relative to the project, or absolute
 * @param cwd the caller's working folder. If it is outside the project, as a worktree can be, it counts as the project
 * @throws BrokerError `path_outside`, `path_missing`, `not_searched`
 */
export async function scopeOf(project: string, path: string, cwd = ''): Promise<Scope> {
	const [own, working] = [await realPath(project), cwd === '' ? '' : await fs.realpath(cwd).catch(() => '')];
	const root = working === '' || isWithin(working, own) ? own : working;
	const from = root === own ? project : cwd;
	if (path.includes('\0')) throw new BrokerError('path_missing');
	const target = resolve(from, path);
	// Checked before looking: the answer must not say whether a path outside exists.
	if (!isWithin(target, resolve(from)) && !isWithin(target, root)) throw new BrokerError('path_outside');
	const real = await realPath(target);
	if (!isWithin(real, root)) throw new BrokerError('path_outside');
	const within = relative(root, real).split(sep).join('/');
	if (within === '') return { root, path: '' };
	const stats = await fs.stat(real);
	if (stats.isDirectory()) return { root, path: `${within}/` };
	if (!stats.isFile()) throw notSearched(REASONS.special);
	return { root, path: within };
}

/** The error if the requested path itself cannot be searched. */
export function notSearched(reason: string): BrokerError {
	return new BrokerError('not_searched', { detail: `Reason: ${reason}.` });
}

async function realPath(path: string): Promise<string> {
	try {
		return await fs.realpath(path);
	} catch (cause) {
		throw new BrokerError('path_missing', { cause });
	}
}

/** Whether a path is the folder or below it. Both are absolute. */
export function isWithin(path: string, folder: string): boolean {
	return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

import * as fs from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { GitError, listsOfParts, partsOf } from './git.ts';
import { isWithin } from './scope.ts';

export type Unsearched =
	| 'archive'
	| 'binary'
	| 'changing'
	| 'gone'
	| 'ignored'
	| 'link'
	| 'not_fetched'
	| 'special'
	| 'too_large'
	| 'unreadable';

/** A file to search; or a path that is not searched, and why. Paths are relative, with `/`. */
export interface Listed {
	readonly path: string;
	/** With a reason, a path that ends with `/` is a folder with its whole content. */
	readonly reason?: Unsearched;
}

export interface ListOptions {
	/** Path of the git program; undefined if there is none. */
	readonly git: string | undefined;
	/** Whether to list files that git ignores. */
	readonly ignored: boolean;
}

/** Files that are listed at a time. */
const LIST_LENGTH = 1_000;

/**
 * Lists a file, or the files below a folder, in parts. A path that is asked for by name is listed even if git ignores it.
 * Blocks, so it needs its own thread.
 *
 * @param path relative; a folder's path ends with `/`, and the root is ''
 */
export async function* listPath(root: string, path: string, options: ListOptions): AsyncGenerator<Listed[]> {
	if (path !== '' && !path.endsWith('/')) yield [{ path }];
	else yield* listFiles(root, { ...options, ignored: await isIgnored(root, path, options) }, path);
}

async function isIgnored(root: string, path: string, { git, ignored }: ListOptions): Promise<boolean> {
	return (
		ignored || (git !== undefined && (await firstPart(git, root, ['check-ignore', '--', path || '.'])) !== undefined)
	);
}

/** The files below a folder: in a repository as git lists them, otherwise all. Never the content of `.git`. */
async function* listFiles(root: string, options: ListOptions, prefix: string): AsyncGenerator<Listed[]> {
	const folder = join(root, prefix);
	if (!options.ignored) {
		if (options.git !== undefined && (await isRepository(options.git, folder))) {
			yield* listedByGit(root, prefix, options.git, options);
			return;
		}
		// Without git, or in another owner's repository, files that git would ignore are searched too.
		const above = gitAbove(folder);
		if (above !== undefined) {
			yield [
				{ path: isWithin(above, root) ? relative(root, above).split(sep).join('/') : '.git', reason: 'unreadable' },
			];
		}
	}
	yield* walk(root, prefix, options);
}

export async function isRepository(git: string, folder: string): Promise<boolean> {
	return (await firstPart(git, folder, ['rev-parse', '--is-inside-work-tree'])) === 'true';
}

export async function firstPart(git: string, folder: string, args: readonly string[]): Promise<string | undefined> {
	try {
		for await (const part of partsOf(git, folder, args, '\n')) return part.toString();
	} catch (error) {
		if (!(error instanceof GitError)) throw error;
	}
	return undefined;
}

const LISTED = ['ls-files', '-z', '--stage', '--cached', '--others', '--exclude-standard'];

/** Stands before a tracked file's path. */
const STAGED = /^(\d{6}) [\da-f]{40,} \d\t/;
const SUBMODULE = '160000';
const UNREADABLE = /^warning: could not open directory '(.*)': /gm;
const IGNORED = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];

async function* listedByGit(root: string, prefix: string, git: string, options: ListOptions): AsyncGenerator<Listed[]> {
	const folder = join(root, prefix);
	let last = '';
	let warnings = '';
	for await (const parts of listsOfParts(git, folder, LISTED, '\0', { onWarning: (text) => (warnings += text) })) {
		const files: Listed[] = [];
		for (const part of parts) {
			const text = part.toString();
			const [staged = '', mode] = STAGED.exec(text) ?? [];
			const path = text.slice(staged.length);
			if (path === last) continue; // A conflict lists each side.
			last = path;
			// Git lists a repository within this one as a folder only.
			if (path.endsWith('/')) yield* listFiles(root, options, prefix + path);
			else if (mode === SUBMODULE) yield* listSubmodule(root, options, prefix + path);
			else files.push({ path: prefix + path });
		}
		yield files;
	}
	yield await unreadableIn(warnings, git, root, prefix);
	for await (const parts of listsOfParts(git, folder, IGNORED)) {
		yield parts.map((part) => ({ path: prefix + part.toString(), reason: 'ignored' }));
	}
}

/** Folders about which git has warned: it leaves them out of its list. */
async function unreadableIn(warnings: string, git: string, root: string, prefix: string): Promise<Listed[]> {
	const paths = Array.from(warnings.matchAll(UNREADABLE), ([, path = '']) => path);
	if (paths.length === 0) return [];
	// The paths in warnings are relative to the repository's root.
	const { length } = (await firstPart(git, join(root, prefix), ['rev-parse', '--show-prefix'])) ?? '';
	return paths.map((path) => ({ path: prefix + path.slice(length), reason: 'unreadable' }));
}

/** A submodule that is not checked out has no `.git`; git would list the repository around it. */
async function* listSubmodule(root: string, options: ListOptions, path: string): AsyncGenerator<Listed[]> {
	const folder = join(root, path);
	// If it is a link or missing, it is reported like a file.
	if (!isInPlace(folder)) yield [{ path }];
	else if (hasGit(folder)) yield* listFiles(root, options, `${path}/`);
	else yield* walk(root, `${path}/`, options);
}

async function* walk(root: string, prefix: string, options: ListOptions): AsyncGenerator<Listed[]> {
	let files: Listed[] = [];
	const folders = [prefix];
	for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
		if (folder !== prefix && !options.ignored && options.git !== undefined && hasGit(join(root, folder))) {
			yield* listFiles(root, options, folder);
			continue;
		}
		try {
			const place = join(root, folder, '.');
			if (fs.realpathSync.native(place) !== place) {
				files.push({ path: folder, reason: 'link' }); // A link has replaced the folder.
				continue;
			}
			for (const entry of entriesOf(place)) {
				if (entry.name === '.git') continue;
				const path = folder + entry.name;
				if (entry.isDirectory()) folders.push(`${path}/`);
				else files.push(entry.isFile() || entry.isSymbolicLink() ? { path } : { path, reason: 'special' });
				if (files.length < LIST_LENGTH) continue;
				yield files;
				files = [];
			}
		} catch (error) {
			files.push({ path: folder, reason: reasonOf(error) });
		}
	}
	yield files;
}

/** One by one: a folder can have a million entries. */
function* entriesOf(path: string): Generator<fs.Dirent> {
	const folder = fs.opendirSync(path, { bufferSize: LIST_LENGTH });
	try {
		for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) yield entry;
	} finally {
		folder.closeSync();
	}
}

function isInPlace(path: string): boolean {
	try {
		return fs.realpathSync.native(path) === path;
	} catch {
		return false;
	}
}

function hasGit(folder: string): boolean {
	try {
		return fs.lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
	} catch {
		return false; // Reported when the folder is read.
	}
}

/** The nearest `.git` in a folder or above it. @param folder absolute */
export function gitAbove(folder: string): string | undefined {
	if (hasGit(folder)) return join(folder, '.git');
	const parent = dirname(folder);
	return parent === folder ? undefined : gitAbove(parent);
}

export function reasonOf(error: unknown): Unsearched {
	const { code } = Object(error) as NodeJS.ErrnoException;
	return code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : 'unreadable';
}

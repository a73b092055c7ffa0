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

/** A file to be searched, or what is not and why. Paths are relative, with `/`. */
export interface Listed {
	readonly path: string;
	/** With a `/` at its end, it is a folder with all that is in it. */
	readonly reason?: Unsearched;
}

export interface ListOptions {
	/** The program; undefined if there is none. */
	readonly git: string | undefined;
	/** Whether to list what git ignores. */
	readonly ignored: boolean;
}

/** So many files are listed at a time. */
const LIST_LENGTH = 1_000;

/**
 * A file, or the files below a folder, in parts. A path that git ignores, and that is asked for by its name, is listed as it
 * is. It blocks: for a thread of its own.
 *
 * @param path relative; of a folder with a `/` at its end, '' for the root
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

/** The files below a folder: as git sees them in a repository, all of them otherwise; never what is in `.git`. */
async function* listFiles(root: string, options: ListOptions, prefix: string): AsyncGenerator<Listed[]> {
	const folder = join(root, prefix);
	if (!options.ignored) {
		if (options.git !== undefined && (await isRepository(options.git, folder))) {
			yield* listedByGit(root, prefix, options.git, options);
			return;
		}
		// Without git, as in a repository of another owner, also what it would ignore is searched.
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

/** What stands before the path of a tracked file. */
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
			if (path === last) continue; // Each side of a conflict is listed.
			last = path;
			// Of another repository, its folder alone is listed.
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

/** The folders that git has warned about: it leaves them out of its list. */
async function unreadableIn(warnings: string, git: string, root: string, prefix: string): Promise<Listed[]> {
	const paths = Array.from(warnings.matchAll(UNREADABLE), ([, path = '']) => path);
	if (paths.length === 0) return [];
	// They count from the top of the repository.
	const { length } = (await firstPart(git, join(root, prefix), ['rev-parse', '--show-prefix'])) ?? '';
	return paths.map((path) => ({ path: prefix + path.slice(length), reason: 'unreadable' }));
}

/** Until it is checked out it has no `.git`, and git would list the repository around it. */
async function* listSubmodule(root: string, options: ListOptions, path: string): AsyncGenerator<Listed[]> {
	const folder = join(root, path);
	// As a link, or gone, it is told as a file is.
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
				files.push({ path: folder, reason: 'link' }); // One has taken its place.
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

/** Not all at once: there can be a million. */
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
		return false; // It is told when the folder is read.
	}
}

/** The `.git` of what should be a repository with a folder in it. @param folder absolute */
export function gitAbove(folder: string): string | undefined {
	if (hasGit(folder)) return join(folder, '.git');
	const parent = dirname(folder);
	return parent === folder ? undefined : gitAbove(parent);
}

export function reasonOf(error: unknown): Unsearched {
	const { code } = Object(error) as NodeJS.ErrnoException;
	return code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : 'unreadable';
}

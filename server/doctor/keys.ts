import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { MapContent } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import { CONTENT_LIMIT, readMarkdown } from '../files/read-markdown.ts';
import { withinBounds } from '../policy/private-files.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

/** The share of CONTENT_LIMIT above which a file gets a warning. */
const NEAR_LIMIT = 0.9;

const NEXT: Partial<Record<BrokerError['code'], string>> = {
	file_missing: 'Create the file, or correct its path in the map.',
	file_unreadable: 'Make it a file that your account can read.',
	not_markdown: 'Give the file a name that ends in .md, and correct the path in the map.',
	too_large: 'Split it into several files with a key each.',
	not_text: 'Save it as UTF-8.',
};

/** Checks that each key leads to a file: one line for all good keys, and one for each fault. */
export async function checkKeys(
	context: DoctorContext,
	{ entries, faults, isolation }: MapContent,
): Promise<Finding[]> {
	if (entries.size === 0) {
		// Servers and isolated tools work without keys.
		if (faults.length > 0 || isolation.length > 0) return [];
		return [warning('keys', 'The map has none.', 'Add one below [keys]: key = "path of a Markdown file"')];
	}
	const paths = [...new Set([...entries.values()].map((entry) => context.map.resolve(entry)))];
	const texts = new Map(await Promise.all(paths.map(async (path) => [path, await textOrError(path)] as const)));
	const checked = [...entries].map(async ([key, entry]) => {
		const path = context.map.resolve(entry);
		return await checkKey(context, key, path, texts.get(path) as string | BrokerError);
	});
	const found = await Promise.all(checked);
	const good = found.filter((findings) => findings.every(({ status }) => status !== 'failure')).length;
	const summary = good === 0 ? [] : [ok('keys', `${good} of ${entries.size} lead to a file that can be loaded`)];
	return [
		...summary,
		...found.flat(),
		...checkCompared([...texts.values()]),
		...(await checkExposure('map', realpathSync(context.map.file), context)),
	];
}

async function textOrError(path: string): Promise<string | BrokerError> {
	return await readMarkdown(path).catch((error: unknown) => {
		if (error instanceof BrokerError) return error;
		throw error;
	});
}

/** Whether tool results are compared with all files. @param texts in the map's order */
function checkCompared(texts: readonly (string | BrokerError)[]): Finding[] {
	const files = texts.filter((text) => typeof text === 'string').map((text) => ({ text }));
	const left = files.length - withinBounds(files).length;
	if (left === 0) return [];
	const message = `There are too many files, or too long ones, to compare results of tools with all of them: ${left} of ${files.length} files are protected only by their paths.`;
	return [warning('keys', message, 'Remove what is no longer needed, or join small files.')];
}

async function checkKey(
	context: DoctorContext,
	key: string,
	path: string,
	text: string | BrokerError,
): Promise<Finding[]> {
	const check = `key ${shortened(key)}`;
	if (text instanceof BrokerError) {
		const next = NEXT[text.code] ?? 'Correct the file, or its path in the map.';
		return [failure(check, `${path}: ${text.message}`, next)];
	}
	const near = `${path} has ${text.length} characters; the limit is ${CONTENT_LIMIT}.`;
	return [
		...(text.length > NEAR_LIMIT * CONTENT_LIMIT ? [warning(check, near, 'Split it before it grows further.')] : []),
		...(await checkExposure(check, realpathSync(path), context)),
	];
}

/** Enough of a key for its owner to recognise it. */
export function shortened(key: string): string {
	return `${key.slice(0, Math.min(4, Math.floor(key.length / 3)))}…`;
}

/** Whether other accounts can read or change a private file, or git would commit it. */
async function checkExposure(check: string, file: string, context: DoctorContext): Promise<Finding[]> {
	return [...checkPermissions(check, file, context), ...(await checkGit(check, file, context))];
}

/** Whether other accounts can read or replace a file, considering the permissions of the folders above it. */
function checkPermissions(check: string, file: string, { platform }: DoctorContext): Finding[] {
	// A file's mode says nothing about permissions on Windows.
	if (platform === 'win32') return [];
	const mode = modeOf(file);
	const folders = foldersAbove(file).map(modeOf);
	if (!folders.every((folder) => (folder & 0o001) !== 0)) return [];
	const mayReplace = folders.some((folder) => (folder & 0o002) !== 0 && (folder & 0o1000) === 0);
	if ((mode & 0o002) !== 0 || mayReplace) {
		const next = `Remove that permission: chmod o-w ${quoted(file)}, and the same for its folders.`;
		return [warning(check, `Any account on this machine can change ${file}.`, next)];
	}
	if ((mode & 0o004) === 0) return [];
	const next = `Remove that permission: chmod o-r ${quoted(file)}`;
	return [warning(check, `Any account on this machine can read ${file}.`, next)];
}

async function checkGit(check: string, file: string, { run }: DoctorContext): Promise<Finding[]> {
	const output = await run('git', ['-C', dirname(file), 'check-ignore', '--quiet', '--', basename(file)]);
	// 0: ignored; 1: not ignored; 128: not in a work tree, or in one that git refuses to read, such as another account's.
	if (output?.status === 0) return [];
	if (output?.status === 1) {
		const next = 'Move it elsewhere, or add it to .gitignore.';
		return [warning(check, `${file} is in a git work tree and not ignored, so it can be committed.`, next)];
	}
	const tree = foldersAbove(file).find((folder) => existsSync(join(folder, '.git')));
	if (tree === undefined) return [];
	const next = `See what git says: git -C ${quoted(tree)} check-ignore --verbose ${quoted(file)}`;
	return [warning(check, `${file} is in a git work tree, and git does not say whether it is ignored.`, next)];
}

function quoted(path: string): string {
	return /^[\w/.,:@%+=~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function modeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}

function foldersAbove(file: string): string[] {
	const folder = dirname(file);
	return folder === file ? [] : [folder, ...foldersAbove(folder)];
}

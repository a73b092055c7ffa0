import { existsSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Finding, warning } from './finding.ts';
import type { Patient } from './patient.ts';

/** What is wrong with where a private file lies, though it can be read: others can read or change it, or git would take it. */
export async function checkPlace(check: string, file: string, patient: Patient): Promise<Finding[]> {
	return [...checkPermissions(check, file, patient), ...(await checkGit(check, file, patient))];
}

/** Whether others can read a file, or put another one in its place, as far as the folders above let them come by. */
function checkPermissions(check: string, file: string, { platform }: Patient): Finding[] {
	// What the permissions of Windows say is not told by a mode.
	if (platform === 'win32') return [];
	const mode = modeOf(file);
	const folders = foldersAbove(file).map(modeOf);
	if (!folders.every((folder) => (folder & 0o001) !== 0)) return [];
	const mayReplace = folders.some((folder) => (folder & 0o002) !== 0 && (folder & 0o1000) === 0);
	if ((mode & 0o002) !== 0 || mayReplace) {
		const next = `Take that right away: chmod o-w ${quoted(file)}, and the same for its folders.`;
		return [warning(check, `Any account of this machine may change ${file}.`, next)];
	}
	if ((mode & 0o004) === 0) return [];
	return [
		warning(check, `Any account of this machine may read ${file}.`, `Take that right away: chmod o-r ${quoted(file)}`),
	];
}

/** For a shell, where it has to be. */
function quoted(path: string): string {
	return /^[\w/.,:@%+=~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function modeOf(path: string): number {
	const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
	return stats?.mode ?? 0;
}

function foldersAbove(file: string): string[] {
	const folder = dirname(file);
	return folder === file ? [] : [folder, ...foldersAbove(folder)];
}

async function checkGit(check: string, file: string, { run }: Patient): Promise<Finding[]> {
	const said = await run('git', ['-C', dirname(file), 'check-ignore', '--quiet', '--', basename(file)]);
	// 0: ignored; 1: not ignored; 128: in no work tree, or in one that git does not look into, such as another account's.
	if (said?.status === 0) return [];
	if (said?.status === 1) {
		const next = 'Move it elsewhere, or name it in .gitignore.';
		return [warning(check, `${file} lies in a git work tree and is not ignored, so it can be committed.`, next)];
	}
	const tree = foldersAbove(file).find((folder) => existsSync(join(folder, '.git')));
	if (tree === undefined) return [];
	const next = `See what git says: git -C ${quoted(tree)} check-ignore --verbose ${quoted(file)}`;
	return [warning(check, `${file} lies in a git work tree, and git does not tell whether it is ignored.`, next)];
}

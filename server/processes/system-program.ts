import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { findOnWindows, isExistingFile, isFullPath } from '../bootstrap/windows-program.mjs';

export { NOT_IN_WORKING_FOLDER, windowsCommand, windowsProgram } from '../bootstrap/windows-program.mjs';

/** Searched before PATH, so that a project cannot substitute another program. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'];

/** A program's absolute path. Ignores relative folders in PATH. */
export function systemProgram(
	name: string,
	path = '',
	platform = process.platform,
	isThere?: (file: string) => boolean,
): string | undefined {
	if (platform === 'win32') return findOnWindows(name, path, undefined, isThere);
	const folders = [...SYSTEM_FOLDERS, ...absoluteFolders(path)];
	return folders.map((folder) => join(folder, name)).find(isThere ?? isProgram);
}

/** The folders of PATH without relative ones, which a project could fill. An empty one is the working folder. */
export function absoluteFolders(path = ''): string[] {
	return path.split(delimiter).filter((folder) => isAbsolute(folder));
}

/**
 * A program as the map names it. On Windows its path: a bare name would be looked for in the working folder first.
 *
 * @throws NotAProgram
 * @throws an error with the code ENOENT. For a path on Windows, cmd.exe would print a sentence in the user's language instead.
 */
export function programOf(
	command: string,
	{ platform, env }: Pick<NodeJS.Process, 'platform' | 'env'> = process,
	isFile = isExistingFile,
): string {
	const isPath = /[\\/]/.test(command);
	if (platform !== 'win32') return command;
	const extensions = /\.(exe|cmd|bat|com)$/i.test(command) ? [''] : ['.exe', '.cmd', '.bat', '.com'];
	if (isPath && !isFullPath(command)) {
		// Which file a path without an extension leads to depends on the server's folder.
		if (extensions.length > 1) throw new NotAProgram();
		return command;
	}
	const found = isPath
		? extensions.map((extension) => command + extension).find((file) => isFile(file))
		: findOnWindows(command, env.PATH, extensions, isFile);
	if (found !== undefined) return found;
	if (isPath && isFile(command)) throw new NotAProgram();
	throw Object.assign(new Error(`There is no ${command}`), { code: 'ENOENT' });
}

/** A file that Windows itself cannot run. Cross-spawn would start a script's `node` by its bare name. */
export class NotAProgram extends Error {}

export function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}

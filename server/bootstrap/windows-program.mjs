import * as fs from 'node:fs';
import { win32 } from 'node:path';

/** The absolute path of a program that is a part of Windows. @param {string} name below System32 @param {NodeJS.ProcessEnv} environment */
export function windowsProgram(name, { SystemRoot = 'C:\\Windows' }) {
	return win32.join(SystemRoot, 'System32', name);
}

const PROGRAM = ['.exe'];
const PROGRAM_OR_SCRIPT = ['.exe', '.cmd', '.bat'];

/**
 * The absolute path of a program in PATH. Windows itself would look into the working folder first: a project could put in
 * its own program.
 *
 * @param {string} name without its extension @param {string} [path] @param {readonly string[]} [extensions]
 * @param {(file: string) => boolean} [isFile]
 */
export function findOnWindows(name, path = '', extensions = PROGRAM, isFile = isExistingFile) {
	const folders = path.split(';').map((folder) => folder.replaceAll('"', ''));
	return folders
		.filter((folder) => /^([a-z]:[\\/]|[\\/]{2})/i.test(folder))
		.flatMap((folder) => extensions.map((extension) => win32.join(folder, name + extension)))
		.find(isFile);
}

/** @param {string} file */
function isExistingFile(file) {
	return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * How to start a program in PATH, or a script, as `npm` is on Windows. A script needs a shell, which would read special
 * characters in the arguments: with such ones, only a program is looked for.
 *
 * @param {string} name @param {readonly string[]} args @param {NodeJS.ProcessEnv} environment @param {(file: string) => boolean} [isFile]
 * @returns {{ file: string, args: readonly string[], shell: string | false, env: NodeJS.ProcessEnv } | undefined} undefined if there is none
 */
export function windowsCommand(name, args, environment, isFile) {
	const arePlain = args.every((arg) => /^[\w.=-]+$/.test(arg));
	const file = findOnWindows(name, environment.PATH, arePlain ? PROGRAM_OR_SCRIPT : PROGRAM, isFile);
	if (file === undefined) return undefined;
	// A script starts others by their bare names.
	const env = { ...environment, NoDefaultCurrentDirectoryInExePath: '1' };
	if (/\.exe$/i.test(file)) return { file, args, shell: false, env };
	// In one string: arguments beside a shell are deprecated (DEP0190).
	return { file: `"${file}" ${args.join(' ')}`, args: [], shell: windowsProgram('cmd.exe', environment), env };
}

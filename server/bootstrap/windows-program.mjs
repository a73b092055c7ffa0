import * as fs from 'node:fs';
import { win32 } from 'node:path';
import { isErrno } from './errors.mjs';

/** The absolute path of a program that is a part of Windows. @param {string} name below System32 @param {NodeJS.ProcessEnv} environment */
export function windowsProgram(name, { SystemRoot = 'C:\\Windows' }) {
	return win32.join(SystemRoot, 'System32', name);
}

/** Windows looks for a program with a bare name in the working folder first. With this variable, it does not. */
export const NOT_IN_WORKING_FOLDER = { NoDefaultCurrentDirectoryInExePath: '1' };

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
	// Within quotes, a semicolon is a part of the name.
	const folders = path.match(/(?:"[^"]*"|[^;"])+/g) ?? [];
	return folders
		.map((folder) => folder.replaceAll('"', ''))
		.filter((folder) => isFullPath(folder))
		.flatMap((folder) => extensions.map((extension) => win32.join(folder, name + extension)))
		.find(isFile);
}

/** Whether a path starts with a drive or a share, so that it does not depend on a working folder. @param {string} path */
export function isFullPath(path) {
	return /^([a-z]:[\\/]|[\\/]{2})/i.test(path);
}

/** @param {string} file */
export function isExistingFile(file) {
	try {
		return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
	} catch (error) {
		return isErrno(error) && ['EACCES', 'UNKNOWN'].includes(error.code ?? '') && isAlias(file);
	}
}

/** An app of Microsoft's Store, which can be started but not read (https://github.com/nodejs/node/issues/36790). @param {string} file */
function isAlias(file) {
	try {
		return !fs.lstatSync(file).isDirectory();
	} catch {
		return false;
	}
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
	const env = { ...environment, ...NOT_IN_WORKING_FOLDER };
	if (/\.exe$/i.test(file)) return { file, args, shell: false, env };
	// In one string: arguments beside a shell are deprecated (DEP0190).
	return { file: `"${file}" ${args.join(' ')}`, args: [], shell: windowsProgram('cmd.exe', environment), env };
}

/**
 * How to start npm in a folder. On a share, where cmd.exe would work in C:\Windows instead, npm's program runs without its script.
 *
 * @param {string} folder @param {readonly string[]} args @param {NodeJS.ProcessEnv} environment @param {(file: string) => boolean} [isFile]
 */
export function windowsNpm(folder, args, environment, isFile = isExistingFile) {
	const found = /^[\\/]{2}/.test(folder) ? findOnWindows('npm', environment.PATH, ['.cmd'], isFile) : undefined;
	const program = win32.join(found ?? '', '..', 'node_modules', 'npm', 'bin', 'npm-cli.js');
	if (found === undefined || !isFile(program)) return windowsCommand('npm', args, environment, isFile);
	return { file: process.execPath, args: [program, ...args], shell: false, env: environment };
}

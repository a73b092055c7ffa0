import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Searched before PATH, so that a project cannot substitute another program. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'];

/** A program's absolute path. Ignores relative folders in PATH. */
export function systemProgram(name: string, path = ''): string | undefined {
	const folders = [...SYSTEM_FOLDERS, ...path.split(delimiter).filter((folder) => isAbsolute(folder))];
	return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}

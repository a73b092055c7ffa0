import { execFile } from 'node:child_process';
import { isProgram, systemProgram } from './system-program.ts';

/** Apple's own programs, which are on every Mac. */
const XCODE_SELECT = '/usr/bin/xcode-select';
const APPLE_GIT = '/usr/bin/git';

/**
 * The git to run. On a Mac without developer tools, /usr/bin/git opens a dialog that offers to install them; `xcode-select -p`
 * fails there. Then only another git in PATH counts.
 */
export async function gitProgram(
	path: string | undefined,
	platform = process.platform,
	xcodeSelect = XCODE_SELECT,
	isThere?: (file: string) => boolean,
): Promise<string | undefined> {
	const git = systemProgram('git', path, platform, isThere);
	if (platform !== 'darwin' || git !== APPLE_GIT || (await succeeds(xcodeSelect, ['-p']))) return git;
	return systemProgram('git', path, platform, (file) => file !== APPLE_GIT && (isThere ?? isProgram)(file));
}

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
	return await new Promise((resolve) => {
		execFile(program, args, { windowsHide: true }, (error) => resolve(error === null));
	});
}

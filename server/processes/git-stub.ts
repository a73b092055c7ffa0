import { execFile } from 'node:child_process';

/** Apple's own program, which is on every Mac. */
const XCODE_SELECT = '/usr/bin/xcode-select';

/**
 * Whether git can be run without a dialog. On a Mac without developer tools, /usr/bin/git opens one that offers to install
 * them; `xcode-select -p` fails there.
 */
export async function mayRunGit(platform = process.platform, program = XCODE_SELECT): Promise<boolean> {
	if (platform !== 'darwin') return true;
	return await new Promise((resolve) => {
		execFile(program, ['-p'], { windowsHide: true }, (error) => resolve(error === null));
	});
}

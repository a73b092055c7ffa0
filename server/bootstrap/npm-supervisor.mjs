/** Runs `npm ci` in a folder. If its parent is killed, standard input closes; it then ends npm and removes the folder. */
import { execFile, spawn } from 'node:child_process';
import { isErrno } from './errors.mjs';
import { remove } from './files.mjs';
import { NPM_MISSING } from './npm.mjs';
import { windowsNpm, windowsProgram } from './windows-program.mjs';

const [folder = ''] = process.argv.slice(2);
const windows = process.platform === 'win32';
// esbuild's binary is an optional package: a user's setting omit=optional must not drop it.
const args = ['ci', '--omit=dev', '--include=optional', '--ignore-scripts', '--package-lock', '--prefer-offline'];
args.push('--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--loglevel=warn');
// Other settings must not move the packages elsewhere or hide npm's messages.
args.push('--no-global', '--location=project', '--install-strategy=hoisted', '--no-workspaces', '--no-dry-run');
args.push('--no-package-lock-only', `--os=${process.platform}`, `--cpu=${process.arch}`, '--no-color', '--heading=npm');
args.push('--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=2000');
const command = windows ? windowsNpm(folder, args, process.env) : { file: 'npm', args };
if (command === undefined) process.exit(NPM_MISSING);
const { file, ...options } = command;
// A process group, so that killing it also ends the child of a shim.
const npm = spawn(file, options.args, {
	...options,
	cwd: folder,
	stdio: ['ignore', 'ignore', 'inherit'],
	detached: !windows,
	windowsHide: true,
});
npm.on('error', (error) => {
	process.exitCode = isErrno(error) && error.code === 'ENOENT' ? NPM_MISSING : 1;
	process.stdin.destroy();
});
npm.on('exit', (code) => {
	process.exitCode = code ?? 1;
	process.stdin.destroy();
});
const stop = () => {
	npm.on('exit', () => remove(folder));
	if (npm.pid === undefined) return;
	if (!windows) process.kill(-npm.pid, 'SIGKILL');
	// The shell alone would leave npm, which keeps the folder from being removed.
	else execFile(windowsProgram('taskkill.exe', process.env), ['/pid', String(npm.pid), '/t', '/f'], () => {});
};
process.stdin.once('end', stop).once('error', stop).resume();

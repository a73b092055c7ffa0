/**
 * `npm-supervisor.mjs <folder>`: runs `npm ci` there while standard input is open. When it ends, also because the process
 * at its other end was killed with -9, npm is ended with all that it started, and the folder removed.
 */
import { spawn } from 'node:child_process';
import { isErrno } from './errors.mjs';
import { remove } from './files.mjs';
import { NPM_MISSING } from './npm.mjs';

const [folder = ''] = process.argv.slice(2);
const windows = process.platform === 'win32';
// The platform's esbuild program is an optional package: a user's own omit=optional must not drop it.
const args = ['ci', '--omit=dev', '--include=optional', '--ignore-scripts', '--package-lock', '--prefer-offline'];
args.push('--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--loglevel=warn');
// Neither may other settings of theirs put the packages elsewhere, or hide what npm says.
args.push('--no-global', '--location=project', '--install-strategy=hoisted', '--no-workspaces', '--no-dry-run');
args.push('--no-package-lock-only', `--os=${process.platform}`, `--cpu=${process.arch}`, '--no-color', '--heading=npm');
args.push('--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=2000');
// A process group of its own, so that a shim's child is ended with it. npm is a script on Windows: it needs a shell.
const npm = spawn('npm', args, {
	cwd: folder,
	stdio: ['ignore', 'ignore', 'inherit'],
	detached: !windows,
	shell: windows,
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
	if (npm.pid !== undefined) process.kill(windows ? npm.pid : -npm.pid, 'SIGKILL');
};
process.stdin.once('end', stop).once('error', stop).resume();

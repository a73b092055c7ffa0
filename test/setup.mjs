/**
 * Installs what a command of the root package.json needs, where it is not installed as the lockfile says.
 *
 *     node test/setup.mjs run-time    the plugin's own packages
 *     node test/setup.mjs all         these and the developer's
 *     node test/setup.mjs everything  these and other versions of Node.js
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const kinds = ['run-time', 'all', 'everything'];
const folders = [root, join(root, 'test'), join(root, 'test', 'nodes')].slice(
	0,
	kinds.indexOf(process.argv[2] ?? '') + 1,
);

for (const folder of folders) {
	const lockfile = readFileSync(join(folder, 'package-lock.json'), 'utf8');
	const installed = join(folder, 'node_modules', '.installed-from-lockfile');
	if (existsSync(installed) && readFileSync(installed, 'utf8') === lockfile) continue;
	process.stderr.write(`Installing the packages of ${folder}\n`);
	const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd: folder,
		stdio: ['ignore', 'ignore', 'inherit'],
		shell: process.platform === 'win32',
	});
	if (status !== 0) process.exit(status ?? 1);
	writeFileSync(installed, lockfile);
}

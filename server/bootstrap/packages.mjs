import * as fs from 'node:fs';
import * as path from 'node:path';
import { PrepareError } from './errors.mjs';
import { readIfPresent, remove } from './files.mjs';
import { npmCi } from './npm.mjs';
import { isInstalledByNpm } from './paths.cjs';
import { retryIfBusy } from './retry.mjs';

/**
 * The folder from which Node finds the packages: the plugin's root if it has them, otherwise the data folder. Installs them
 * there if the data folder's copy of the lockfile differs.
 *
 * @param {import('./paths.cjs').Paths} paths @param {string} staging @param {import('./lock.mjs').Lock} lock
 * @param {AbortSignal} signal
 * @throws {PrepareError} if the installation fails
 */
export async function findPackages({ root, data }, staging, lock, signal) {
	if (isInstalledByNpm(root)) return root;
	const lockfile = fs.readFileSync(path.join(root, 'package-lock.json'));
	if (hasPackages(root, lockfile)) return root;
	const copy = path.join(data, 'package-lock.json');
	if (readIfPresent(copy)?.equals(lockfile) && hasPackages(data, lockfile)) return data;

	for (const name of ['package.json', 'package-lock.json']) {
		fs.copyFileSync(path.join(root, name), path.join(staging, name));
	}
	await npmCi(staging, signal);
	if (!hasPackages(staging, lockfile)) {
		throw new PrepareError(
			'npm reported success, but some packages are missing.',
			'Start a new session to try again. If it happens again, delete the npm cache with "npm cache clean --force".',
		);
	}
	if (!lock.isHeld()) throw new PrepareError('Another session took over the preparation.', 'Start a new session.');
	// The copy means that the packages beside it are complete: so it is removed first and comes back last.
	await retryIfBusy(() => remove(copy));
	const installed = path.join(data, 'node_modules');
	const rename = (/** @type {string} */ from, /** @type {string} */ to) => retryIfBusy(() => fs.renameSync(from, to));
	if (fs.existsSync(installed)) await rename(installed, path.join(staging, 'old'));
	await rename(path.join(staging, 'node_modules'), installed);
	await rename(path.join(staging, 'package.json'), path.join(data, 'package.json'));
	await rename(path.join(staging, 'package-lock.json'), copy);
	return data;
}

/**
 * Whether the packages for this platform are complete. An interrupted install has no record or an old one.
 *
 * @param {string} folder
 * @param {Buffer} lockfile
 */
function hasPackages(folder, lockfile) {
	const record = readIfPresent(path.join(folder, 'node_modules', '.package-lock.json'));
	if (!record) return false;
	try {
		const wanted = JSON.parse(lockfile.toString('utf8')).packages;
		const installed = JSON.parse(record.toString('utf8')).packages;
		return Object.keys(wanted).every((name) => {
			const entry = wanted[name];
			if (name === '' || entry.dev) return true;
			if (entry.os && !entry.os.includes(process.platform)) return true;
			if (entry.cpu && !entry.cpu.includes(process.arch)) return true;
			const found = installed[name];
			return (
				found?.version === entry.version &&
				found.integrity === entry.integrity &&
				fs.existsSync(path.join(folder, name, 'package.json'))
			);
		});
	} catch {
		return false; // The record is half-written.
	}
}

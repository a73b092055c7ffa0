const fs = require('node:fs');
const path = require('node:path');

/**
 * @typedef {object} Place
 * @property {string} root the plugin's folder
 * @property {string} data the data folder
 * @property {string} build the broker's build in it, which need not exist
 */

/**
 * Absolute candidates only: an unset `${CLAUDE_PLUGIN_DATA}` can arrive as that literal text, and the XDG
 * specification says to ignore relative paths.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} home
 */
function dataFolder(env, home) {
	if (env.CLAUDE_PLUGIN_DATA && path.isAbsolute(env.CLAUDE_PLUGIN_DATA)) return env.CLAUDE_PLUGIN_DATA;
	const xdg = env.XDG_DATA_HOME;
	const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'share');
	return path.join(base, 'context-broker');
}

/**
 * Whether npm has installed the plugin as a package, and its packages with it. Then there is no lockfile: npm packs none.
 *
 * @param {string} root
 */
function isInstalledByNpm(root) {
	return path.basename(path.dirname(root)) === 'node_modules' && !fs.existsSync(`${root}/package-lock.json`);
}

/**
 * A name for the build made from these sources, this manifest and this lockfile, as they are now: from the sizes, times
 * and inodes of all files, since to read them takes as long as all the rest of the bootstrap. By hand, since Node's
 * digests take longer to load than that.
 *
 * @param {string} root
 * @throws what the file system throws
 */
function buildName(root) {
	/** @type {number[]} */
	const facts = [];
	/** @param {string} file */
	const add = (file) => {
		const { size, mtimeMs, ino } = fs.statSync(file);
		facts.push(size, mtimeMs * 1_000, ino);
	};
	/** @param {string} folder */
	const walk = (folder) => {
		for (const name of namesIn(folder)) {
			const inner = `${folder}/${name}`;
			// What has no extension is a folder: to ask for it doubles the time.
			if (name.includes('.')) add(inner);
			else walk(inner);
		}
	};
	add(`${root}/package.json`);
	if (isInstalledByNpm(root)) {
		// What npm notes of all that it has installed there, but not of what is installed for the whole system.
		const record = `${path.dirname(root)}/.package-lock.json`;
		if (fs.existsSync(record)) add(record);
	} else add(`${root}/package-lock.json`);
	walk(`${root}/server`);
	return digest(facts, 1) + digest(facts, 2);
}

/** @param {string} folder @returns {string[]} none where it is a file after all */
function namesIn(folder) {
	try {
		return fs.readdirSync(folder).sort();
	} catch (error) {
		if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOTDIR') return [];
		throw error;
	}
}

/**
 * 32 bits in hexadecimal, that differ where a number does: the multiplicative steps of MurmurHash3.
 *
 * @param {readonly number[]} numbers of which the lower 32 bits of the whole part count
 * @param {number} seed another one gives another digest
 */
function digest(numbers, seed) {
	let hash = seed;
	for (const number of numbers) {
		const mixed = Math.imul(number, 0xcc9e2d51);
		hash = Math.imul(hash ^ Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593), 5) + 0xe6546b64 + seed;
	}
	return (hash >>> 0).toString(16).padStart(8, '0');
}

module.exports = { dataFolder, isInstalledByNpm, buildName };

const fs = require('node:fs');
const path = require('node:path');

/**
 * @typedef {{ root: string, data: string, build: string }} Paths the plugin's folder, its data folder, and the broker's build
 */

/** @param {NodeJS.ProcessEnv} env @param {string} home */
function dataFolder(env, home) {
	// Claude Code can pass an unset `${CLAUDE_PLUGIN_DATA}` as that literal text. XDG says to ignore relative paths.
	if (env.CLAUDE_PLUGIN_DATA && path.isAbsolute(env.CLAUDE_PLUGIN_DATA)) return env.CLAUDE_PLUGIN_DATA;
	const xdg = env.XDG_DATA_HOME;
	const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'share');
	return path.join(base, 'context-broker');
}

/** Whether npm installed the plugin as a package, with its packages. npm does not pack the lockfile. @param {string} root */
function isInstalledByNpm(root) {
	return path.basename(path.dirname(root)) === 'node_modules' && !fs.existsSync(`${root}/package-lock.json`);
}

/**
 * A name from the files' sizes, times and inodes. Reading all files, or loading Node's hashes, is too slow.
 *
 * @param {string} root
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
			// A name without an extension is taken for a folder: asking takes twice the time.
			if (name.includes('.')) add(inner);
			else walk(inner);
		}
	};
	add(`${root}/package.json`);
	if (isInstalledByNpm(root)) {
		// npm's record of what it installed there. A global installation has none.
		const record = `${path.dirname(root)}/.package-lock.json`;
		if (fs.existsSync(record)) add(record);
	} else add(`${root}/package-lock.json`);
	walk(`${root}/server`);
	return digest(facts, 1) + digest(facts, 2);
}

/** @param {string} folder @returns {string[]} none if it is a file */
function namesIn(folder) {
	try {
		return fs.readdirSync(folder).sort();
	} catch (error) {
		if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOTDIR') return [];
		throw error;
	}
}

/** MurmurHash3's multiplicative steps. @param {readonly number[]} numbers @param {number} seed */
function digest(numbers, seed) {
	let hash = seed;
	for (const number of numbers) {
		const mixed = Math.imul(number, 0xcc9e2d51);
		hash = Math.imul(hash ^ Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593), 5) + 0xe6546b64 + seed;
	}
	return (hash >>> 0).toString(16).padStart(8, '0');
}

module.exports = { dataFolder, isInstalledByNpm, buildName };

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { isErrno, PrepareError } from './errors.mjs';

export const OLDEST_NODE = 20;

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
export function dataFolder(env, home) {
	if (env.CLAUDE_PLUGIN_DATA && path.isAbsolute(env.CLAUDE_PLUGIN_DATA)) return env.CLAUDE_PLUGIN_DATA;
	const xdg = env.XDG_DATA_HOME;
	const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'share');
	return path.join(base, 'context-broker');
}

/**
 * A name for the build made from these sources, this manifest and this lockfile.
 *
 * @param {string} root
 */
export function buildName(root) {
	try {
		return fingerprint(root);
	} catch (error) {
		throw new PrepareError(
			`The plugin's own files can't be read (${isErrno(error) ? error.code : error}).`,
			'Install the plugin again, then start a new session.',
			error,
		);
	}
}

/** @param {string} root */
function fingerprint(root) {
	const hash = createHash('sha256');
	/** @param {string} relative */
	const add = (relative) => {
		const content = fs.readFileSync(path.join(root, relative));
		hash.update(`${relative}\0${content.length}\0`).update(content);
	};
	/** @param {string} folder */
	const walk = (folder) => {
		const entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true });
		for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
			const relative = `${folder}/${entry.name}`;
			if (entry.isDirectory()) walk(relative);
			else add(relative);
		}
	};
	add('package.json');
	add('package-lock.json');
	walk('server');
	return hash.digest('hex').slice(0, 32);
}

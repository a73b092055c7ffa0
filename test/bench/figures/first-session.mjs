import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start, timeStart } from '../client.mjs';
import { interleave } from '../interleave.mjs';
import { value } from '../row.mjs';
import { median } from '../statistics.mjs';
import { bootstrapOf, catalog, load, ROOT, temporaryFolder, User } from '../user.mjs';

/** The tests' cache, so that packages are downloaded once. */
const NPM_CACHE = join(tmpdir(), `context-broker-npm-cache-${process.getuid?.() ?? ''}`);

/** @typedef {{ root: string, data: string, env: NodeJS.ProcessEnv }} Installation */

/**
 * From the start to the first answer if the broker must be built first, or also installed. Claude Code starts the preparing
 * hook at the same moment, and the broker first leaves the work to it. Other clients have no hook and set no data folder.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function firstSession({ rounds, isShort }) {
	const user = new User({ small: catalog(10_000) });
	const { CLAUDE_PLUGIN_DATA, ...env } = user.env;
	const data = join(user.home, '.local', 'share', 'context-broker');
	const inClaudeCode = { root: ROOT, data: CLAUDE_PLUGIN_DATA, env: user.env };
	const elsewhere = { root: ROOT, data, env };
	/** @param {Installation} installation */
	const unbuilt = (installation) => {
		rmSync(join(installation.data, 'builds'), { recursive: true, force: true });
	};
	const builds = await interleave(isShort ? 3 : Math.min(rounds, 10), {
		hook: () => timeFirst(inClaudeCode, unbuilt),
		alone: () => timeFirst(elsewhere, unbuilt),
	});
	const rows = [
		value('first session, to be built: Claude Code', 'ms', median(builds.hook), 1_000),
		value('first session, to be built: another client', 'ms', median(builds.alone), 1_000),
	];
	if (isShort) return [...rows, ...installedSize(ROOT)];

	const root = join(temporaryFolder(), 'plugin');
	mkdirSync(root);
	for (const part of ['package.json', 'package-lock.json', 'server']) {
		cpSync(join(ROOT, part), join(root, part), { recursive: true });
	}
	const cache = { npm_config_cache: NPM_CACHE };
	/** @param {Installation} installation */
	const emptied = (installation) => rmSync(installation.data, { recursive: true, force: true });
	const fresh = {
		hook: () => timeFirst({ ...inClaudeCode, root, env: { ...user.env, ...cache } }, emptied),
		alone: () => timeFirst({ ...elsewhere, root, env: { ...env, ...cache } }, emptied),
	};
	await fresh.alone(); // Fills npm's cache.
	const installs = await interleave(3, fresh);
	return [
		...rows,
		value('first session, to be installed: Claude Code', 'ms', median(installs.hook), 10_000),
		value('first session, to be installed: another client', 'ms', median(installs.alone), 10_000),
		...installedSize(data),
	];
}

/**
 * @param {Installation} installation
 * @param {(installation: Installation) => void} undo removes what earlier sessions made
 */
async function timeFirst(installation, undo) {
	undo(installation);
	const { root, env } = installation;
	const bootstrap = bootstrapOf(root);
	const hook = env.CLAUDE_PLUGIN_DATA === undefined ? undefined : start({ args: [bootstrap, 'prepare'], env });
	const ended = hook && new Promise((resolve) => hook.on('close', resolve));
	const time = await timeStart({ args: [bootstrap], env }, load('small'));
	await ended;
	return time;
}

/** The size of a user's installation. @param {string} folder the parent of `node_modules` */
function installedSize(folder) {
	const packages = join(folder, 'node_modules');
	const record = JSON.parse(readFileSync(join(packages, '.package-lock.json'), 'utf8'));
	return [
		value('installed packages', 'packages', Object.keys(record.packages).length),
		value('installed size', 'MB', sizeOn(packages) / 1e6),
	];
}

/** Disk usage, counted like du. @param {string} folder @returns {number} bytes */
function sizeOn(folder) {
	const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	return ['', ...names].reduce((sum, name) => {
		const { blocks, size } = statSync(join(folder, name));
		return sum + (process.platform === 'win32' ? size : 512 * blocks);
	}, 0);
}

#!/usr/bin/env node
/**
 * Makes the run-time ready and starts the broker. The one file that is started, by Claude Code and by people; its parts
 * are in bootstrap/. Plain JavaScript and Node's own modules only, since it runs before any package is installed.
 *
 *     bootstrap.mjs            start the broker on stdio (.mcp.json, the package's bin)
 *     bootstrap.mjs prepare    only make ready (the SessionStart hook); failures become the hook's systemMessage
 *
 * Both are started at the same moment by Claude Code. Whoever takes the lock installs and builds; the others wait for
 * the finished build. Every result appears by a rename, so a process killed at any point leaves nothing half-made.
 *
 *     <data folder>/package-lock.json   copy of the plugin's lockfile, written last: the packages beside it are whole
 *     <data folder>/node_modules/       run-time packages, when the plugin's root has none of its own
 *     <data folder>/builds/<print>.cjs  the broker as one file, named by the fingerprint of what it was made from
 *     <data folder>/.lock               who prepares now
 *     <data folder>/.staging-*          work in progress, swept by the next process that prepares
 */
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClientGone, notBuilt, PrepareError } from './bootstrap/errors.mjs';
import { remove } from './bootstrap/files.mjs';
import { Lock } from './bootstrap/lock.mjs';
import { buildName, dataFolder, OLDEST_NODE } from './bootstrap/place.mjs';
import { prepareWithin, SERVER_TIME_LIMIT } from './bootstrap/prepare-within.mjs';
import { takeLeave } from './bootstrap/take-leave.mjs';

/**
 * @param {boolean} serving whether standard input is the client's
 * @param {number} parent the process that started this one
 * @returns {Promise<string>} the path of the broker's build
 */
async function findBuild(serving, parent) {
	const major = Number.parseInt(process.versions.node, 10);
	if (major < OLDEST_NODE) {
		throw new PrepareError(
			`Node.js ${OLDEST_NODE} or newer is needed; this is ${process.versions.node}.`,
			'Update Node.js, then start a new session.',
		);
	}
	const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
	const data = dataFolder(process.env, homedir());
	const build = path.join(data, 'builds', `${buildName(root)}.cjs`);
	if (!fs.existsSync(build)) await prepareWithin({ root, data, build }, serving, parent);
	else new Lock(data).breakIfDead();
	return build;
}

const LATE = 'Context Broker is ready now, but later than Claude Code waits for it. Start a new session to use it.';

/**
 * @param {string} text one line for the person
 * @param {boolean} preparing whether standard output is read as the hook's answer
 */
function say(text, preparing) {
	process.stderr.write(`${text}\n`);
	if (preparing) process.stdout.write(`${JSON.stringify({ systemMessage: text })}\n`);
}

/** @param {number} parent the process that started this one */
async function run(parent) {
	const [command] = process.argv.slice(2);
	const preparing = command === 'prepare';
	const serving = command === undefined;
	/** @type {{ main(start: { parent: number, data: string }): Promise<void> }} */
	let broker;
	try {
		const build = await findBuild(serving, parent);
		if (preparing) {
			if (performance.now() > SERVER_TIME_LIMIT) say(LATE, preparing);
			return;
		}
		const require = createRequire(import.meta.url);
		try {
			broker = require(build);
		} catch {
			// Gone, since a session of another version of the plugin removed it as an old build in this very moment; or
			// damaged. If it can't be made anew, that error is the one to tell.
			remove(build);
			broker = require(await findBuild(serving, parent));
		}
	} catch (error) {
		if (error instanceof ClientGone) process.exit(0);
		const { message, next } = error instanceof PrepareError ? error : notBuilt(error);
		say(`Context Broker is not ready. ${message} ${next}`, preparing);
		if (preparing) return;
		if (serving) await takeLeave();
		// Not process.exit(): what was written is not everywhere on its way yet.
		process.exitCode = 1;
		return;
	}
	await broker.main({ parent, data: dataFolder(process.env, homedir()) });
}

await run(process.ppid);

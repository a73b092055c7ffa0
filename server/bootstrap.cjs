#!/usr/bin/env node
/**
 * Makes the run-time ready and starts the broker. The one file that is started, by Claude Code and by people; its parts
 * are in bootstrap/. Plain JavaScript and Node's own modules only, since it runs before any package is installed; what
 * every start runs is CommonJS, since Node takes 4 ms more to start with the other kind of module.
 *
 *     bootstrap.cjs            start the broker on stdio (.mcp.json, the package's bin)
 *     bootstrap.cjs prepare    only make ready (the SessionStart hook); failures become the hook's systemMessage
 *
 * Both are started at the same moment by Claude Code. Whoever takes the lock installs and builds; the others wait for
 * the finished build. Every result appears by a rename, so a process killed at any point leaves nothing half-made.
 *
 *     <data folder>/package-lock.json   copy of the plugin's lockfile, written last: the packages beside it are whole
 *     <data folder>/node_modules/       run-time packages, when the plugin's root has none of its own
 *     <data folder>/builds/<print>.cjs  what a start of the broker takes, named by the fingerprint of its sources
 *     <data folder>/builds/<print>.code what V8 has made of it
 *     <data folder>/builds/<print>.later the rest of the broker, with what V8 has made of that
 *     <data folder>/.lock               who prepares now
 *     <data folder>/.staging-*          work in progress, swept by the next process that prepares
 */
const fs = require('node:fs');
const { homedir } = require('node:os');
const path = require('node:path');
const { buildName, dataFolder, OLDEST_NODE } = require('./bootstrap/place.cjs');
const { loadProgram } = require('./bootstrap/program.cjs');

// What only a first start or a fault needs is imported there: each file takes its time at every start.

/**
 * @param {boolean} serving whether standard input is the client's
 * @param {number} parent the process that started this one
 * @returns {Promise<string>} the path of the broker's build
 */
async function findBuild(serving, parent) {
	const major = Number.parseInt(process.versions.node, 10);
	if (major < OLDEST_NODE) {
		const { PrepareError } = await import('./bootstrap/errors.mjs');
		throw new PrepareError(
			`Node.js ${OLDEST_NODE} or newer is needed; this is ${process.versions.node}.`,
			'Update Node.js, then start a new session.',
		);
	}
	const root = path.dirname(__dirname);
	const data = dataFolder(process.env, homedir());
	const build = path.join(data, 'builds', `${await nameOf(root)}.cjs`);
	if (!fs.existsSync(build)) {
		const { prepareWithin } = await import('./bootstrap/prepare-within.mjs');
		await prepareWithin({ root, data, build }, serving, parent);
	} else if (fs.existsSync(path.join(data, '.lock'))) {
		const { Lock } = await import('./bootstrap/lock.mjs');
		new Lock(data).breakIfDead();
	}
	return build;
}

/** @param {string} root */
async function nameOf(root) {
	try {
		return buildName(root);
	} catch (error) {
		throw (await import('./bootstrap/errors.mjs')).filesUnreadable(error);
	}
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
	// What nobody reads, or what finds the disk full, must not end a broker that somebody waits for.
	process.stderr.on('error', () => {});
	const [command] = process.argv.slice(2);
	const preparing = command === 'prepare';
	const serving = command === undefined;
	/** @type {ReturnType<typeof loadProgram>} */
	let broker;
	try {
		const build = await findBuild(serving, parent);
		if (preparing) {
			const { SERVER_TIME_LIMIT } = await import('./bootstrap/prepare-within.mjs');
			if (performance.now() > SERVER_TIME_LIMIT) say(LATE, preparing);
			return;
		}
		try {
			broker = loadProgram(build);
		} catch {
			// Gone, since a session of another version of the plugin removed it as an old build in this very moment; or
			// damaged. If it can't be made anew, that error is the one to tell.
			(await import('./bootstrap/files.mjs')).remove(build);
			broker = loadProgram(await findBuild(serving, parent));
		}
	} catch (error) {
		const { ClientGone, notBuilt, PrepareError } = await import('./bootstrap/errors.mjs');
		if (error instanceof ClientGone) process.exit(0);
		const { message, next } = error instanceof PrepareError ? error : notBuilt(error);
		say(`Context Broker is not ready. ${message} ${next}`, preparing);
		if (preparing) return;
		if (serving) {
			const { takeLeave } = await import('./bootstrap/take-leave.mjs');
			await takeLeave();
		}
		// Not process.exit(): what was written is not everywhere on its way yet.
		process.exitCode = 1;
		return;
	}
	await broker.main({ parent, data: dataFolder(process.env, homedir()), keepCode: broker.keepCode });
}

void run(process.ppid);

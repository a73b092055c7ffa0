#!/usr/bin/env node
/**
 * Makes the run-time ready and starts the broker. The one file that is started, by Claude Code and by people; its parts
 * are in bootstrap/. Plain JavaScript and Node's own modules only, since it runs before any package is installed; what
 * every start runs is CommonJS, since Node takes 4 ms more to start with the other kind of module.
 *
 *     bootstrap.cjs            start the broker on stdio (.mcp.json, the package's bin)
 *     bootstrap.cjs prepare    only make ready (the SessionStart hook); failures become the hook's answer
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
const OLDEST_NODE = 20;

// What only a first start or a fault needs is imported there: each file takes its time at every start. And nothing is
// asked for here: a Node.js that is too old has to be able to read this file. It is in the language of Node.js 12.

/**
 * @param {boolean} serving whether standard input is the client's
 * @param {number} parent the process that started this one
 * @returns {Promise<string>} the path of the broker's build
 */
async function findBuild(serving, parent) {
	const fs = require('node:fs');
	const path = require('node:path');
	const root = path.dirname(__dirname);
	const data = dataFolder();
	const build = path.join(data, 'builds', `${await nameOf(root)}.cjs`);
	if (!fs.existsSync(build)) {
		const { prepareWithin } = await import('./bootstrap/prepare-within.mjs');
		await prepareWithin({ root, data, build }, serving, parent);
		return build;
	}
	const lock = path.join(data, '.lock');
	if (fs.existsSync(lock)) {
		const { Lock } = await import('./bootstrap/lock.mjs');
		new Lock(lock).breakIfDead();
	}
	return build;
}

/** @param {string} root */
async function nameOf(root) {
	try {
		return require('./bootstrap/place.cjs').buildName(root);
	} catch (error) {
		throw (await import('./bootstrap/errors.mjs')).filesUnreadable(error);
	}
}

function dataFolder() {
	return require('./bootstrap/place.cjs').dataFolder(process.env, require('node:os').homedir());
}

const LATE = {
	message: 'Context Broker is ready now, but later than Claude Code waits for it.',
	next: 'Start a new session to use it.',
};

/** @param {number} parent the process that started this one */
async function run(parent) {
	const [command] = process.argv.slice(2);
	const preparing = command === 'prepare';
	const serving = command === undefined;
	const { loadProgram } = require('./bootstrap/program.cjs');
	/** @type {ReturnType<typeof loadProgram>} */
	let broker;
	try {
		const build = await findBuild(serving, parent);
		if (preparing) {
			const { isLeftOut, LEFT_OUT } = require('./bootstrap/left-out.cjs');
			if (isLeftOut(parent)) return require('./bootstrap/say.cjs').say(LEFT_OUT, preparing);
			const { SERVER_TIME_LIMIT } = await import('./bootstrap/prepare-within.mjs');
			if (performance.now() > SERVER_TIME_LIMIT) require('./bootstrap/say.cjs').say(LATE, preparing);
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
		const { message, plain, next } = error instanceof PrepareError ? error : notBuilt(error);
		const { NOT_READY, say } = require('./bootstrap/say.cjs');
		say({ message: `${NOT_READY} ${message}`, plain: `${NOT_READY} ${plain}`, next }, preparing);
		if (preparing) return;
		if (serving) {
			const { takeLeave } = await import('./bootstrap/take-leave.mjs');
			await takeLeave();
		}
		// Not process.exit(): what was written is not everywhere on its way yet.
		process.exitCode = 1;
		return;
	}
	await broker.main({ parent, data: dataFolder(), saveCompileCache: broker.saveCompileCache });
}

if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) void run(process.ppid);
else void require('./bootstrap/too-old.cjs').refuse(OLDEST_NODE);

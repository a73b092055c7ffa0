const fs = require('node:fs');
const { homedir } = require('node:os');
const path = require('node:path');
const { buildName, dataFolder } = require('./place.cjs');
const { loadProgram } = require('./program.cjs');
const { say } = require('./say.cjs');

// What only a first start or a fault needs is imported there: each file takes its time at every start.

/**
 * @param {boolean} serving whether standard input is the client's
 * @param {number} parent the process that started this one
 * @returns {Promise<string>} the path of the broker's build
 */
async function findBuild(serving, parent) {
	const root = path.dirname(path.dirname(__dirname));
	const data = dataFolder(process.env, homedir());
	const build = path.join(data, 'builds', `${await nameOf(root)}.cjs`);
	if (!fs.existsSync(build)) {
		const { prepareWithin } = await import('./prepare-within.mjs');
		await prepareWithin({ root, data, build }, serving, parent);
	} else if (fs.existsSync(path.join(data, '.lock'))) {
		const { Lock } = await import('./lock.mjs');
		new Lock(data).breakIfDead();
	}
	return build;
}

/** @param {string} root */
async function nameOf(root) {
	try {
		return buildName(root);
	} catch (error) {
		throw (await import('./errors.mjs')).filesUnreadable(error);
	}
}

const LATE = 'Context Broker is ready now, but later than Claude Code waits for it. Start a new session to use it.';

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
			const { SERVER_TIME_LIMIT } = await import('./prepare-within.mjs');
			if (performance.now() > SERVER_TIME_LIMIT) say(LATE, preparing);
			return;
		}
		try {
			broker = loadProgram(build);
		} catch {
			// Gone, since a session of another version of the plugin removed it as an old build in this very moment; or
			// damaged. If it can't be made anew, that error is the one to tell.
			(await import('./files.mjs')).remove(build);
			broker = loadProgram(await findBuild(serving, parent));
		}
	} catch (error) {
		const { ClientGone, notBuilt, PrepareError } = await import('./errors.mjs');
		if (error instanceof ClientGone) process.exit(0);
		const { message, next } = error instanceof PrepareError ? error : notBuilt(error);
		say(`Context Broker is not ready. ${message} ${next}`, preparing);
		if (preparing) return;
		if (serving) {
			const { takeLeave } = await import('./take-leave.mjs');
			await takeLeave();
		}
		// Not process.exit(): what was written is not everywhere on its way yet.
		process.exitCode = 1;
		return;
	}
	await broker.main({ parent, data: dataFolder(process.env, homedir()), keepCode: broker.keepCode });
}

void run(process.ppid);

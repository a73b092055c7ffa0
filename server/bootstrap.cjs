#!/usr/bin/env node
/**
 * Prepares the run-time and starts the broker. Uses only plain JavaScript and Node's own modules, since no package is
 * installed yet. The code of every start is CommonJS, which Node loads 4 ms faster.
 *
 *     bootstrap.cjs            start the broker on stdio (.mcp.json, the package's bin)
 *     bootstrap.cjs prepare    only prepare (the SessionStart hook); failures become the hook's answer
 *
 * Claude Code starts both at the same moment. The one that takes `.lock` installs and builds; the others wait. Every result
 * appears by a rename, so a killed process leaves nothing incomplete.
 */
const OLDEST_NODE = 20;

// The syntax of Node.js 12, so that an old Node.js can report that it is too old. Modules that only a first start or an
// error needs are imported there.

/** @param {string} data @param {boolean} serving whether standard input is the client's @param {number} parent */
async function findBuild(data, serving, parent) {
	const fs = require('node:fs');
	const path = require('node:path');
	const root = path.dirname(__dirname);
	let name = '';
	try {
		name = require('./bootstrap/paths.cjs').buildName(root);
	} catch (error) {
		throw (await import('./bootstrap/errors.mjs')).filesUnreadable(error);
	}
	const build = path.join(data, 'builds', `${name}.cjs`);
	if (!fs.existsSync(build)) {
		const { prepareWithTimeout } = await import('./bootstrap/prepare-with-timeout.mjs');
		await prepareWithTimeout({ root, data, build }, serving, parent);
		return build;
	}
	if (fs.existsSync(path.join(data, '.lock'))) (await import('./bootstrap/prepare.mjs')).cleanUpAfterKilled(data);
	return build;
}

const LATE = {
	message: 'Context Broker is ready now, but too late for this session.',
	next: 'Start a new session to use it.',
};

/** @param {number} parent the parent's process id when this process started */
async function run(parent) {
	const [command] = process.argv.slice(2);
	const serving = command === undefined;
	let data = '';
	const { loadProgram } = require('./bootstrap/program.cjs');
	/** @type {ReturnType<typeof loadProgram>} */
	let broker;
	try {
		data = require('./bootstrap/paths.cjs').dataFolder(process.env, require('node:os').homedir());
		const build = await findBuild(data, serving, parent);
		if (command === 'prepare') {
			const { isLeftOut, LEFT_OUT } = require('./bootstrap/left-out.cjs');
			const { report } = require('./bootstrap/report.cjs');
			const { SERVER_TIME_LIMIT_MS } = await import('./bootstrap/prepare-with-timeout.mjs');
			if (isLeftOut(parent)) report(LEFT_OUT, true);
			else if (performance.now() > SERVER_TIME_LIMIT_MS) report(LATE, true);
			return;
		}
		try {
			broker = loadProgram(build);
		} catch {
			// The build is damaged, or a session of another version has just removed it.
			(await import('./bootstrap/files.mjs')).remove(build);
			broker = loadProgram(await findBuild(data, serving, parent));
		}
	} catch (error) {
		const { ClientDisconnected, notBuilt, PrepareError } = await import('./bootstrap/errors.mjs');
		if (error instanceof ClientDisconnected) process.exit(0);
		const { reportNotReady } = require('./bootstrap/report.cjs');
		return await reportNotReady(error instanceof PrepareError ? error : notBuilt(error), command);
	}
	await broker.main({ parent, data, saveCompileCache: broker.saveCompileCache });
}

if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) void run(process.ppid);
else {
	const message = `Node.js ${OLDEST_NODE} or newer is needed; this is ${process.versions.node}.`;
	const next = 'Update Node.js, then start a new session.';
	void require('./bootstrap/report.cjs').reportNotReady({ message, next }, process.argv[2]);
}

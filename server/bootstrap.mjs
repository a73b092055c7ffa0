#!/usr/bin/env node
/**
 * Makes the run-time ready and starts the broker. Plain JavaScript and Node's own modules only, since it runs before
 * any package is installed.
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
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 20;
/** Milliseconds from process start. Claude Code's hook has 60 s; this leaves room to clean up and to say why. */
const TIME_LIMIT = 50_000;
/** The same for a server that Claude Code started: it ends one that is silent for 30 s (measured on 2.1.332). */
const SERVER_TIME_LIMIT = 25_000;
/** Milliseconds that such a server leaves to the hook, which has more time for an install. */
const HOOK_FIRST = 1_000;
const POLL = 100;
const HEARTBEAT = 1_000;
const LOCK = '.lock';
/** A lock not refreshed for this long is nobody's. Only reached where the holder's process id was given to another. */
const LOCK_STALE = 10_000;

/** Why the run-time can't be made ready, and what the user can do. Both are whole sentences. */
class PrepareError extends Error {
	/**
	 * @param {string} message
	 * @param {string} next
	 * @param {unknown} [cause]
	 */
	constructor(message, next, cause) {
		super(message, { cause });
		this.next = next;
	}
}

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
 * A name for the build made from these sources, this manifest and this lockfile.
 *
 * @param {string} root
 */
function buildName(root) {
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

/**
 * Whether `folder/node_modules` holds all that the lockfile asks for on this platform. npm writes its own record,
 * `node_modules/.package-lock.json`, last, so an interrupted install has none or an older one.
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
		return false; // A record that npm did not finish writing.
	}
}

/**
 * @param {string} file
 * @returns {Buffer | undefined} undefined where there is no such file
 */
function readIfPresent(file) {
	try {
		return fs.readFileSync(file);
	} catch (error) {
		if (isErrno(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
		throw error;
	}
}

/**
 * @param {unknown} error
 * @returns {error is NodeJS.ErrnoException}
 */
function isErrno(error) {
	return error instanceof Error && 'code' in error;
}

/** The lock file of a data folder: `<process id> <token>`, its modification time refreshed while it is held. */
class Lock {
	/** @param {string} data */
	constructor(data) {
		this.file = path.join(data, LOCK);
		this.content = `${process.pid} ${randomUUID()}`;
		/** @type {number | undefined} */
		this.descriptor = undefined;
		/** @type {NodeJS.Timeout | undefined} */
		this.heartbeat = undefined;
		this.seen = { content: '', modified: 0, since: 0 };
	}

	/** @returns {boolean} whether the lock is now held by this process */
	tryTake() {
		let descriptor;
		try {
			descriptor = fs.openSync(this.file, 'wx');
		} catch (error) {
			if (!isErrno(error) || error.code !== 'EEXIST') throw error;
			this.breakIfDead();
			return false;
		}
		this.descriptor = descriptor;
		try {
			fs.writeSync(descriptor, this.content);
		} catch (error) {
			fs.rmSync(this.file, { force: true });
			throw error;
		}
		this.heartbeat = setInterval(() => fs.futimesSync(descriptor, new Date(), new Date()), HEARTBEAT);
		return true;
	}

	isHeld() {
		return readIfPresent(this.file)?.toString('utf8') === this.content;
	}

	release() {
		clearInterval(this.heartbeat);
		if (this.descriptor !== undefined) fs.closeSync(this.descriptor);
		this.descriptor = undefined;
		if (this.isHeld()) fs.rmSync(this.file, { force: true });
	}

	/** Removes the lock of a process that is gone, so that the next try can take it. */
	breakIfDead() {
		const content = readIfPresent(this.file)?.toString('utf8');
		const modified = fs.statSync(this.file, { throwIfNoEntry: false })?.mtimeMs;
		if (content === undefined || modified === undefined) return;
		const now = performance.now();
		if (content !== this.seen.content || modified !== this.seen.modified) {
			this.seen = { content, modified, since: now };
		}
		const pid = Number.parseInt(content, 10);
		const dead = pid > 0 && !isAlive(pid);
		if (!dead && now - this.seen.since < LOCK_STALE) return;
		// Moved aside before it is removed: had another process broken and taken the lock just now, what was moved is
		// that process's lock, and it goes back.
		const aside = `${this.file}-${randomUUID()}`;
		try {
			fs.renameSync(this.file, aside);
		} catch (error) {
			if (isErrno(error) && error.code === 'ENOENT') return;
			throw error;
		}
		if (readIfPresent(aside)?.toString('utf8') === content) fs.rmSync(aside, { force: true });
		else fs.renameSync(aside, this.file);
	}
}

/** @param {number} pid */
function isAlive(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return isErrno(error) && error.code !== 'ESRCH';
	}
}

/**
 * Makes the broker's build exist.
 *
 * @param {string} root the plugin's folder
 * @param {string} data the data folder
 * @param {string} build where the build belongs
 * @param {number} patience milliseconds to leave the work to others first
 * @param {AbortSignal} signal ends the work early
 */
async function prepare(root, data, build, patience, signal) {
	const lock = new Lock(data);
	try {
		await delay(patience, undefined, { signal });
		fs.mkdirSync(data, { recursive: true });
		// Not in one step with the folder above: Node would hide the reason behind ENOENT.
		makeFolder(path.dirname(build));
		while (!fs.existsSync(build)) {
			if (!lock.tryTake()) {
				await delay(POLL, undefined, { signal });
				continue;
			}
			try {
				if (!fs.existsSync(build)) await makeBuild(root, data, build, lock, signal);
			} finally {
				lock.release();
			}
		}
	} catch (error) {
		if (signal.aborted) throw signal.reason;
		throw error instanceof PrepareError ? error : explain(error, data);
	}
}

/**
 * @param {string} root
 * @param {string} data
 * @param {string} build
 * @param {Lock} lock
 * @param {AbortSignal} signal
 */
async function makeBuild(root, data, build, lock, signal) {
	sweep(data);
	const staging = path.join(data, `.staging-${randomUUID()}`);
	fs.mkdirSync(staging);
	try {
		const packages = await findPackages(root, data, staging, lock, signal);
		const program = await bundle(root, packages);
		const staged = path.join(staging, 'broker.cjs');
		fs.writeFileSync(staged, program, { flush: true });
		signal.throwIfAborted();
		fs.renameSync(staged, build);
		for (const name of fs.readdirSync(path.dirname(build))) {
			if (name !== path.basename(build)) remove(path.join(path.dirname(build), name));
		}
	} finally {
		remove(staging);
		sweep(data);
	}
}

/**
 * Removes what killed processes left.
 *
 * @param {string} data
 */
function sweep(data) {
	for (const name of fs.readdirSync(data)) {
		if (!name.startsWith('.staging-') && !name.startsWith('.lock-')) continue;
		try {
			remove(path.join(data, name));
		} catch (error) {
			// Something still writes there: whoever started it cleans up, or the next sweep.
			if (!isErrno(error) || error.code !== 'ENOTEMPTY') throw error;
		}
	}
}

/** @param {string} folder another process may make it first */
function makeFolder(folder) {
	try {
		fs.mkdirSync(folder);
	} catch (error) {
		if (!isErrno(error) || error.code !== 'EEXIST') throw error;
	}
}

/** @param {string} target */
function remove(target) {
	fs.rmSync(target, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * The folder whose `node_modules` to build with: the plugin's root where it is complete, else the data folder, where
 * they are installed unless the copy of the lockfile kept there says that they are the ones wanted.
 *
 * @param {string} root
 * @param {string} data
 * @param {string} staging
 * @param {Lock} lock
 * @param {AbortSignal} signal
 */
async function findPackages(root, data, staging, lock, signal) {
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
			'npm reported success, but not all packages are there.',
			'Start a new session to try again; if it stays, delete the npm cache with "npm cache clean --force".',
		);
	}
	if (!lock.isHeld()) throw new PrepareError('Another session took over the preparation.', 'Start a new session.');
	// The copy goes first and comes last: it stands for whole packages beside it.
	remove(copy);
	const installed = path.join(data, 'node_modules');
	if (fs.existsSync(installed)) fs.renameSync(installed, path.join(staging, 'old'));
	fs.renameSync(path.join(staging, 'node_modules'), installed);
	fs.renameSync(path.join(staging, 'package.json'), path.join(data, 'package.json'));
	fs.renameSync(path.join(staging, 'package-lock.json'), copy);
	return data;
}

/**
 * Runs npm through a process of its own, see {@link superviseNpm}.
 *
 * @param {string} folder holds package.json and package-lock.json
 * @param {AbortSignal} signal ends npm and removes the folder
 * @returns {Promise<void>}
 */
function npmCi(folder, signal) {
	return new Promise((resolve, reject) => {
		// Detached: an interrupt from the terminal goes to its whole group, and would end the one who cleans up.
		const supervisor = spawn(process.execPath, [fileURLToPath(import.meta.url), 'npm-ci', folder], {
			stdio: ['pipe', 'ignore', 'pipe'],
			detached: true,
			windowsHide: true,
		});
		let printed = '';
		supervisor.stderr.setEncoding('utf8').on('data', (text) => {
			printed = (printed + text).slice(-100_000);
		});
		const stop = () => supervisor.stdin.destroy();
		signal.addEventListener('abort', stop, { once: true });
		supervisor.on('error', reject);
		supervisor.on('close', (code) => {
			signal.removeEventListener('abort', stop);
			const failure = explainNpm(printed, code);
			if (failure) reject(failure);
			else resolve();
		});
	});
}

/**
 * `bootstrap.mjs npm-ci <folder>`: runs `npm ci` there while standard input is open. When it ends, also because the
 * process at its other end was killed with -9, npm is ended with all that it started, and the folder removed.
 *
 * @param {string} folder
 */
function superviseNpm(folder) {
	const windows = process.platform === 'win32';
	// The platform's esbuild program is an optional package: a user's own omit=optional must not drop it.
	const args = ['ci', '--omit=dev', '--include=optional', '--ignore-scripts', '--package-lock', '--prefer-offline'];
	args.push('--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--loglevel=warn');
	args.push('--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=2000');
	// A process group of its own, so that a shim's child is ended with it. npm is a script on Windows: it needs a shell.
	const npm = spawn('npm', args, {
		cwd: folder,
		stdio: ['ignore', 'ignore', 'inherit'],
		detached: !windows,
		shell: windows,
		windowsHide: true,
	});
	npm.on('error', (error) => {
		process.exitCode = isErrno(error) && error.code === 'ENOENT' ? NPM_MISSING : 1;
		process.stdin.destroy();
	});
	npm.on('exit', (code) => {
		process.exitCode = code ?? 1;
		process.stdin.destroy();
	});
	process.stdin.on('end', () => {
		npm.on('exit', () => remove(folder));
		if (npm.pid !== undefined) process.kill(windows ? npm.pid : -npm.pid, 'SIGKILL');
	});
	process.stdin.resume();
}

/** Exit code of the supervisor, as shells have it for a command not found. */
const NPM_MISSING = 127;

/**
 * @param {string} printed what npm printed
 * @param {number | null} exitCode
 * @returns {PrepareError | undefined} undefined where all went well
 */
function explainNpm(printed, exitCode) {
	const code = /npm (?:error|ERR!) code (\S+)/.exec(printed)?.[1] ?? `exit status ${exitCode}`;
	// npm only warns of a file that it could not unpack, and goes on.
	if (/ENOSPC|EDQUOT/.test(printed)) return diskFull(undefined);
	if (exitCode === 0 && !/TAR_ENTRY_ERROR/.test(printed)) return undefined;
	if (exitCode === NPM_MISSING || /'npm' is not recognized/.test(printed)) {
		return new PrepareError(
			'npm was not found, and it is needed once to install the packages.',
			'Install npm (it comes with Node.js), make sure that "npm --version" works, then start a new session.',
		);
	}
	if (/^(ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENET\w+|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR)$/.test(code)) {
		return new PrepareError(
			`The packages could not be downloaded: npm can't reach its registry (${code}).`,
			'Connect to the network (or check "npm config get registry" and the proxy settings), then start a new session.',
		);
	}
	if (/^(EACCES|EPERM|EROFS)$/.test(code)) {
		return new PrepareError(
			`npm may not write its files (${code}).`,
			'Check the permissions of the folder that "npm config get cache" prints, then start a new session.',
		);
	}
	return new PrepareError(
		`Installing the packages failed: "npm ci" ended with ${code}.`,
		'Run "npm ci --omit=dev --ignore-scripts" in a copy of the plugin\'s folder to see why, then start a new session.',
	);
}

/** @param {unknown} cause */
function diskFull(cause) {
	return new PrepareError('The disk is full.', 'Free about 100 MB, then start a new session.', cause);
}

/**
 * @param {unknown} error from the file system or the build
 * @param {string} [data] the data folder, where the error is about writing there
 */
function explain(error, data) {
	const code = isErrno(error) ? error.code : undefined;
	if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(error);
	if (data && code && ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT'].includes(code)) {
		return new PrepareError(
			`The data folder ${data} can't be written (${code}).`,
			'Make it a folder that you may write to, then start a new session.',
			error,
		);
	}
	return new PrepareError(
		`The broker could not be built (${error instanceof Error ? error.message.split('\n')[0] : code}).`,
		'Install the plugin again; if that does not help, please report this message.',
		error,
	);
}

/**
 * Turns the TypeScript and its packages into one CommonJS file.
 *
 * @param {string} root
 * @param {string} packages the folder whose node_modules holds every package
 * @returns {Promise<string>} the program's text
 */
async function bundle(root, packages) {
	const fromPackages = path.join(packages, 'node_modules');
	/** @type {{ build(options: object): Promise<{ outputFiles: { text: string }[] }>, stop(): Promise<void> }} */
	const esbuild = createRequire(path.join(fromPackages, 'from'))('esbuild');
	try {
		const result = await esbuild.build({
			absWorkingDir: root,
			entryPoints: ['server/main.ts'],
			bundle: true,
			write: false,
			platform: 'node',
			target: `node${OLDEST_NODE}`,
			format: 'cjs',
			logLevel: 'silent',
			tsconfigRaw: '{}',
			plugins: [packagesFrom(root, fromPackages)],
		});
		const [program] = result.outputFiles;
		if (!program) throw new Error('the build came out empty');
		return program.text;
	} finally {
		await esbuild.stop();
	}
}

/**
 * An esbuild plugin: what the broker's own files import by name is looked up in `packages` alone. Node's way, upward
 * from the file, would miss the data folder and could find a stray node_modules in the user's home.
 *
 * @param {string} root
 * @param {string} packages
 */
function packagesFrom(root, packages) {
	const sources = path.join(root, 'server') + path.sep;
	return {
		name: 'packages-from',
		/** @param {any} build */
		setup(build) {
			build.onResolve(
				{ filter: /^[^./]/ },
				/** @param {any} args */
				(args) => {
					if (!args.importer.startsWith(sources) || args.path.startsWith('node:')) return undefined;
					return build.resolve(args.path, { kind: args.kind, resolveDir: packages });
				},
			);
		},
	};
}

/** Input that arrived while the run-time was made ready; put back for the broker to read. */
class HeldInput {
	/**
	 * @param {NodeJS.ReadStream} stdin
	 * @param {() => void} onEnd the client is gone
	 */
	constructor(stdin, onEnd) {
		this.stdin = stdin;
		/** @type {Buffer[]} */
		this.chunks = [];
		/** @param {Buffer} chunk */
		this.onData = (chunk) => void this.chunks.push(chunk);
		this.onEnd = onEnd;
		stdin.on('data', this.onData).on('end', onEnd).on('error', onEnd);
	}

	giveBack() {
		this.stdin.pause();
		this.stdin.off('data', this.onData).off('end', this.onEnd).off('error', this.onEnd);
		if (this.chunks.length > 0) this.stdin.unshift(Buffer.concat(this.chunks));
	}
}

/**
 * Prepares with everything that may end it early: the time limit, signals and, for the broker, the client's end.
 *
 * @param {string} root
 * @param {string} data
 * @param {string} build
 * @param {boolean} serving whether standard input is the client's
 * @param {number} parent the process that started this one
 */
async function prepareWithin(root, data, build, serving, parent) {
	const abort = new AbortController();
	const gone = () => abort.abort(new ClientGone());
	// Only Claude Code names the data folder, and it started the hook as well.
	const besideHook = serving && data === process.env.CLAUDE_PLUGIN_DATA;
	const limit = besideHook ? SERVER_TIME_LIMIT : TIME_LIMIT;
	const timer = setTimeout(() => abort.abort(timeIsUp(limit)), limit - performance.now());
	const watch = setInterval(() => process.ppid !== parent && gone(), HEARTBEAT);
	/** @type {NodeJS.Signals[]} */
	const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
	for (const name of signals) process.on(name, gone);
	const input = serving ? new HeldInput(process.stdin, gone) : undefined;
	try {
		await prepare(root, data, build, besideHook ? HOOK_FIRST : 0, abort.signal);
	} finally {
		clearTimeout(timer);
		clearInterval(watch);
		for (const name of signals) process.off(name, gone);
		input?.giveBack();
	}
}

/** @param {number} limit */
function timeIsUp(limit) {
	return new PrepareError(
		`The packages were not ready after ${limit / 1000} seconds.`,
		'Check the network connection, then start a new session: what was downloaded is kept.',
	);
}

/** Nobody waits for the broker any more. */
class ClientGone extends Error {}

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
	if (!fs.existsSync(build)) await prepareWithin(root, data, build, serving, parent);
	else if (fs.existsSync(path.join(data, LOCK))) new Lock(data).breakIfDead();
	return build;
}

/**
 * Takes leave of a client that waits for a server: tells it that it is connected, to a server without tools. Claude Code
 * 2.1.332 remembers a connection that failed, and does not start that server in the sessions that follow, also when
 * the reason is gone.
 *
 * @returns {Promise<void>} when the client has asked what it asks at a start, or says nothing
 */
function takeLeave() {
	return new Promise((resolve) => {
		let timer = setTimeout(resolve, 1_000);
		let unread = '';
		process.stdin.setEncoding('utf8').once('end', resolve).once('error', resolve);
		process.stdout.once('error', resolve);
		process.stdin.on('data', (text) => {
			clearTimeout(timer);
			timer = setTimeout(resolve, 5_000);
			const lines = (unread + text).split('\n');
			unread = lines.pop() ?? '';
			for (const line of lines) {
				const asked = leaveTakingAnswer(line);
				if (asked) process.stdout.write(`${JSON.stringify(asked.answer)}\n`);
				if (asked?.method === 'tools/list') resolve();
			}
		});
		process.stdin.resume();
	});
}

/** @param {string} line a JSON-RPC message, as the MCP specification has it */
function leaveTakingAnswer(line) {
	let message;
	try {
		message = JSON.parse(line);
	} catch {
		return undefined; // No client speaks so.
	}
	const { id, method, params } = message ?? {};
	if (id === undefined || method === undefined) return undefined;
	/** @type {Record<string, object>} */
	const results = {
		initialize: {
			protocolVersion: params?.protocolVersion,
			capabilities: { tools: {} },
			serverInfo: { name: 'context-broker', version: 'not ready' },
		},
		'tools/list': { tools: [] },
		ping: {},
	};
	const result = Object.hasOwn(results, method) ? results[method] : undefined;
	const outcome = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
	return { method, answer: { jsonrpc: '2.0', id, ...outcome } };
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
	const [command, argument] = process.argv.slice(2);
	if (command === 'npm-ci' && argument !== undefined) {
		superviseNpm(argument);
		return;
	}
	const preparing = command === 'prepare';
	const serving = command === undefined;
	/** @type {{ main(start: { parent: number }): Promise<void> }} */
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
		const { message, next } = error instanceof PrepareError ? error : explain(error);
		say(`Context Broker is not ready. ${message} ${next}`, preparing);
		if (preparing) return;
		if (serving) await takeLeave();
		process.exit(1);
	}
	await broker.main({ parent });
}

await run(process.ppid);

import { ClientDisconnected, PrepareError } from './errors.mjs';
import { prepare } from './prepare.mjs';

/** @typedef {import('./paths.cjs').Paths} Paths */

/** Since process start. Claude Code gives the hook 60 s; the rest is for clean-up and the report. */
const TIME_LIMIT_MS = 50_000;
/** Since process start. Claude Code ends a server that is silent for 30 s (measured with 2.1.332). */
export const SERVER_TIME_LIMIT_MS = 25_000;
/** The server first waits this long for the hook, which has more time for an install. */
const HOOK_FIRST_MS = 1_000;
const WATCH_INTERVAL_MS = 1_000;

/**
 * @param {Paths} paths
 * @param {boolean} serving whether standard input is the client's
 * @param {number} parent
 * @throws {PrepareError | ClientDisconnected}
 */
export async function prepareWithTimeout(paths, serving, parent) {
	const abort = new AbortController();
	const disconnect = () => abort.abort(new ClientDisconnected());
	// Only Claude Code sets the data folder, and then it has started the hook too.
	const besideHook = serving && paths.data === process.env.CLAUDE_PLUGIN_DATA;
	const limit = besideHook ? SERVER_TIME_LIMIT_MS : TIME_LIMIT_MS;
	const timer = setTimeout(() => abort.abort(timeIsUp(limit)), limit - performance.now());
	const watch = setInterval(() => process.ppid !== parent && disconnect(), WATCH_INTERVAL_MS);
	/** @type {NodeJS.Signals[]} */
	const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
	for (const name of signals) process.on(name, disconnect);
	const input = serving ? bufferInput(process.stdin, disconnect) : undefined;
	try {
		await prepare(paths, besideHook ? HOOK_FIRST_MS : 0, abort.signal);
	} finally {
		clearTimeout(timer);
		clearInterval(watch);
		for (const name of signals) process.off(name, disconnect);
		input?.giveBack();
	}
}

/** Buffers the client's input, to put it back for the broker. @param {NodeJS.ReadStream} stdin @param {() => void} onEnd */
function bufferInput(stdin, onEnd) {
	/** @type {Buffer[]} */
	const chunks = [];
	const onData = (/** @type {Buffer} */ chunk) => void chunks.push(chunk);
	stdin.on('data', onData).on('end', onEnd).on('error', onEnd);
	return {
		giveBack() {
			stdin.pause();
			stdin.off('data', onData).off('end', onEnd).off('error', onEnd);
			if (chunks.length > 0) stdin.unshift(Buffer.concat(chunks));
		},
	};
}

/** @param {number} limit */
function timeIsUp(limit) {
	return new PrepareError(
		`The packages were not ready after ${limit / 1000} seconds.`,
		'Check the network connection, then start a new session. What was downloaded is kept.',
	);
}

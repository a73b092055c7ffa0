import { ClientGone, PrepareError } from './errors.mjs';
import { HeldInput } from './held-input.mjs';
import { prepare } from './prepare.mjs';

/** @typedef {import('./place.cjs').Place} Place */

/** Milliseconds from process start. Claude Code's hook has 60 s; this leaves room to clean up and to say why. */
const TIME_LIMIT = 50_000;
/** The same for a server that Claude Code started: it ends one that is silent for 30 s (measured on 2.1.332). */
export const SERVER_TIME_LIMIT = 25_000;
/** Milliseconds that such a server leaves to the hook, which has more time for an install. */
const HOOK_FIRST = 1_000;
/** Milliseconds between two looks at whether the parent is still there. */
const WATCH_INTERVAL = 1_000;

/**
 * Prepares with everything that may end it early: the time limit, signals and, for the broker, the client's end.
 *
 * @param {Place} place
 * @param {boolean} serving whether standard input is the client's
 * @param {number} parent the process that started this one
 */
export async function prepareWithin(place, serving, parent) {
	const abort = new AbortController();
	const gone = () => abort.abort(new ClientGone());
	// Only Claude Code names the data folder, and it started the hook as well.
	const besideHook = serving && place.data === process.env.CLAUDE_PLUGIN_DATA;
	const limit = besideHook ? SERVER_TIME_LIMIT : TIME_LIMIT;
	const timer = setTimeout(() => abort.abort(timeIsUp(limit)), limit - performance.now());
	const watch = setInterval(() => process.ppid !== parent && gone(), WATCH_INTERVAL);
	/** @type {NodeJS.Signals[]} */
	const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
	for (const name of signals) process.on(name, gone);
	const input = serving ? new HeldInput(process.stdin, gone) : undefined;
	try {
		await prepare(place, besideHook ? HOOK_FIRST : 0, abort.signal);
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

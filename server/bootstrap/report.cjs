// An outdated Node.js also runs this file: use the syntax of Node.js 12, the oldest that systems in use ship.

const NOT_READY = 'Context Broker is not ready.';

/** With -p and in an SDK host, only the main agent sees this text. */
const NOT_DONE =
	'Until Claude Code is started again, no agent can load private context and no privacy scan can be done. If the user asks for a scan, report that it was NOT done, with this reason.';

/** Only the user sees this text. */
const OPEN = 'Until then, private files are not protected and no tool is isolated.';

/** @typedef {{ message: string, next: string, plain?: string }} Reason `plain` is the message for a model, without paths */

/** @param {Reason} reason @param {boolean} preparing whether standard output is the hook's answer */
function report({ message, next, plain = message }, preparing) {
	const text = `${message} ${next}`;
	process.stderr.on('error', () => {});
	process.stderr.write(`${text}\n`);
	if (!preparing) return;
	const additionalContext = `${plain} ${next} ${NOT_DONE}`;
	const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext };
	process.stdout.write(`${JSON.stringify({ systemMessage: `${text} ${OPEN}`, hookSpecificOutput })}\n`);
}

/**
 * Reports the reason, and answers the client in the broker's place.
 *
 * @param {Reason} reason
 * @param {string | undefined} command
 */
async function reportNotReady({ message, next, plain = message }, command) {
	const preparing = command === 'prepare';
	report({ message: `${NOT_READY} ${message}`, plain: `${NOT_READY} ${plain}`, next }, preparing);
	if (preparing) return;
	if (command === undefined) await (await import('./serve-not-ready.mjs')).serveNotReady();
	// Not process.exit(): it would drop output that is not written yet.
	process.exitCode = 1;
}

module.exports = { report, reportNotReady };

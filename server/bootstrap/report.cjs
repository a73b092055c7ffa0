// Also run by a Node.js that is too old: in the language of Node.js 12, the oldest that systems in use bring.

const NOT_READY = 'Context Broker is not ready.';

/** With -p, and in an SDK's host, only the main agent sees this. */
const NOT_DONE =
	'Until Claude Code is started again, no agent can load private context and no privacy scan can be done. If the user asks for a scan, report that it was NOT done, with this reason.';

/** For the person alone. */
const OPEN = 'Until then, private files are not protected and no tool is isolated.';

/** @typedef {{ message: string, next: string, plain?: string }} Reason `plain` is the message for a model: without paths */

/** @param {Reason} reason @param {boolean} preparing whether standard output is read as the hook's answer */
function report({ message, next, plain = message }, preparing) {
	const text = `${message} ${next}`;
	process.stderr.on('error', () => {});
	process.stderr.write(`${text}\n`);
	if (!preparing) return;
	const additionalContext = `${plain} ${next} ${NOT_DONE}`;
	const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext };
	process.stdout.write(`${JSON.stringify({ systemMessage: `${text} ${OPEN}`, hookSpecificOutput })}\n`);
}

/** Reports, and serves the client without a broker. @param {Reason} reason @param {string | undefined} command */
async function reportNotReady({ message, next, plain = message }, command) {
	const preparing = command === 'prepare';
	report({ message: `${NOT_READY} ${message}`, plain: `${NOT_READY} ${plain}`, next }, preparing);
	if (preparing) return;
	if (command === undefined) await (await import('./serve-not-ready.mjs')).serveNotReady();
	// Not process.exit(): output may still be on its way.
	process.exitCode = 1;
}

module.exports = { report, reportNotReady };

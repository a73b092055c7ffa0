/** With -p, and in a host of an SDK, nobody but the main agent hears of it. */
const NOT_DONE =
	'Until Claude Code is started again, no agent can load private context and no privacy scan can be done. If one is asked for, report that it was NOT done, with this reason.';

/** The person alone is told: an agent need not know. */
const OPEN = 'Until then, private files are not protected and no tool is isolated.';

/**
 * Says why the broker is not there.
 *
 * @param {{ message: string, next: string, plain?: string }} reason `plain` is the message without what is private
 * @param {boolean} preparing whether standard output is read as the hook's answer
 */
function say({ message, next, plain = message }, preparing) {
	const text = `${message} ${next}`;
	// That nobody reads it, or that the disk is full, ends nothing.
	process.stderr.on('error', () => {});
	process.stderr.write(`${text}\n`);
	if (!preparing) return;
	const additionalContext = `${plain} ${next} ${NOT_DONE}`;
	const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext };
	process.stdout.write(`${JSON.stringify({ systemMessage: `${text} ${OPEN}`, hookSpecificOutput })}\n`);
}

/** What the reason begins with if there is no broker. */
const NOT_READY = 'Context Broker is not ready.';

module.exports = { NOT_READY, say };

/**
 * @param {string} text one line for the person
 * @param {boolean} preparing whether standard output is read as the hook's answer
 */
function say(text, preparing) {
	// That nobody reads it, or that the disk is full, ends nothing.
	process.stderr.on('error', () => {});
	process.stderr.write(`${text}\n`);
	if (preparing) process.stdout.write(`${JSON.stringify({ systemMessage: text })}\n`);
}

module.exports = { say };

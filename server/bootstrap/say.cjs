/**
 * @param {string} text one line for the person
 * @param {boolean} preparing whether standard output is read as the hook's answer
 */
function say(text, preparing) {
	process.stderr.write(`${text}\n`);
	if (preparing) process.stdout.write(`${JSON.stringify({ systemMessage: text })}\n`);
}

module.exports = { say };

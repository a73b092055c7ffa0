const { NOT_READY, say } = require('./say.cjs');

// What is here, and what it loads, is run by a Node.js that is too old: it does with what Node.js 12 knows, the oldest
// that systems in use still bring.

/** Says so, and takes leave like every start that fails. @param {number} oldest the major version that is needed */
async function refuse(oldest) {
	const [command] = process.argv.slice(2);
	const preparing = command === 'prepare';
	const message = `${NOT_READY} Node.js ${oldest} or newer is needed; this is ${process.versions.node}.`;
	say({ message, next: 'Update Node.js, then start a new session.' }, preparing);
	if (preparing) return;
	if (command === undefined) await (await import('./take-leave.mjs')).takeLeave();
	process.exitCode = 1;
}

module.exports = { refuse };

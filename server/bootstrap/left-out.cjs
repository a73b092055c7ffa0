const { execFileSync } = require('node:child_process');
const fs = require('node:fs');

/** With this option, Claude Code runs plugins' hooks but not their MCP servers (2.1.126 and 2.1.332). */
const STRICT = '--strict-mcp-config';

/** @param {number} parent this process's parent: Claude Code, or the shell in which it runs the hook */
function isLeftOut(parent) {
	// It has no ps, and would look for one on the current drive.
	if (process.platform === 'win32') return false;
	try {
		const [words, above] = commandLineOf(parent);
		return words.includes(STRICT) || commandLineOf(above)[0].includes(STRICT);
	} catch {
		return false; // The system does not show command lines.
	}
}

/** @param {number} pid @returns {[string[], number]} the process's arguments and its parent */
function commandLineOf(pid) {
	if (process.platform === 'linux') {
		const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
		return [words, Number(/^PPid:\s*(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])];
	}
	const [above = '', ...words] = execFileSync('/bin/ps', ['-ww', '-o', 'ppid=,args=', '-p', String(pid)], {
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
		timeout: 1_000,
	})
		.trim()
		.split(/\s+/);
	return [words, Number(above)];
}

const LEFT_OUT = {
	message: `Context Broker did not start: Claude Code was started with ${STRICT}, which leaves out the MCP servers of plugins.`,
	next: 'Start Claude Code without that option.',
};

module.exports = { isLeftOut, LEFT_OUT };

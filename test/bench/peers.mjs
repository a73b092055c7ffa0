import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ program: import('./client.mjs').Program, call: import('./client.mjs').ToolCall | undefined }} Peer */

const PACKAGES = fileURLToPath(new URL('../node_modules/', import.meta.url));

/**
 * Servers that people have installed, each with a cheap call.
 *
 * @param {import('./user.mjs').User} user
 * @returns {Record<string, Peer>} by name
 */
export function peersOf(user) {
	/** @param {string} name @param {string[]} args */
	const program = (name, ...args) => ({ args: [entryOf(name), ...args], env: user.env });
	const path = user.file('small');
	return {
		'server-filesystem': {
			program: program('@modelcontextprotocol/server-filesystem', user.files),
			call: { name: 'read_text_file', arguments: { path } },
		},
		'server-memory': {
			program: program('@modelcontextprotocol/server-memory'),
			call: { name: 'read_graph', arguments: {} },
		},
		'server-everything': {
			program: program('@modelcontextprotocol/server-everything'),
			call: { name: 'echo', arguments: { message: 'x' } },
		},
		// Its tools ask the network: only to the list of them.
		'context7-mcp': { program: program('@upstash/context7-mcp'), call: undefined },
	};
}

/** @param {string} name @returns {string} the program of a package that has one */
function entryOf(name) {
	const { bin } = JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8'));
	const [entry] = Object.values(bin);
	return join(PACKAGES, name, String(entry));
}

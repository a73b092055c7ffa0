import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ program: import('./client.mjs').Program, call: import('./client.mjs').ToolCall | undefined }} Peer */

const PACKAGES = fileURLToPath(new URL('../node_modules/', import.meta.url));

/**
 * Popular servers, each with a cheap call.
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
		// Its tools use the network, so only its list of tools is timed.
		'context7-mcp': { program: program('@upstash/context7-mcp'), call: undefined },
	};
}

/** @param {string} name a package with one program @returns {string} the program's path */
function entryOf(name) {
	const { bin } = JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8'));
	const [entry] = Object.values(bin);
	return join(PACKAGES, name, String(entry));
}

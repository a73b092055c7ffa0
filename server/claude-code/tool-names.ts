/** The broker, as Claude Code calls it among MCP servers. */
export const OWN_SERVER = 'plugin:context-broker:broker';

/**
 * A name of a server or a tool as Claude Code writes it within the name of a tool. Several names can come to the same.
 * Read in 2.1.126 and 2.1.332, and held by test/claude/client-names.test.ts.
 */
export function clientName(name: string): string {
	const written = name.replace(/[^A-Za-z0-9_-]/g, '_');
	// Connectors of an account.
	return name.startsWith('claude.ai ') ? written.replace(/_+/g, '_').replace(/^_|_$/g, '') : written;
}

/** How the names of a server's tools begin in Claude Code. */
export function clientPrefix(server: string): string {
	return `mcp__${clientName(server)}__`;
}

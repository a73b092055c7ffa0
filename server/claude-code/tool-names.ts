/** Claude Code's name of the broker among MCP servers. */
export const OWN_SERVER = 'plugin:context-broker:broker';

/** A server's or a tool's name within the name of a tool; not unique. As in 2.1.126 and 2.1.332 (client-names.test.ts). */
export function clientName(name: string): string {
	const written = name.replace(/[^A-Za-z0-9_-]/g, '_');
	// Connectors of an account.
	return name.startsWith('claude.ai ') ? written.replace(/_+/g, '_').replace(/^_|_$/g, '') : written;
}

export function clientPrefix(server: string): string {
	return `mcp__${clientName(server)}__`;
}

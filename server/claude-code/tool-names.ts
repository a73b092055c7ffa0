/** Claude Code's name for the broker's MCP server. */
export const OWN_SERVER = 'plugin:context-broker:broker';

/** A server's or tool's name within a tool's full name; not unique. As in 2.1.126 and 2.1.332 (client-names.test.ts). */
export function clientName(name: string): string {
	const written = name.replace(/[^A-Za-z0-9_-]/g, '_');
	// Only the connectors of an account are shortened further.
	return name.startsWith('claude.ai ') ? written.replace(/_+/g, '_').replace(/^_|_$/g, '') : written;
}

export function clientPrefix(server: string): string {
	return `mcp__${clientName(server)}__`;
}

/** Claude Code's own tools that send something out. */
const BUILT_IN = ['WebFetch', 'WebSearch'];

/** How Claude Code begins the names of the broker's own tools. */
const OWN = 'mcp__plugin_context-broker_broker__';

/**
 * Whether a tool can carry something out of the machine: Claude Code's own that do, and those of all other MCP servers,
 * of which nobody knows.
 *
 * @param tool as Claude Code names it
 * @param allowed what the user lets pass: full names, or beginnings with a `*`
 */
export function isOutward(tool: string, allowed: readonly string[]): boolean {
	const leadsOut = BUILT_IN.includes(tool) || (tool.startsWith('mcp__') && !tool.startsWith(OWN));
	return leadsOut && !allowed.some((name) => (name.endsWith('*') ? tool.startsWith(name.slice(0, -1)) : tool === name));
}

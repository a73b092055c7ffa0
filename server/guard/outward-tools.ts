/** Claude Code's own tools that send something out; those after the first two by their names in 2.1.332 alone. */
const BUILT_IN = [
	'WebFetch',
	'WebSearch',
	'RemoteTrigger',
	'Artifact',
	'PushNotification',
	'SendUserFile',
	'ReadMcpResourceTool',
	'ReadMcpResourceDirTool',
];

/**
 * Whether a tool can carry something out of the machine: Claude Code's own that do, and those of all other MCP servers,
 * of which nobody knows.
 *
 * @param tool as Claude Code names it
 * @param isOwn whether it is one of the broker, or of a server behind it; a name that begins so does not make it one
 * @param allowed what the user lets pass: full names, or beginnings with a `*`
 */
export function isOutward(tool: string, isOwn: boolean, allowed: readonly string[]): boolean {
	const leadsOut = BUILT_IN.includes(tool) || (tool.startsWith('mcp__') && !isOwn);
	return leadsOut && !allowed.some((name) => (name.endsWith('*') ? tool.startsWith(name.slice(0, -1)) : tool === name));
}

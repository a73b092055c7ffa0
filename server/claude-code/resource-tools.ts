/** What reads a resource of an MCP server; the second in 2.1.332 only. Both name the server in their input. */
const RESOURCE_TOOLS = ['ReadMcpResourceTool', 'ReadMcpResourceDirTool'];

/** Of which server a call reads a resource; undefined of any other call. */
export function serverOfResource(tool: string, { server }: Readonly<Record<string, unknown>>): string | undefined {
	return RESOURCE_TOOLS.includes(tool) && typeof server === 'string' ? server : undefined;
}

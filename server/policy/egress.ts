import { AGENT_TOOLS, EGRESS_TOOLS, isMcpTool } from '../claude-code/tools.ts';

/** A tool call. */
export interface EgressCall {
	/** As Claude Code names it. */
	readonly tool: string;
	readonly input: Readonly<Record<string, unknown>>;
	/** Whether it is one of the broker, or of a server behind it; a name that begins so does not make it one. */
	readonly isOwn: boolean;
}

/**
 * Whether a call can carry something out of the machine: Claude Code's own tools that do, an agent that is to run
 * elsewhere, and all tools of other MCP servers, of which nobody knows.
 *
 * @param allowed what the user lets pass: full names, or beginnings with a `*`
 */
export function isEgress({ tool, input, isOwn }: EgressCall, allowed: readonly string[]): boolean {
	const isElsewhere = AGENT_TOOLS.includes(tool) && input.isolation === 'remote';
	const leadsOut = EGRESS_TOOLS.includes(tool) || isElsewhere || (isMcpTool(tool) && !isOwn);
	return leadsOut && !allowed.some((name) => (name.endsWith('*') ? tool.startsWith(name.slice(0, -1)) : tool === name));
}

import { clientName } from '../claude-code/tool-names.ts';
import { nearest } from '../text/nearest.ts';

export interface ToolOrigin {
	readonly server: string;
	readonly tool: string;
}

/** A tool of a server behind the broker. */
export interface RelayedOrigin extends ToolOrigin {
	/** Whether the tool's listing lets Claude Code pass on a large result whole. */
	readonly isListedLarge: boolean;
	readonly isPrivate: boolean;
}

/** A server's tools that run only in a subagent. */
export interface IsolatedTools {
	readonly server: string;
	/** Tool names, with or without a `*` at the end. */
	readonly tools: 'all' | readonly string[];
	readonly runByClient: boolean;
}

/** Whether a tool runs only in a subagent. Compares names as Claude Code writes them, because it passes on no others. */
export function isIsolated({ tools }: IsolatedTools, tool: string): boolean {
	return tools === 'all' || tools.some((pattern) => matchesTool(pattern, tool));
}

export function isWhollyIsolated(server: string, isolation: readonly IsolatedTools[]): boolean {
	return isolation.some((of) => of.runByClient && of.tools === 'all' && clientName(of.server) === clientName(server));
}

/** Whether a name in `isolated_tools` covers a tool. Only a `*` at the end is a wildcard. */
export function matchesTool(pattern: string, tool: string): boolean {
	const name = clientName(tool);
	return pattern.endsWith('*') ? name.startsWith(clientName(pattern.slice(0, -1))) : name === clientName(pattern);
}

/** A warning for each name that covers none of the server's known tools. */
export function unknownTools({ server, tools }: IsolatedTools, known: readonly string[]): string[] {
	const unknown = tools === 'all' ? [] : tools.filter((pattern) => !known.some((tool) => matchesTool(pattern, tool)));
	return unknown.map((pattern) => unknownTool(server, 'isolated_tools', pattern, known));
}

export function unknownTool(server: string, field: string, name: string, known: readonly string[]): string {
	const hint = known.length === 0 ? '' : `; the nearest is ${JSON.stringify(nearest(name, known))}`;
	return `[mcp_servers.${server}]: ${field} names ${JSON.stringify(name)}, which is not one of its tools${hint}.`;
}

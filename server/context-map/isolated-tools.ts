import { clientName } from '../claude-code/tool-names.ts';
import { nearest } from '../text/nearest.ts';

/** A tool of a server, by the names that both have there. */
export interface ToolOrigin {
	readonly server: string;
	readonly tool: string;
}

/** The same, of a server behind the broker. */
export interface RelayedOrigin extends ToolOrigin {
	/** Whether its listing lets Claude Code pass a large result on whole. */
	readonly isListedLarge: boolean;
	/** Whether its results are private data. */
	readonly isPrivate: boolean;
}

/** Which tools of a server run in a subagent only. */
export interface IsolatedTools {
	/** The server's name, as its table has it. */
	readonly server: string;
	/** The names of tools, each with a `*` at its end or not; none means that no tool is isolated. */
	readonly tools: 'all' | readonly string[];
	/** Whether Claude Code itself runs the server; else it is behind the broker. */
	readonly ofClient: boolean;
}

/**
 * Whether a tool runs in a subagent only. Names are compared as Claude Code writes them: in what it passes on there is
 * nothing else.
 */
export function isIsolated({ tools }: IsolatedTools, tool: string): boolean {
	return tools === 'all' || tools.some((pattern) => fits(pattern, tool));
}

/** Whether a server that Claude Code runs is isolated with all that it has. */
export function isWhollyIsolated(server: string, isolation: readonly IsolatedTools[]): boolean {
	return isolation.some((of) => of.ofClient && of.tools === 'all' && clientName(of.server) === clientName(server));
}

/** Whether a tool is what a name of `isolated_tools` stands for. Only a `*` at the end is more than itself. */
export function fits(pattern: string, tool: string): boolean {
	const name = clientName(tool);
	return pattern.endsWith('*') ? name.startsWith(clientName(pattern.slice(0, -1))) : name === clientName(pattern);
}

/**
 * What the user should know of the names of a server's tools, a sentence each: those that are none.
 *
 * @param known the tools that the server has
 */
export function unknownTools({ server, tools }: IsolatedTools, known: readonly string[]): string[] {
	const unknown = tools === 'all' ? [] : tools.filter((pattern) => !known.some((tool) => fits(pattern, tool)));
	return unknown.map((pattern) => unknownTool(server, 'isolated_tools', pattern, known));
}

/** @param field the one that has the name */
export function unknownTool(server: string, field: string, name: string, known: readonly string[]): string {
	const hint = known.length === 0 ? '' : `; the nearest is ${JSON.stringify(nearest(name, known))}`;
	return `[mcp_servers.${server}]: ${field} has ${JSON.stringify(name)}, which is no tool of it${hint}.`;
}

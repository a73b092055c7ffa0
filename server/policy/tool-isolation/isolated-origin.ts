import { clientPrefix } from '../../claude-code/tool-names.ts';
import { type IsolatedTools, isIsolated, type ToolOrigin, unknownTools } from '../../context-map/isolated-tools.ts';
import { BrokerError } from '../../errors.ts';

export interface CalledTool {
	readonly name: string;
	/** The server that Claude Code names; older versions name none. */
	readonly server: string | undefined;
	/** Where it comes from if it passes through the broker. */
	readonly origin: ToolOrigin | undefined;
}

/** The origin of a tool that the map isolates. @throws BrokerError `ambiguous_tool` */
export function isolatedOrigin(called: CalledTool, isolation: readonly IsolatedTools[]): ToolOrigin | undefined {
	// A full name cannot be split with certainty: the tool can be of each server whose prefix it has.
	const candidates = candidatesOf(called, isolation);
	const isolated = candidates.filter(({ table, origin }) => isIsolated(table, origin.tool));
	if (isolated.length > 0 && isolated.length < candidates.length) {
		const names = candidates.map(
			({ table, origin }) => `${JSON.stringify(origin.tool)} of the server ${JSON.stringify(table.server)}`,
		);
		throw new BrokerError('ambiguous_tool', { detail: `It can be ${names.join(' or ')}.` });
	}
	return isolated[0]?.origin;
}

interface Candidate {
	readonly table: IsolatedTools;
	readonly origin: ToolOrigin;
}

function candidatesOf({ name, server, origin }: CalledTool, isolation: readonly IsolatedTools[]): Candidate[] {
	if (origin !== undefined) {
		return isolation.filter((table) => table.server === origin.server).map((table) => ({ table, origin }));
	}
	// The tools of servers behind the broker have another prefix.
	const runByClient = isolation.filter((table) => table.runByClient);
	const isNamed = server !== undefined && name.startsWith(clientPrefix(server));
	return runByClient.flatMap((table): Candidate[] => {
		const prefix = clientPrefix(table.server);
		if (name.length === prefix.length || !name.startsWith(prefix)) return [];
		const tool = name.slice(prefix.length);
		if (!isNamed) return [{ table, origin: { server: table.server, tool } }];
		// At most one table of the map has this prefix.
		return prefix === clientPrefix(server) ? [{ table, origin: { server, tool } }] : [];
	});
}

/** Warnings about isolated tools that the servers of Claude Code do not have. */
export function unknownClientTools(isolation: readonly IsolatedTools[], names: readonly string[]): string[] {
	return isolation.flatMap((table) => {
		if (!table.runByClient || table.tools.length === 0) return [];
		const prefix = clientPrefix(table.server);
		const tools = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
		if (tools.length > 0) return unknownTools(table, tools);
		return [
			`[mcp_servers.${table.server}] isolates tools, but Claude Code has no tool of a server with this name yet.`,
		];
	});
}

import { clientPrefix } from '../../claude-code/tool-names.ts';
import { type IsolatedTools, isIsolated, type ToolOrigin } from '../../context-map/isolated-tools.ts';
import { BrokerError } from '../../errors.ts';

/** A tool that an agent calls, as far as it is known. */
export interface CalledTool {
	/** As Claude Code names it: `mcp__…`. */
	readonly name: string;
	/** Which server Claude Code says that it is of; older versions do not say. */
	readonly server: string | undefined;
	/** Where it comes from if it passes through the broker. */
	readonly origin: ToolOrigin | undefined;
}

/**
 * Where a tool comes from that the map isolates.
 *
 * A name is never taken apart: it is looked at which server's tools begin so. Where that can be several, and the map
 * does not say the same of all of them, nobody knows which is meant.
 *
 * @param isolation of each server of the map
 * @returns undefined where it is not isolated
 * @throws BrokerError `ambiguous_tool`
 */
export function isolatedOrigin(called: CalledTool, isolation: readonly IsolatedTools[]): ToolOrigin | undefined {
	const candidates = candidatesOf(called, isolation);
	const isolated = candidates.filter(({ of, origin }) => isIsolated(of, origin.tool));
	if (isolated.length > 0 && isolated.length < candidates.length) {
		const names = candidates.map(
			({ of, origin }) => `${JSON.stringify(origin.tool)} of the server ${JSON.stringify(of.server)}`,
		);
		throw new BrokerError('ambiguous_tool', { detail: `It can be ${names.join(' or ')}.` });
	}
	return isolated[0]?.origin;
}

interface Candidate {
	readonly of: IsolatedTools;
	readonly origin: ToolOrigin;
}

function candidatesOf({ name, server, origin }: CalledTool, isolation: readonly IsolatedTools[]): Candidate[] {
	if (origin !== undefined) {
		return isolation.filter((of) => of.server === origin.server).map((of) => ({ of, origin }));
	}
	// Those of servers behind the broker have another beginning.
	const runByClient = isolation.filter((of) => of.runByClient);
	const isSaid = server !== undefined && name.startsWith(clientPrefix(server));
	return runByClient.flatMap((of): Candidate[] => {
		const prefix = clientPrefix(of.server);
		if (name.length === prefix.length || !name.startsWith(prefix)) return [];
		const tool = name.slice(prefix.length);
		if (!isSaid) return [{ of, origin: { server: of.server, tool } }];
		// The map has one table at most for all names that Claude Code writes in the same way.
		return prefix === clientPrefix(server) ? [{ of, origin: { server, tool } }] : [];
	});
}

import { clientPrefix } from '../../claude-code/tool-names.ts';
import { type IsolatedTools, unknownTools } from '../../context-map/isolated-tools.ts';

/**
 * What the user should know of tables about servers that Claude Code runs, a sentence each: names that are none.
 *
 * @param names of all tools
 */
export function warningsOfClient(isolation: readonly IsolatedTools[], names: readonly string[]): string[] {
	return isolation.flatMap((isolated) => {
		if (!isolated.runByClient || isolated.tools.length === 0) return [];
		const prefix = clientPrefix(isolated.server);
		const tools = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
		if (tools.length > 0) return unknownTools(isolated, tools);
		return [
			`[mcp_servers.${isolated.server}] isolates tools, but Claude Code has no tool of a server of this name yet.`,
		];
	});
}

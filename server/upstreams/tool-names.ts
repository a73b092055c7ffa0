import { clientPrefix, OWN_SERVER } from '../claude-code/tool-names.ts';
import type { ToolOrigin } from '../context-map/isolated-tools.ts';
import { sha256 } from '../text/digest.ts';

/** The tools that can be offered, by the names under which they are, and those that can't be told apart. */
export interface NamedTools<T extends ToolOrigin> {
	readonly byName: ReadonlyMap<string, T>;
	/** Each a set of tools with one name. */
	readonly clashes: readonly (readonly T[])[];
}

/** Claude Code takes 64 characters, and puts the prefix of the broker before ours. */
export const LONGEST_NAME = 64 - clientPrefix(OWN_SERVER).length;

/** Characters of the digest that a tool's own shortened name ends with, and of the server's name before it. */
const [DIGEST, BEFORE_DIGEST] = [4, 3];

/**
 * Names tools `SERVER__tool`. If that would be too long, the server's part is shortened first: the tool's name says more.
 *
 * Two tools whose names differ in what clients and lists of tools do not look at (characters that a name may not have,
 * `-` and `_`) can't be told apart: neither is offered, whichever server came first.
 *
 * @param servers the names of all servers of the map, also of those that have told no tools yet
 */
export function nameTools<T extends ToolOrigin>(origins: readonly T[], servers: readonly string[]): NamedTools<T> {
	const groups = new Map<string, T[]>();
	for (const origin of origins) {
		const name = spelling(nameOf(origin, servers));
		groups.set(name, [...(groups.get(name) ?? []), origin]);
	}
	const byName = new Map<string, T>();
	const clashes: T[][] = [];
	for (const group of groups.values()) {
		const [origin] = group;
		if (group.length > 1 || origin === undefined) clashes.push(group);
		else byName.set(nameOf(origin, servers), origin);
	}
	return { byName, clashes };
}

/**
 * The name under which a tool is offered; of two different tools mostly, but not always, another. It depends on which
 * servers the map has, not on which of them were reached.
 */
export function nameOf({ server, tool }: ToolOrigin, servers: readonly string[]): string {
	const [ofServer, ofTool] = [server, tool].map((name) => name.replace(/[^A-Za-z0-9_-]/g, '_')) as [string, string];
	const name = `${ofServer}__${ofTool}`;
	if (name.length <= LONGEST_NAME) return name;
	const beginning = ofServer.slice(0, Math.max(0, LONGEST_NAME - `__${ofTool}`.length));
	const short = beginning.replace(/[-_]+$/, '') || beginning;
	const isOfOther = servers.some((other) => other !== server && spelling(other).startsWith(spelling(short)));
	if (short !== '' && !isOfOther) return `${short}__${ofTool}`;
	const cut = `${ofServer.slice(0, BEFORE_DIGEST)}__${ofTool}`.slice(0, LONGEST_NAME - DIGEST - 1);
	return `${cut}_${sha256(`${server}__${tool}`).slice(0, DIGEST)}`;
}

/** How the names of tools of a server can begin, also of those that are shortened. */
export function namePrefixes(server: string): string[] {
	return Array.from(server, (_, index) => `${server.slice(0, index + 1)}__`);
}

function spelling(name: string): string {
	return name.replaceAll('-', '_');
}

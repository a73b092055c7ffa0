import { clientPrefix, OWN_SERVER } from '../claude-code/tool-names.ts';
import type { ToolOrigin } from '../context-map/isolated-tools.ts';
import { sha256 } from '../text/digest.ts';

export interface NamedTools<T extends ToolOrigin> {
	readonly byName: ReadonlyMap<string, T>;
	readonly clashes: readonly (readonly T[])[];
}

/** Claude Code accepts 64 characters, including its prefix. */
export const MAX_NAME_LENGTH = 64 - clientPrefix(OWN_SERVER).length;

/** In a shortened tool name: characters of its digest, and of the server's name. */
const [DIGEST_LENGTH, SERVER_LENGTH] = [4, 3];

/**
 * Names tools `SERVER__tool`. Names that differ only in invalid characters, `-` and `_` cannot be distinguished: then no tool of
 * that name is offered, whichever server came first.
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
 * Shortens the server's part of a long name first. Depends on all servers in the map, so that names stay the same if one is
 * missing.
 */
export function nameOf({ server, tool }: ToolOrigin, servers: readonly string[]): string {
	const [ofServer, ofTool] = [server, tool].map((name) => name.replace(/[^A-Za-z0-9_-]/g, '_')) as [string, string];
	const name = `${ofServer}__${ofTool}`;
	if (name.length <= MAX_NAME_LENGTH) return name;
	const beginning = ofServer.slice(0, Math.max(0, MAX_NAME_LENGTH - `__${ofTool}`.length));
	const short = beginning.replace(/[-_]+$/, '') || beginning;
	const isOfOther = servers.some((other) => other !== server && spelling(other).startsWith(spelling(short)));
	if (short !== '' && !isOfOther) return `${short}__${ofTool}`;
	const cut = `${ofServer.slice(0, SERVER_LENGTH)}__${ofTool}`.slice(0, MAX_NAME_LENGTH - DIGEST_LENGTH - 1);
	return `${cut}_${sha256(`${server}__${tool}`).slice(0, DIGEST_LENGTH)}`;
}

/** All possible beginnings of the server's tool names, shortened ones included. */
export function namePrefixes(server: string): string[] {
	return Array.from(server, (_, index) => `${server.slice(0, index + 1)}__`);
}

function spelling(name: string): string {
	return name.replaceAll('-', '_');
}

import { clientPrefix, OWN_SERVER } from '../claude-code/tool-names.ts';
import type { ToolOrigin } from '../context-map/isolated-tools.ts';
import { sha256 } from '../text/digest.ts';

export interface NamedTools<T extends ToolOrigin> {
	readonly byName: ReadonlyMap<string, T>;
	readonly clashes: readonly (readonly T[])[];
}

/** Claude Code takes 64 characters, its prefix included. */
export const MAX_NAME_LENGTH = 64 - clientPrefix(OWN_SERVER).length;

/** Of a shortened tool name: characters of its digest, and of the server's name. */
const [DIGEST_LENGTH, SERVER_LENGTH] = [4, 3];

/**
 * Names tools `SERVER__tool`. Two tools whose names differ only in invalid characters, `-` and `_` cannot be told apart:
 * neither is offered, whichever server came first.
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

/** If it is too long, the server's part is shortened first. It depends on the servers in the map, not on those reached. */
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

/** How names of its tools can begin, also if they are shortened. */
export function namePrefixes(server: string): string[] {
	return Array.from(server, (_, index) => `${server.slice(0, index + 1)}__`);
}

function spelling(name: string): string {
	return name.replaceAll('-', '_');
}

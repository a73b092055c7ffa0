import { sha256 } from '../text/digest.ts';

/** A tool of a server behind the broker, as that server names it. */
export interface ToolOrigin {
	readonly server: string;
	readonly tool: string;
}

/** The tools that can be offered, by the names under which they are, and those that can't be told apart. */
export interface NamedTools<T extends ToolOrigin> {
	readonly byName: ReadonlyMap<string, T>;
	/** Each a set of tools with one name. */
	readonly clashes: readonly (readonly T[])[];
}

/** Claude Code takes 64 characters, and puts `mcp__plugin_context-broker_broker__` before ours. */
export const LONGEST_NAME = 64 - 'mcp__plugin_context-broker_broker__'.length;

/** Characters of the digest that a shortened name ends with. */
const DIGEST = 8;

/**
 * Names tools `SERVER__tool`. Where that would be too long, it is cut and ends with a digest of the whole name.
 *
 * Two tools whose names differ in what clients and lists of tools do not look at (characters that a name may not have,
 * `-` and `_`) can't be told apart: neither is offered, whichever server came first.
 */
export function nameTools<T extends ToolOrigin>(origins: readonly T[]): NamedTools<T> {
	const groups = new Map<string, T[]>();
	for (const origin of origins) {
		const spelling = nameOf(origin).replaceAll('-', '_');
		groups.set(spelling, [...(groups.get(spelling) ?? []), origin]);
	}
	const byName = new Map<string, T>();
	const clashes: T[][] = [];
	for (const group of groups.values()) {
		const [origin] = group;
		if (group.length > 1 || origin === undefined) clashes.push(group);
		else byName.set(nameOf(origin), origin);
	}
	return { byName, clashes };
}

/** The name under which a tool is offered; of two different tools mostly, but not always, another. */
export function nameOf({ server, tool }: ToolOrigin): string {
	const whole = `${server}__${tool}`;
	const name = whole.replace(/[^A-Za-z0-9_-]/g, '_');
	if (name.length <= LONGEST_NAME) return name;
	const digest = sha256(whole).slice(0, DIGEST);
	return `${name.slice(0, LONGEST_NAME - DIGEST - 1)}_${digest}`;
}

/** How the names of all tools of a server begin, also of those that are shortened. */
export function beginningOf(server: string): string {
	return `${server}__`.slice(0, LONGEST_NAME - DIGEST - 1);
}

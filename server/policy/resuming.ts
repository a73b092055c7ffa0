/** A private agent, as far as messages can name it. */
export interface Addressee {
	readonly agent: string;
	readonly type: string;
	/** What it was called when it was started (2.1.332), if it was. */
	readonly name?: string | undefined;
}

/**
 * Whether a message goes to an agent that has loaded private context: by its id, its name, or a short reference, which
 * can't be told apart.
 *
 * @param to as the tool `SendMessage` gets it
 * @param others the ids of subagents that have loaded nothing
 */
export function reachesAny(to: unknown, privateAgents: readonly Addressee[], others: ReadonlySet<string>): boolean {
	if (typeof to !== 'string' || privateAgents.length === 0) return false;
	const [, name = '', reference = ''] = ADDRESS.exec(to.trim().toLowerCase()) ?? [];
	if (others.has(name)) return false;
	const isReference = /^[0-9a-f]{4,}$/.test(name || reference);
	const names = privateAgents.flatMap(({ agent, type, name }) => [agent, type, type.split(':').at(-1) ?? type, name]);
	return isReference || names.some((known) => known !== undefined && known !== '' && known.toLowerCase() === name);
}

/** `name`, `@name`, `#reference`, and as `ListAgents` has it: `name [reference]`. */
const ADDRESS = /^[@#]?(.*?)\s*(?:\[(\w*)\])?$/s;

/** An agent that has loaded, as messages can name it. */
export interface Addressee {
	readonly agent: string;
	readonly type: string;
	/** Its name from its start, if it got one (2.1.332). */
	readonly name?: string | undefined;
}

/** Whether a message is for a private agent. A short reference can be any agent's. @param others ids of other subagents */
export function isAddressed(to: unknown, privateAgents: readonly Addressee[], others: ReadonlySet<string>): boolean {
	if (typeof to !== 'string' || privateAgents.length === 0) return false;
	const [, name = '', reference = ''] = ADDRESS.exec(to.trim().toLowerCase()) ?? [];
	if (others.has(name)) return false;
	const isReference = /^[0-9a-f]{4,}$/.test(name || reference);
	const names = privateAgents.flatMap(({ agent, type, name }) => [agent, type, type.split(':').at(-1) ?? type, name]);
	return isReference || names.some((known) => known !== undefined && known !== '' && known.toLowerCase() === name);
}

/** `name`, `@name`, `#reference`, and as `ListAgents` has it: `name [reference]`. */
const ADDRESS = /^[@#]?(.*?)\s*(?:\[(\w*)\])?$/s;

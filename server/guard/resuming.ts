/** A private agent, as far as messages can name it. */
export interface Addressee {
	readonly agent: string;
	readonly type: string;
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
	const name = to.trim().replace(/^[@#]/, '').toLowerCase();
	if (others.has(name)) return false;
	const isReference = /^[0-9a-f]{4,}$/.test(name);
	const names = privateAgents.flatMap(({ agent, type }) => [agent, type, type.split(':').at(-1) ?? type]);
	return isReference || names.some((known) => known !== '' && known.toLowerCase() === name);
}

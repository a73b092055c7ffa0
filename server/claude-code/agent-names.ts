import { BoundedMap } from '../bounded-map.ts';

const folded = new BoundedMap<string, string>(1_000);

/** An agent's name for comparison: 2.1.332 accepts other spellings, too. */
export function foldName(agent: string): string {
	const known = folded.get(agent);
	if (known !== undefined) return known;
	const name = agent
		.normalize('NFKC')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '');
	folded.set(agent, name);
	return name;
}

import { BoundedMap } from '../bounded-map.ts';

const folded = new BoundedMap<string, string>(1_000);

/** The name of an agent for comparison: 2.1.332 takes other spellings, too. */
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

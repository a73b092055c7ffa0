import { BoundedMap } from '../bounded-map.ts';

/** A session knows few names, and compares them at each call. */
const folded = new BoundedMap<string, string>(1_000);

/** The name of an agent, as it is compared in a call that starts it: 2.1.332 takes it in other spellings too. */
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

import type { Random } from '../../random.ts';
import { document } from './documents.ts';
import { LARGE_MUTATIONS, MUTATIONS } from './mutations.ts';
import { Markers } from './words.ts';

/** A map to be parsed. */
export interface HostileMap {
	/** What was done to it, in a few words. */
	readonly kind: string;
	readonly bytes: Buffer;
	/** Words of it that are the user's own, in lower case. */
	readonly markers: readonly string[];
}

export function hostileMap(random: Random): HostileMap {
	const markers = new Markers(random);
	const source = { random, markers };
	let bytes: Buffer = Buffer.from(document(source));
	const kinds: string[] = [];
	const change = (mutations: typeof MUTATIONS) => {
		const [kind, mutation] = random.pick(Object.entries(mutations));
		bytes = mutation(bytes, source);
		kinds.push(kind);
	};
	// More of them that get through the parser than of those that do not.
	if (random.chance(0.5)) change(MUTATIONS);
	if (random.chance(0.2)) change(MUTATIONS);
	if (random.chance(0.02)) change(LARGE_MUTATIONS);
	return { kind: kinds.join(', ') || 'as it is', bytes, markers: markers.all };
}

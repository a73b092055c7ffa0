/** A repeatable sequence of numbers from 0 to 1 (mulberry32). */
export function random(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** A shuffled copy. */
export function shuffled<T>(list: readonly T[], next: () => number): T[] {
	const copy = [...list];
	for (let last = copy.length - 1; last > 0; last--) {
		const at = Math.floor(next() * (last + 1));
		[copy[last], copy[at]] = [copy[at] as T, copy[last] as T];
	}
	return copy;
}

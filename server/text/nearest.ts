/** The candidate with the fewest single-character edits from `name`. The first of several; undefined if there are none. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
	let best: string | undefined;
	let fewest = Number.POSITIVE_INFINITY;
	for (const candidate of candidates) {
		// A longer name is not a typing error. Cut, so that a hostile name cannot take long.
		const edits = editDistance(name.slice(0, 100), candidate);
		if (edits < fewest) {
			best = candidate;
			fewest = edits;
		}
	}
	return best;
}

export function editDistance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, column) => column);
	for (const [i, letter] of [...a].entries()) {
		const next = [i + 1];
		for (let j = 0; j < b.length; j++) {
			const replaced = (row[j] ?? 0) + (letter === b[j] ? 0 : 1);
			next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		row = next;
	}
	return row[b.length] ?? 0;
}

import { type Entries, occurrencesIn } from '../redaction/occurrences.ts';
import type { Place } from './places.ts';

/** The places where a text repeats entries, in ascending order. @param bytes UTF-8 */
export function* placesIn(bytes: Buffer, entries: Entries): Generator<Place> {
	const position = new Position(bytes);
	let found = new Set<string>();
	for (const [start, end] of entries.byteFilter().stretches(bytes)) {
		const text = bytes.toString('utf8', start, end);
		const before = found;
		found = new Set();
		let [at, units] = [start, 0];
		for (const occurrence of occurrencesIn(text, entries)) {
			at += Buffer.byteLength(text.slice(units, occurrence.start));
			units = occurrence.start;
			const { line: entry, certainty } = occurrence;
			// Overlapping stretches give the same place twice.
			const name = `${at} ${entry}`;
			found.add(name);
			if (!before.has(name)) yield { ...position.at(at), entry, certainty };
		}
	}
}

/** Lines and columns of offsets. Fast if offsets ascend. */
class Position {
	readonly #bytes: Buffer;
	#at = 0;
	#line = 1;
	#column = 1;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	at(place: number): { line: number; column: number } {
		if (place < this.#at) [this.#at, this.#line, this.#column] = [0, 1, 1];
		for (; this.#at < place; this.#at++) {
			const byte = this.#bytes[this.#at] ?? 0;
			if (byte === 0x0a) {
				this.#line++;
				this.#column = 1;
			} else if ((byte & 0xc0) !== 0x80) this.#column += byte >= 0xf0 ? 2 : 1;
		}
		return { line: this.#line, column: this.#column };
	}
}

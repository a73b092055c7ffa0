import { type Entries, occurrencesIn } from '../redaction/occurrences.ts';
import type { Place } from './places.ts';

/** In bytes: a text is looked at in parts, since what a part takes is a multiple of its length. */
const PART = 64 * 1024;

/** So much of the next part is looked at with each: what stands for an entry is shorter. */
const OVERLAP = 8 * 1024;

/** Where a text stands for entries, in ascending order. @param bytes UTF-8 */
export function* placesIn(bytes: Buffer, entries: Entries): Generator<Place> {
	const position = new Position(bytes);
	for (let from = 0; from < bytes.length; from = partEnd(bytes, from, PART)) {
		const next = partEnd(bytes, from, PART);
		const before = partEnd(bytes, from, -OVERLAP);
		const text = bytes.toString('utf8', before, partEnd(bytes, next, OVERLAP));
		let [at, units] = [before, 0];
		for (const { start, line, certainty } of occurrencesIn(text, entries)) {
			at += Buffer.byteLength(text.slice(units, start));
			units = start;
			if (at >= next) break;
			if (at >= from) yield { ...position.at(at), entry: line, certainty };
		}
	}
}

/** A place so many bytes on that no character is cut. */
function partEnd(bytes: Buffer, from: number, length: number): number {
	let end = Math.min(Math.max(from + length, 0), bytes.length);
	while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
	return end;
}

/** Lines and columns of ascending places. */
class Position {
	readonly #bytes: Buffer;
	#at = 0;
	#line = 1;
	#column = 1;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	at(place: number): { line: number; column: number } {
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

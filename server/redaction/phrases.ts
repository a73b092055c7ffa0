/** An odd number that spreads well, of a well-known linear congruential generator. */
const BASE = 1_664_525;

/** Hashes of the ranges of a stream, each in constant time after one pass over it (polynomial, modulo 2^32). */
export class RangeHashes {
	readonly #before: Int32Array;
	readonly #powers: Int32Array;

	constructor(stream: Uint16Array) {
		this.#before = new Int32Array(stream.length + 1);
		this.#powers = new Int32Array(stream.length + 1).fill(1);
		for (const [at, unit] of stream.entries()) {
			this.#before[at + 1] = Math.imul(this.#before[at] ?? 0, BASE) + unit + 1;
			this.#powers[at + 1] = Math.imul(this.#powers[at] ?? 0, BASE);
		}
	}

	/** @returns the same number for equal ranges, of any stream */
	of(start: number, end: number): number {
		const length = end - start;
		const own = (this.#before[end] ?? 0) - Math.imul(this.#before[start] ?? 0, this.#powers[length] ?? 0);
		const mixed = Math.imul(own ^ (own >>> 16) ^ Math.imul(length, 0x9e3779b1), 0x45d9f3b);
		return mixed ^ (mixed >>> 15);
	}
}

interface Phrase {
	readonly start: number;
	readonly length: number;
	line: number;
	readonly next: Phrase | undefined;
}

/** Phrases, each a range of one stream and equal to no other of them, with the line where it stands. */
export class PhraseTable {
	readonly #stream: Uint16Array;
	readonly #byHash = new Map<number, Phrase>();
	readonly #lengths = new Set<number>();

	constructor(stream: Uint16Array) {
		this.#stream = stream;
	}

	/** Keeps the first line of equal phrases. @param hash of the range, from `RangeHashes` */
	add(start: number, end: number, hash: number, line: number): void {
		const known = this.#find(this.#stream, start, end, hash);
		if (known === undefined) {
			this.#byHash.set(hash, { start, length: end - start, line, next: this.#byHash.get(hash) });
			this.#lengths.add(end - start);
		} else if (line < known.line) known.line = line;
	}

	lineOf(stream: Uint16Array, start: number, end: number, hash: number): number | undefined {
		return this.#find(stream, start, end, hash)?.line;
	}

	/** Visits each phrase, as a range of the stream. */
	each(visit: (stream: Uint16Array, start: number, length: number) => void): void {
		for (const first of this.#byHash.values()) {
			for (let phrase: Phrase | undefined = first; phrase !== undefined; phrase = phrase.next) {
				visit(this.#stream, phrase.start, phrase.length);
			}
		}
	}

	/** Each once, the longest first. */
	lengths(): number[] {
		return [...this.#lengths].sort((a, b) => b - a);
	}

	#find(stream: Uint16Array, start: number, end: number, hash: number): Phrase | undefined {
		let phrase = this.#byHash.get(hash);
		while (phrase !== undefined && !this.#equals(phrase, stream, start, end)) phrase = phrase.next;
		return phrase;
	}

	#equals({ start: own, length }: Phrase, stream: Uint16Array, start: number, end: number): boolean {
		if (length !== end - start) return false;
		for (let at = 0; at < length; at++) if (this.#stream[own + at] !== stream[start + at]) return false;
		return true;
	}
}

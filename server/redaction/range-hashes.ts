/** Any odd number that spreads well; this one is of a well-known linear congruential generator. */
const BASE = 1_664_525;

/** Hashes of the ranges of a stream, each in constant time after one pass over it (polynomial, modulo 2^32). */
export class RangeHashes {
	readonly #before: Int32Array;
	readonly #powers: Int32Array;

	constructor(stream: Uint16Array) {
		this.#before = new Int32Array(stream.length + 1);
		this.#powers = new Int32Array(stream.length + 1);
		let hash = 0;
		let power = 1;
		this.#powers[0] = power;
		for (let at = 0; at < stream.length; at++) {
			hash = (Math.imul(hash, BASE) + (stream[at] ?? 0) + 1) | 0;
			power = Math.imul(power, BASE);
			this.#before[at + 1] = hash;
			this.#powers[at + 1] = power;
		}
	}

	/** @returns the same number for equal ranges, of any stream */
	of(start: number, end: number): number {
		const length = end - start;
		const own = (this.#before[end] ?? 0) - Math.imul(this.#before[start] ?? 0, this.#powers[length] ?? 0);
		// The low bits of a polynomial depend on the low bits of its terms only; they choose the place in a table.
		const mixed = Math.imul(own ^ (own >>> 16) ^ Math.imul(length, 0x9e3779b1), 0x45d9f3b);
		return mixed ^ (mixed >>> 15);
	}
}

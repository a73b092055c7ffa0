/** Random numbers that a seed gives again. */
export class Random {
	#state: number;

	/** @param seed an integer */
	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** From 0 to below 1: mulberry32. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	/** An integer from 0 to below `limit`. */
	below(limit: number): number {
		return Math.floor(this.next() * limit);
	}

	/** True so often. @param share from 0 to 1 */
	chance(share: number): boolean {
		return this.next() < share;
	}

	pick<T>(values: readonly T[]): T {
		return values[this.below(values.length)] as T;
	}

	/** Text of up to so many characters out of an alphabet. */
	text(longest: number, alphabet: readonly string[]): string {
		return Array.from({ length: this.below(longest + 1) }, () => this.pick(alphabet)).join('');
	}

	/** The values in another order. */
	shuffled<T>(values: readonly T[]): T[] {
		const keyed = values.map((value) => ({ value, key: this.next() }));
		return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
	}
}

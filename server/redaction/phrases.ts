/** An odd number that spreads well, of a well-known linear congruential generator. */
const BASE = 1_664_525;

/** Hashes of the ranges of a stream, each in constant time after one pass over it (polynomial, modulo 2^32). */
export class RangeHashes {
	readonly #before: Int32Array;
	readonly #powers: Int32Array;

	constructor(stream: Uint16Array) {
		const before = new Int32Array(stream.length + 1);
		const powers = new Int32Array(stream.length + 1).fill(1);
		// No iterator: it takes longer than all the rest.
		for (let at = 0; at < stream.length; at++) {
			before[at + 1] = Math.imul(before[at] as number, BASE) + (stream[at] as number) + 1;
			powers[at + 1] = Math.imul(powers[at] as number, BASE);
		}
		this.#before = before;
		this.#powers = powers;
	}

	/** @returns the same number for equal ranges, of any stream */
	of(start: number, end: number): number {
		return this.#mixed(this.#plain(start, end), end - start);
	}

	/** The same of two ranges, the second behind the first. */
	ofBoth(start: number, end: number, nextStart: number, nextEnd: number): number {
		const next = nextEnd - nextStart;
		const both = Math.imul(this.#plain(start, end), this.#powers[next] ?? 0) + this.#plain(nextStart, nextEnd);
		return this.#mixed(both, end - start + next);
	}

	#plain(start: number, end: number): number {
		return (this.#before[end] ?? 0) - Math.imul(this.#before[start] ?? 0, this.#powers[end - start] ?? 0);
	}

	#mixed(own: number, length: number): number {
		const mixed = Math.imul(own ^ (own >>> 16) ^ Math.imul(length, 0x9e3779b1), 0x45d9f3b);
		return mixed ^ (mixed >>> 15);
	}
}

/** Of the first word of a name, behind which others can stand, and of these. */
export const MAX_OPENING = 20;
export const MAX_BETWEEN = 16;

export type Certainty = 'certain' | 'likely';

/** What it means that a text repeats a phrase. */
export interface Meaning {
	/** `likely`: a rare part of an entry, or a writing that can mean something else. */
	readonly certainty: Certainty;
	/** How it has to be written, if that counts. */
	readonly form: RegExp | undefined;
	/** The length of the first word of a name, behind which others may stand; or 0. */
	readonly opening: number;
}

/** Of an entry as it stands. */
export const CERTAIN: Meaning = { certainty: 'certain', form: undefined, opening: 0 };

export interface Phrase {
	readonly stream: Uint16Array;
	readonly start: number;
	readonly length: number;
	/** Where its entry stands. */
	line: number;
	meaning: Meaning;
	readonly next: Phrase | undefined;
}

/** Of so many units a phrase's head is made. */
export const HEAD = 4;

/** Phrases, each a range of a stream and equal to no other of them. */
export class PhraseTable {
	readonly #byHash = new Map<number, Phrase>();
	readonly #lengths = new Set<number>();
	/** Whether any begins so: most places of a text are passed over by it. */
	readonly #heads = new Uint8Array(1 << 16);

	/**
	 * Of equal phrases the surest meaning counts, and of these that of the first line.
	 *
	 * @param hash of the range, from `RangeHashes`
	 * @returns whether it is new
	 */
	add(stream: Uint16Array, start: number, end: number, hash: number, line: number, meaning = CERTAIN): boolean {
		const length = end - start;
		const first = this.#byHash.get(hash);
		const known = first && matching(first, stream, start, end, 0, 0);
		if (known === undefined) {
			this.#byHash.set(hash, { stream, start, length, line, meaning, next: first });
			this.#lengths.add(length);
			if (length >= HEAD) this.#heads[headAt(stream, start)] = 1;
		} else {
			const more = meaning === known.meaning ? 0 : weightOf(meaning) - weightOf(known.meaning);
			if (more < 0 || (more === 0 && line >= known.line)) return false;
			known.line = line;
			known.meaning = meaning;
		}
		return known === undefined;
	}

	/** @param skipped so many units behind its opening, which the hash is without */
	find(stream: Uint16Array, start: number, end: number, hash: number, opening = 0, skipped = 0): Phrase | undefined {
		const first = this.#byHash.get(hash);
		return first && matching(first, stream, start, end, opening, skipped);
	}

	/** Whether a phrase of {@link HEAD} or more units may begin at a place of a stream. `false` is certain. */
	mayBegin(stream: Uint16Array, at: number): boolean {
		return this.#heads[headAt(stream, at)] !== 0;
	}

	/** Visits each phrase, as a range of a stream. */
	each(visit: (stream: Uint16Array, start: number, length: number, meaning: Meaning) => void): void {
		for (const first of this.#byHash.values()) {
			for (let phrase: Phrase | undefined = first; phrase !== undefined; phrase = phrase.next) {
				visit(phrase.stream, phrase.start, phrase.length, phrase.meaning);
			}
		}
	}

	/** Each once, the longest first. */
	lengths(): number[] {
		return [...this.#lengths].sort((a, b) => b - a);
	}
}

function headAt(stream: Uint16Array, at: number): number {
	let hash = 0;
	for (let n = at; n < at + HEAD; n++) hash = Math.imul(hash ^ (stream[n] ?? 0), 0x9e3779b1);
	return hash >>> 16;
}

function weightOf({ certainty, form, opening }: Meaning): number {
	return (certainty === 'certain' ? 4 : 0) + (form === undefined ? 2 : 0) + (opening === 0 ? 0 : 1);
}

/** Among phrases with one hash. */
function matching(first: Phrase, stream: Uint16Array, start: number, end: number, opening: number, skipped: number) {
	let phrase: Phrase | undefined = first;
	while (phrase !== undefined && !equals(phrase, stream, start, end, opening, skipped)) phrase = phrase.next;
	return phrase;
}

function equals(
	{ stream: own, start: from, length, meaning }: Phrase,
	stream: Uint16Array,
	start: number,
	end: number,
	opening: number,
	skipped: number,
): boolean {
	if (length !== end - start - skipped || (skipped > 0 && meaning.opening !== opening)) return false;
	for (let at = 0; at < length; at++) {
		if (own[from + at] !== stream[start + at + (at < opening ? 0 : skipped)]) return false;
	}
	return true;
}

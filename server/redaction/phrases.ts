/** An odd number that spreads well, of a well-known linear congruential generator. */
const BASE = 1_664_525;

/** Polynomial, modulo 2^32. */
export function hashOf(letters: string): number {
	let hash = 0;
	for (let at = 0; at < letters.length; at++) hash = (Math.imul(hash, BASE) + letters.charCodeAt(at) + 1) | 0;
	return hash;
}

/** The {@link hashOf} each range of a stream, in constant time after one pass over it. */
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

	of(start: number, end: number): number {
		return ((this.#before[end] ?? 0) - Math.imul(this.#before[start] ?? 0, this.#powers[end - start] ?? 0)) | 0;
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
	/** How it has to be written. */
	readonly forms: readonly RegExp[];
	/** The length of the first word of a name, behind which others may stand; or 0. */
	readonly opening: number;
}

/** Of an entry as it stands. */
export const CERTAIN: Meaning = { certainty: 'certain', forms: [], opening: 0 };

/** Letters that a text may repeat. */
export interface Phrase {
	readonly letters: string;
	/** Where its entry stands. */
	line: number;
	meaning: Meaning;
	/** Another one with the same hash. */
	readonly next: Phrase | undefined;
}

/** Of so many units a phrase's head is made. */
export const HEAD = 4;

/** Phrases, each once. */
export class PhraseTable {
	readonly #byHash = new Map<number, Phrase>();
	readonly #lengths = new Set<number>();
	/** Hashes of the first words of names. */
	readonly #openings = new Set<number>();
	/** Whether any begins so: most places of a text are passed over by it. */
	readonly #heads = new Uint8Array(1 << 16);

	/**
	 * Of equal phrases the surest meaning counts, and of these that of the first line.
	 *
	 * @returns whether it is new
	 */
	add(letters: string, line: number, meaning = CERTAIN, hash = hashOf(letters)): boolean {
		const first = this.#byHash.get(hash);
		const known = first && matching(first, letters, 0, letters.length);
		if (meaning.opening > 0) this.#openings.add(hashOf(letters.slice(0, meaning.opening)));
		if (known === undefined) {
			this.#byHash.set(hash, { letters, line, meaning, next: first });
			this.#lengths.add(letters.length);
			if (letters.length >= HEAD) this.#heads[headAt(letters, 0)] = 1;
			return true;
		}
		const more = meaning === known.meaning ? 0 : weightOf(meaning) - weightOf(known.meaning);
		if (more > 0 || (more === 0 && line < known.line)) {
			known.line = line;
			known.meaning = meaning;
		}
		return false;
	}

	/** @param hash of the letters from start to end */
	find(letters: string, start: number, end: number, hash: number): Phrase | undefined {
		const first = this.#byHash.get(hash);
		return first && matching(first, letters, start, end);
	}

	/** Whether a name may begin with a word of that hash, and go on behind others. */
	mayOpen(hash: number): boolean {
		return this.#openings.has(hash);
	}

	/** Whether a phrase of {@link HEAD} or more units may begin at a place. `false` is certain. */
	mayBegin(letters: string, at: number): boolean {
		return this.#heads[headAt(letters, at)] !== 0;
	}

	*phrases(): Generator<Phrase> {
		for (const first of this.#byHash.values()) {
			for (let phrase: Phrase | undefined = first; phrase !== undefined; phrase = phrase.next) yield phrase;
		}
	}

	/** Each once, the longest first. */
	lengths(): number[] {
		return [...this.#lengths].sort((a, b) => b - a);
	}
}

function headAt(letters: string, at: number): number {
	let hash = 0;
	// Behind the end it is NaN, which counts as 0.
	for (let n = at; n < at + HEAD; n++) hash = Math.imul(hash ^ letters.charCodeAt(n), 0x9e3779b1);
	return hash >>> 16;
}

/** Among phrases with one hash. */
function matching(first: Phrase, letters: string, start: number, end: number): Phrase | undefined {
	for (let phrase: Phrase | undefined = first; phrase !== undefined; phrase = phrase.next) {
		if (phrase.letters.length === end - start && letters.startsWith(phrase.letters, start)) return phrase;
	}
	return undefined;
}

function weightOf({ certainty, forms, opening }: Meaning): number {
	return (certainty === 'certain' ? 4 : 0) + (forms.length === 0 ? 2 : 0) + (opening === 0 ? 0 : 1);
}

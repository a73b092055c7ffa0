/** The multiplier of a well-known linear congruential generator; odd, so that values spread. */
const BASE = 1_664_525;

/** A polynomial hash, modulo 2^32. */
export function hashOf(letters: string): number {
	let hash = 0;
	for (let at = 0; at < letters.length; at++) hash = (Math.imul(hash, BASE) + letters.charCodeAt(at) + 1) | 0;
	return hash;
}

/** Hashes of all ranges of a stream, as {@link hashOf}: one pass, then constant time for each range. */
export class RangeHashes {
	readonly #before: Int32Array;
	readonly #powers: Int32Array;

	constructor(stream: Uint16Array) {
		const before = new Int32Array(stream.length + 1);
		const powers = new Int32Array(stream.length + 1).fill(1);
		// An index: an iterator takes longer than all the rest.
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

/** Maximum letters of a name's first word, and of the names that can stand behind it. */
export const MAX_OPENING = 20;
export const MAX_BETWEEN = 16;

export type Certainty = 'certain' | 'likely';

/** What a repetition of a phrase means. */
export interface Meaning {
	/** `likely`: a rare part of an entry, or a form that can mean something else. */
	readonly certainty: Certainty;
	/** The text as written must match all of these. */
	readonly forms: readonly RegExp[];
	/** Length of a name's first word, behind which other names can stand; or 0. */
	readonly opening: number;
}

/** An entry as it is written in the file. */
export const CERTAIN: Meaning = { certainty: 'certain', forms: [], opening: 0 };

/** Folded letters to look for. */
export interface Phrase {
	readonly letters: string;
	/** The entry's line, counted from 1. */
	line: number;
	meaning: Meaning;
	/** Another phrase with the same hash. */
	readonly next: Phrase | undefined;
}

/** Length of a phrase's head, in units. */
export const HEAD_LENGTH = 4;

/** A set of phrases. */
export class PhraseTable {
	readonly #byHash = new Map<number, Phrase>();
	readonly #lengths = new Set<number>();
	/** Hashes of names' first words. */
	readonly #openings = new Set<number>();
	/** 1 if a phrase's head has this hash. Most offsets of a text are skipped by this. */
	readonly #heads = new Uint8Array(1 << 16);

	/**
	 * If the phrase is known, the stronger meaning wins, then the earlier line.
	 *
	 * @returns whether the phrase is new
	 */
	add(letters: string, line: number, meaning = CERTAIN, hash = hashOf(letters)): boolean {
		const first = this.#byHash.get(hash);
		const known = first && matching(first, letters, 0, letters.length);
		if (meaning.opening > 0) this.#openings.add(hashOf(letters.slice(0, meaning.opening)));
		if (known === undefined) {
			this.#byHash.set(hash, { letters, line, meaning, next: first });
			this.#lengths.add(letters.length);
			if (letters.length >= HEAD_LENGTH) this.#heads[headAt(letters, 0)] = 1;
			return true;
		}
		const more = meaning === known.meaning ? 0 : weightOf(meaning) - weightOf(known.meaning);
		if (more > 0 || (more === 0 && line < known.line)) {
			known.line = line;
			known.meaning = meaning;
		}
		return false;
	}

	/** @param hash the hash of the letters from start to end */
	find(letters: string, start: number, end: number, hash: number): Phrase | undefined {
		const first = this.#byHash.get(hash);
		return first && matching(first, letters, start, end);
	}

	/** Whether a name can start with a word of this hash and continue behind other names. */
	mayOpen(hash: number): boolean {
		return this.#openings.has(hash);
	}

	/** Whether a phrase of at least {@link HEAD_LENGTH} units may begin at an offset. `false` is certain. */
	mayBegin(letters: string, at: number): boolean {
		return this.#heads[headAt(letters, at)] !== 0;
	}

	*phrases(): Generator<Phrase> {
		for (const first of this.#byHash.values()) {
			for (let phrase: Phrase | undefined = first; phrase !== undefined; phrase = phrase.next) yield phrase;
		}
	}

	/** Distinct lengths, the longest first. */
	lengths(): number[] {
		return [...this.#lengths].sort((a, b) => b - a);
	}
}

function headAt(letters: string, at: number): number {
	let hash = 0;
	// charCodeAt() gives NaN behind the end, which counts as 0.
	for (let n = at; n < at + HEAD_LENGTH; n++) hash = Math.imul(hash ^ letters.charCodeAt(n), 0x9e3779b1);
	return hash >>> 16;
}

/** The phrase with these letters among those with the same hash. */
function matching(first: Phrase, letters: string, start: number, end: number): Phrase | undefined {
	for (let phrase: Phrase | undefined = first; phrase !== undefined; phrase = phrase.next) {
		if (phrase.letters.length === end - start && letters.startsWith(phrase.letters, start)) return phrase;
	}
	return undefined;
}

function weightOf({ certainty, forms, opening }: Meaning): number {
	return (certainty === 'certain' ? 4 : 0) + (forms.length === 0 ? 2 : 0) + (opening === 0 ? 0 : 1);
}

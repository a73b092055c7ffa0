import { ASCII_KINDS, type FoldedCodePoint, foldCodePoint, KIND } from './code-points.ts';
import { REFERENCE, tokenAt } from './tokens.ts';

/** How two neighbours of the stream are parted in the text. */
export const BOUNDARY = {
	none: 0,
	/** `janeDoe`: a lower-case letter, then an upper-case one. */
	inWord: 1,
	/** Separators stand between them, or one of them is a word of its own. */
	words: 2,
} as const;

/** A text reduced to its letters and digits. All offsets are in UTF-16 code units. */
export interface FoldedText {
	/** Folded letters and digits, without separators; 0 stands for a reference such as `[context:L12]`. */
	readonly stream: Uint16Array;
	/** For each unit of the stream, where its character starts in the text. */
	readonly starts: Int32Array;
	/** And where it ends, with its accents. */
	readonly ends: Int32Array;
	/** For each place in the stream, its end included, the `BOUNDARY` before it. */
	readonly boundaries: Uint8Array;
	/** For each offset in the text, its end included, how much of the stream comes before it. */
	readonly streamAt: Int32Array;
}

/**
 * Folds a text, code point by code point, see `foldCodePoint`. Letters (`\p{L}`) and numbers (`\p{N}`) are kept, all
 * else separates words: white space, line breaks, punctuation, the marks of Markdown. Character references are read
 * as what they stand for.
 *
 * @param keep whether references such as `[context:L12]` are kept apart from all words, or are text as any other
 */
export function fold(text: string, keep: 'references' | 'nothing'): FoldedText {
	const folded = new Folded(text.length);
	const known = new Map<number, FoldedCodePoint>();
	for (let at = 0; at < text.length; ) {
		let code = text.charCodeAt(at);
		let end = at + 1;
		if (code === 0x26 || code === 0x3c || code === 0x5b) {
			const token = tokenAt(text, at);
			if (token !== undefined && (token.code !== REFERENCE || keep === 'references')) ({ code, end } = token);
		} else if (code >= 0xd800 && code <= 0xdbff) {
			code = text.codePointAt(at) ?? code;
			if (code > 0xffff) end = at + 2;
		}
		if (code === REFERENCE) folded.addReference(at, end);
		else if (code < 0x80) folded.addAscii(code, at, end);
		else {
			const codePoint = known.get(code) ?? foldCodePoint(code);
			known.set(code, codePoint);
			folded.add(codePoint, at, end);
		}
		at = end;
	}
	return folded.finish();
}

class Folded {
	#stream: Uint16Array;
	#starts: Int32Array;
	#ends: Int32Array;
	#boundaries: Uint8Array;
	readonly #streamAt: Int32Array;
	#length = 0;
	#parted = true;
	#last: number = KIND.separator;

	constructor(textLength: number) {
		this.#stream = new Uint16Array(textLength);
		this.#starts = new Int32Array(textLength);
		this.#ends = new Int32Array(textLength);
		this.#boundaries = new Uint8Array(textLength + 1);
		this.#streamAt = new Int32Array(textLength + 1);
	}

	addAscii(code: number, start: number, end: number): void {
		const kind = ASCII_KINDS[code] ?? KIND.separator;
		this.#streamAt[start] = this.#length;
		if (kind === KIND.separator) this.#parted = true;
		else {
			this.#begin(kind);
			this.#put(kind === KIND.upper ? code + 32 : code, start, end);
		}
		this.#skip(start, end);
	}

	add({ kind, units }: FoldedCodePoint, start: number, end: number): void {
		this.#streamAt[start] = this.#length;
		if (kind === KIND.separator) this.#parted = true;
		else if (kind === KIND.mark && !this.#parted) this.#ends[this.#length - 1] = end;
		else if (units.length > 0) {
			this.#begin(kind);
			for (const unit of units) this.#put(unit, start, end);
		}
		this.#skip(start, end);
	}

	addReference(start: number, end: number): void {
		this.#streamAt[start] = this.#length;
		this.#parted = true;
		this.#begin(KIND.separator);
		this.#put(0, start, end);
		this.#parted = true;
		this.#skip(start, end);
	}

	finish(): FoldedText {
		this.#boundaries[this.#length] = BOUNDARY.words;
		this.#streamAt[this.#streamAt.length - 1] = this.#length;
		return {
			stream: this.#stream.slice(0, this.#length),
			starts: this.#starts.subarray(0, this.#length),
			ends: this.#ends.subarray(0, this.#length),
			boundaries: this.#boundaries.subarray(0, this.#length + 1),
			streamAt: this.#streamAt,
		};
	}

	#begin(kind: number): void {
		let boundary: number = BOUNDARY.none;
		const goesOn = kind === KIND.syllable || kind === this.#last;
		if (this.#parted || kind === KIND.word || (this.#last >= KIND.word && !goesOn)) boundary = BOUNDARY.words;
		else if (kind === KIND.upper && this.#last === KIND.lower) boundary = BOUNDARY.inWord;
		this.#boundaries[this.#length] = boundary;
		this.#parted = false;
		this.#last = kind;
	}

	#put(unit: number, start: number, end: number): void {
		if (this.#length === this.#stream.length) this.#grow();
		this.#stream[this.#length] = unit;
		this.#starts[this.#length] = start;
		this.#ends[this.#length] = end;
		this.#length++;
	}

	/** What stands within a character comes after it. */
	#skip(start: number, end: number): void {
		for (let at = start + 1; at < end; at++) this.#streamAt[at] = this.#length;
	}

	/** Rare: only where characters fold to more units than they have, such as `ﬁ`. */
	#grow(): void {
		const length = this.#length * 2;
		const enlarge = <T extends Uint8Array | Uint16Array | Int32Array>(larger: T, from: T): T => {
			larger.set(from);
			return larger;
		};
		this.#stream = enlarge(new Uint16Array(length), this.#stream);
		this.#starts = enlarge(new Int32Array(length), this.#starts);
		this.#ends = enlarge(new Int32Array(length), this.#ends);
		this.#boundaries = enlarge(new Uint8Array(length + 1), this.#boundaries);
	}
}

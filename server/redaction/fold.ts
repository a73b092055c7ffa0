import { type FoldedCodePoint, foldCodePoint, KIND } from './code-points.ts';
import { REFERENCE, tokenAt } from './tokens.ts';

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
	readonly letters: string;
	/** For each unit of the stream, the start of its character in the text. */
	readonly starts: readonly number[];
	/** Its end, with its accents. */
	readonly ends: readonly number[];
	/** For each place in the stream, its end included. */
	readonly boundaries: readonly number[];
	/** For each offset in the text, its end included, the length of the stream before it. */
	readonly streamAt: Int32Array;
}

const FOLDED_REFERENCE: FoldedCodePoint = { kind: KIND.word, units: [0] };

/**
 * Keeps letters (`\p{L}`) and numbers (`\p{N}`), character references as the characters that they stand for; all else
 * separates words.
 *
 * @param keep whether references such as `[context:L12]` are kept apart from all words, or are text as any other
 */
export function foldText(text: string, keep: 'references' | 'nothing'): FoldedText {
	const stream: number[] = [];
	const starts: number[] = [];
	const ends: number[] = [];
	const boundaries: number[] = [];
	const streamAt = new Int32Array(text.length + 1);
	const known: FoldedCodePoint[] = [];
	let isParted = true;
	let last: number = KIND.separator;
	for (let at = 0, end: number; at < text.length; at = end) {
		let code = text.codePointAt(at) ?? 0;
		end = at + (code > 0xffff ? 2 : 1);
		const token = tokenAt(text, at);
		if (token !== undefined && (token.code !== REFERENCE || keep === 'references')) ({ code, end } = token);
		const folded = known[code] ?? (code === REFERENCE ? FOLDED_REFERENCE : foldCodePoint(code));
		known[code] = folded;
		const { kind, units } = folded;
		streamAt[at] = stream.length;
		if (kind === KIND.separator) isParted = true;
		else if (kind === KIND.mark && !isParted) ends[ends.length - 1] = end;
		else if (units.length > 0) {
			const goesOn = kind === KIND.syllable || kind === last;
			const isWord = isParted || kind === KIND.word || (last >= KIND.word && !goesOn);
			const isInWord = kind === KIND.upper && last === KIND.lower;
			let boundary: number = isWord ? BOUNDARY.words : isInWord ? BOUNDARY.inWord : BOUNDARY.none;
			for (const unit of units) {
				stream.push(unit);
				starts.push(at);
				ends.push(end);
				boundaries.push(boundary);
				boundary = BOUNDARY.none;
			}
			isParted = code === REFERENCE;
			last = kind;
		}
		for (let within = at + 1; within < end; within++) streamAt[within] = stream.length;
	}
	boundaries.push(BOUNDARY.words);
	streamAt[text.length] = stream.length;
	const units = new Uint16Array(stream);
	return { stream: units, letters: Buffer.from(units.buffer).toString('utf16le'), starts, ends, boundaries, streamAt };
}

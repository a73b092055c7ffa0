import { type FoldedCodePoint, foldCodePoint, KIND } from './code-points.ts';
import { CALLING_CODE, type EscapesAs, matchAt, REFERENCE, tokenAt } from './tokens.ts';

export const BOUNDARY = {
	none: 0,
	/** `janeDoe`: between a lower-case and an upper-case letter. */
	inWord: 1,
	/** Separators stand here, or a letter beside it is a word of its own. */
	words: 2,
} as const;

/** A text reduced to its letters and digits. All offsets are UTF-16 code units. */
export interface FoldedText {
	/** Folded letters and digits without separators. 0 stands for a reference such as `[context:L12]`. */
	readonly stream: Uint16Array;
	readonly letters: string;
	/** For each unit of the stream, its character's start in the text. */
	readonly starts: Int32Array;
	/** For each unit of the stream, its character's end, accents included. */
	readonly ends: Int32Array;
	/** For each offset in the stream, its end included. */
	readonly boundaries: Uint8Array;
	/** For each offset in the text, its end included, the stream's length before it. */
	readonly streamAt: Int32Array;
}

const PLUS = 0x2b;

const T = 0x54;

/** `T12:30` in a timestamp: the date before it is a separate word. */
const TIME = /(?<=\d)T\d\d:?\d\d/y;

const FOLDED_REFERENCE: FoldedCodePoint = { kind: KIND.word, units: [0] };

/**
 * Keeps letters (`\p{L}`) and numbers (`\p{N}`), and decodes escapes. Everything else separates words.
 *
 * @param keep whether references such as `[context:L12]` stand apart from all words, or are ordinary text
 * @throws RangeError if a text folds to more letters than expected
 */
export function foldText(text: string, keep: 'references' | 'nothing', escapesAs: EscapesAs = 'letters'): FoldedText {
	// A letter has at most three letters in another case. Typed arrays are four times as fast as plain ones.
	const capacity = 3 * text.normalize('NFKD').length + 1;
	const stream = new Uint16Array(capacity);
	const starts = new Int32Array(capacity);
	const ends = new Int32Array(capacity);
	const boundaries = new Uint8Array(capacity);
	let length = 0;
	const streamAt = new Int32Array(text.length + 1);
	const known: FoldedCodePoint[] = [];
	let isParted = true;
	let last: number = KIND.separator;
	/** Offset behind a calling code, or behind a timestamp's date: the rest is a word of its own. */
	let afterCode = -1;
	for (let at = 0, end: number; at < text.length; at = end) {
		let code = text.codePointAt(at) ?? 0;
		end = at + (code > 0xffff ? 2 : 1);
		const token = tokenAt(text, at, escapesAs);
		if (token !== undefined && (token.code !== REFERENCE || keep === 'references')) ({ code, end } = token);
		const folded = known[code] ?? (code === REFERENCE ? FOLDED_REFERENCE : foldCodePoint(code));
		known[code] = folded;
		const { kind, units } = folded;
		streamAt[at] = length;
		if (code === PLUS && matchAt(CALLING_CODE, text, end)) afterCode = CALLING_CODE.lastIndex;
		if (code === T && matchAt(TIME, text, at)) afterCode = at;
		if (kind === KIND.separator) isParted = true;
		else if (kind === KIND.mark && !isParted) ends[length - 1] = end;
		else if (units.length > 0) {
			const goesOn = kind === KIND.syllable || kind === last;
			const isWord = isParted || at === afterCode || kind === KIND.word || (last >= KIND.word && !goesOn);
			const isInWord = kind === KIND.upper && last === KIND.lower;
			let boundary: number = isWord ? BOUNDARY.words : isInWord ? BOUNDARY.inWord : BOUNDARY.none;
			for (const unit of units) {
				stream[length] = unit;
				starts[length] = at;
				ends[length] = end;
				boundaries[length++] = boundary;
				boundary = BOUNDARY.none;
			}
			isParted = code === REFERENCE;
			last = kind;
		}
		for (let within = at + 1; within < end; within++) streamAt[within] = length;
	}
	if (length >= capacity) throw new RangeError('A text has more letters than expected');
	boundaries[length] = BOUNDARY.words;
	streamAt[text.length] = length;
	const units = stream.slice(0, length);
	return {
		stream: units,
		letters: Buffer.from(units.buffer).toString('utf16le'),
		starts: starts.subarray(0, length),
		ends: ends.subarray(0, length),
		boundaries: boundaries.subarray(0, length + 1),
		streamAt,
	};
}

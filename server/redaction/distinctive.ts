import { BOUNDARY, type FoldedText } from './fold.ts';
import { isAddress, isCapitalised } from './identifiers.ts';
import { isAlwaysCapitalised, isFieldWord, isOrdinaryWord } from './words.ts';

interface Word {
	readonly text: string;
	readonly isCapitalised: boolean;
	/** Whether it continues a word that starts in lower case: `Name` in `userName`. */
	readonly isCamelCase: boolean;
}

/** No longer word is in a list. */
const MAX_ORDINARY_LENGTH = 24;

/** Korean vowels and final consonants in decomposed text: not letters of their own. */
const CONTINUING = /[\u1160-\u11ff]/g;

const SMALL_NUMBER = /^\d{1,3}$/;

/** A text as written and folded. The ranges below are ranges of the folded stream. */
export interface WrittenText {
	readonly text: string;
	readonly folded: FoldedText;
}

/**
 * Whether a part of a file differs from what anyone writes. Not distinctive: one or two letters (one in a script without
 * case), three digits, `30 days`, up to `most` ordinary words without a name's capitals, and words that name a field
 * (`Customer Number`). An address always is.
 */
export function isDistinctive(file: WrittenText, start: number, end: number, most: number): boolean {
	if (isShort(file, start, end)) return false;
	const words = wordsOf(file, start, end, most);
	if (words === undefined || isAddress(asWritten(file, start, end))) return true;
	const other = words.find(({ text }) => !isOrdinaryWord(text));
	if (other !== undefined) return words.length !== 2 || !SMALL_NUMBER.test(other.text) || !words.some(isCounted);
	return hasNameCapitals(words) && !words.every(({ text }) => isFieldWord(text));
}

/** Whether the text before a colon is an identifier, as in `Jane Doe: accounting`, rather than the name of a field. */
export function isIdentifierKey(file: WrittenText, start: number, end: number): boolean {
	if (isShort(file, start, end)) return false;
	const written = asWritten(file, start, end);
	if (written.length < 200 && (isAddress(written) || /\p{N}{4}/u.test(written))) return true;
	const words = wordsOf(file, start, end, 3);
	if (words === undefined || words.length < 2 || !words.every((word) => word.isCapitalised)) return false;
	return words.some((word) => !isOrdinaryWord(word.text));
}

function isShort(file: WrittenText, start: number, end: number): boolean {
	if (end - start > 12) return false;
	const letters = file.folded.letters.slice(start, end);
	const length = letters.replace(CONTINUING, '').length;
	if (/^\d*$/.test(letters)) return length < 4;
	if (length !== 2) return length < 3;
	return !/\p{Lo}/u.test(asWritten(file, start, end).normalize('NFKD'));
}

function wordsOf({ text, folded }: WrittenText, start: number, end: number, most: number): Word[] | undefined {
	const { letters, starts, boundaries } = folded;
	const words: Word[] = [];
	for (let from = start, to: number; from < end; from = to) {
		to = from + 1;
		while (to < end && boundaries[to] === BOUNDARY.none) to++;
		if (words.length === most || to - from > MAX_ORDINARY_LENGTH) return undefined;
		const before = boundaries[from] === BOUNDARY.inWord ? words.at(-1) : undefined;
		const at = starts[from] ?? 0;
		words.push({
			text: letters.slice(from, to),
			isCapitalised: isCapitalised(text.slice(at, at + 2)),
			isCamelCase: before !== undefined && (before.isCamelCase || !before.isCapitalised),
		});
	}
	return words;
}

function asWritten({ text, folded }: WrittenText, start: number, end: number): string {
	return text.slice(folded.starts[start], folded.ends[end - 1]);
}

function isCounted({ text, isCapitalised }: Word): boolean {
	return isFieldWord(text) || (isOrdinaryWord(text) && !isCapitalised);
}

/** Sentence case has a capital only at the first word. A name has more. */
function hasNameCapitals(words: readonly Word[]): boolean {
	return words.some(
		({ text, isCapitalised, isCamelCase }, at) => at > 0 && isCapitalised && !isCamelCase && !isAlwaysCapitalised(text),
	);
}

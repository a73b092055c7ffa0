import { isOrdinaryWord } from './words.ts';

/** A longer sequence is found as a run of words. */
const MAX_WORDS = 6;

/** The fewest digits of a telephone number or a full date. */
const LONG_NUMBER = 7;

/** In UTF-16 code units. A longer word is not an identifier. */
const MAX_WORD_LENGTH = 200;

/** A name that ends so is a file name, not a host name. */
const FILE_EXTENSION =
	/\.(?:bat|c|cfg|conf|cpp|cs|css|csv|docx?|env|gif|go|html?|ico|ini|ipynb|java|jpe?g|jsx?|json|kt|lock|log|md|mjs|pdf|php|png|ps1|py|rb|rs|sh|sql|svg|tar|toml|tsx?|txt|xlsx?|xml|ya?ml|zip)$/i;

const BETWEEN_LETTERS = /\p{L}\.\p{L}/u;

interface Word {
	readonly start: number;
	readonly end: number;
	readonly text: string;
	readonly isCapitalised: boolean;
	readonly digits: number;
}

/** Whether a text has the form of an e-mail address, a URL, or a host name such as `mail.example`. */
export function isAddress(written: string): boolean {
	if (!/[.@:]/.test(written) || /\s/.test(written)) return false;
	return /@|:\/\//.test(written) || (BETWEEN_LETTERS.test(written) && !FILE_EXTENSION.test(written));
}

/**
 * Reports addresses, words of letters with three or more digits, and numbers of seven or more digits. Also capitalised words
 * of which one is not ordinary or that stand with a number, with and without ordinary words before them: `Call Jane Doe`.
 */
export function readIdentifiers(
	text: string,
	start: number,
	end: number,
	report: (from: number, to: number) => void,
): void {
	let together: Word[] = [];
	const endName = () => {
		if (together.length > 1 || (together[0]?.digits ?? 0) >= LONG_NUMBER) reportNames(together, report);
		together = [];
	};
	for (let from = start, to: number; from < end; from = to + 1) {
		to = from;
		while (to < end && text.charCodeAt(to) > 0x20) to++;
		const word = wordOf(text, from, to);
		if (word === undefined) continue;
		if (word.end - word.start > 3 && isIdentifier(word)) report(word.start, word.end);
		if (word.start > from && text[from] !== '+') endName();
		if (word.isCapitalised || word.digits > 0) together.push(word);
		else endName();
		// The dot of `J. Doe` does not end a sentence.
		if (word.end < to && !(text[word.end] === '.' && to === word.end + 1 && word.text.length < 3)) endName();
	}
	endName();
}

function reportNames(words: readonly Word[], report: (from: number, to: number) => void): void {
	const last = words.at(-1);
	if (last === undefined || words.length > MAX_WORDS) return;
	for (const [at, word] of words.entries()) {
		const rest = words.slice(at);
		const capitalised = rest.filter(({ isCapitalised }) => isCapitalised).length;
		const digits = rest.reduce((sum, { digits }) => sum + digits, 0);
		const isName = capitalised > 1 && (digits > 0 || !rest.every(isOrdinary));
		if (isName || digits >= LONG_NUMBER) report(word.start, last.end);
		if (!isOrdinary(word)) return;
	}
}

function isOrdinary({ text }: Word): boolean {
	return isOrdinaryWord(text.toLowerCase());
}

function isIdentifier({ text, digits }: Word): boolean {
	return (digits >= 3 && digits < text.length && /\p{L}/u.test(text)) || isAddress(text);
}

function wordOf(text: string, from: number, to: number): Word | undefined {
	let [start, end] = [from, to];
	while (start < end && !isInWord(text.charCodeAt(start))) start++;
	while (end > start && !isInWord(text.charCodeAt(end - 1))) end--;
	if (start === end || end - start > MAX_WORD_LENGTH) return undefined;
	const word = text.slice(start, end);
	const digits = word.match(/[0-9]/g)?.length ?? 0;
	return { start, end, text: word, isCapitalised: isCapitalised(word), digits };
}

export function isCapitalised(text: string): boolean {
	return /^[\p{Lu}\p{Lt}]/u.test(text);
}

/** Every non-ASCII character counts as a letter. It only affects the punctuation around a word. */
function isInWord(code: number): boolean {
	const letter = code | 0x20;
	return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x7a) || code >= 0x80;
}

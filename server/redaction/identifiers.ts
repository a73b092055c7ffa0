import { isOrdinaryWord } from './ordinary-words.ts';

/** More words than this are found as a run. */
const MOST_WORDS = 6;

/** As many digits as a telephone number or a full date has. */
const LONG_NUMBER = 7;

/** File names are no host names. */
const FILE_EXTENSION =
	/\.(?:bat|c|cfg|conf|cpp|cs|css|csv|docx?|env|gif|go|html?|ico|ini|ipynb|java|jpe?g|jsx?|json|kt|lock|log|md|mjs|pdf|php|png|ps1|py|rb|rs|sh|sql|svg|tar|toml|tsx?|txt|xlsx?|xml|ya?ml|zip)$/i;

const BETWEEN_LETTERS = /\p{L}\.\p{L}/u;

/** A word as far as white space, without the punctuation around it. */
interface Word {
	readonly start: number;
	readonly end: number;
	readonly text: string;
	readonly isCapitalised: boolean;
	readonly digits: number;
}

/** Whether words are an address by their form: an e-mail address, a URL, or a host name such as `mail.example`. */
export function isAddress(written: string): boolean {
	if (!/[.@:]/.test(written) || /\s/.test(written)) return false;
	return (
		written.includes('@') || written.includes('://') || (BETWEEN_LETTERS.test(written) && !FILE_EXTENSION.test(written))
	);
}

/**
 * Finds what looks like an identifier within a sentence: addresses, a word of letters and three or more digits,
 * numbers of seven or more digits, and two or more capitalised words one of which is not ordinary, or that stand with
 * a number. Such words are told with and without ordinary words that they start with: `Call Jane Doe`, `Jane Doe`.
 *
 * @param tell takes ranges of the text, in UTF-16 code units
 */
export function readIdentifiers(
	text: string,
	start: number,
	end: number,
	tell: (from: number, to: number) => void,
): void {
	let together: Word[] = [];
	const tellTogether = () => {
		if (together.length > 1 || (together[0]?.digits ?? 0) >= LONG_NUMBER) tellNames(together, tell);
		together = [];
	};
	for (let from = start, to: number; from < end; from = to + 1) {
		to = from;
		while (to < end && text.charCodeAt(to) > 0x20) to++;
		if (to === from) continue;
		const word = wordOf(text, from, to);
		if (word === undefined) continue;
		if (word.end - word.start > 3 && isIdentifier(word)) tell(word.start, word.end);
		if (word.start > from && text[from] !== '+') tellTogether();
		if (word.isCapitalised || word.digits > 0) together.push(word);
		else tellTogether();
		// The dot of `J. Doe` ends no sentence.
		if (word.end < to && !(text[word.end] === '.' && to === word.end + 1 && word.text.length < 3)) tellTogether();
	}
	tellTogether();
}

function tellNames(words: readonly Word[], tell: (from: number, to: number) => void): void {
	const last = words.at(-1);
	if (last === undefined || words.length > MOST_WORDS) return;
	for (const [at, word] of words.entries()) {
		const rest = words.slice(at);
		const capitalised = rest.filter(({ isCapitalised }) => isCapitalised).length;
		const digits = rest.reduce((sum, { digits }) => sum + digits, 0);
		const isName = capitalised > 1 && (digits > 0 || !rest.every(isOrdinary));
		if (isName || digits >= LONG_NUMBER) tell(word.start, last.end);
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
	let start = from;
	let end = to;
	while (start < end && !isInWord(text.charCodeAt(start))) start++;
	while (end > start && !isInWord(text.charCodeAt(end - 1))) end--;
	if (start === end || end - start > 200) return undefined;
	const word = text.slice(start, end);
	let digits = 0;
	for (let at = start; at < end; at++) if (isDigit(text.charCodeAt(at))) digits++;
	const first = word.charCodeAt(0);
	const isCapitalised = first < 0x80 ? first >= 0x41 && first <= 0x5a : /^[\p{Lu}\p{Lt}]/u.test(word);
	return { start, end, text: word, isCapitalised, digits };
}

function isDigit(code: number): boolean {
	return code >= 0x30 && code <= 0x39;
}

/** All that is not ASCII counts as letters; this decides only how much of the punctuation around a word is left out. */
function isInWord(code: number): boolean {
	return isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code >= 0x80;
}

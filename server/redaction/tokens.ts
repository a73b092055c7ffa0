/** A piece of text that stands for one character, or for none. */
export interface Token {
	/** The offset behind it. */
	readonly end: number;
	/** A code point, or one of the two below. */
	readonly code: number;
}

/** The code of a token that stands between words. */
export const BLANK = 0x20;

/** The code of a token that nothing is compared across: a reference that the answer holds already. */
export const REFERENCE = -1;

const CHARACTER_REFERENCE = /&(?:nbsp|amp|lt|gt|quot|apos|#(?:\d{1,7}|[xX][\da-fA-F]{1,6}));/y;

/** Tags without attributes only: what stands in other angle brackets is text, such as an address. */
const FORMATTING_TAG = /<\/?(?:b|br|code|del|em|i|ins|kbd|li|p|s|small|span|strong|sub|sup|td|th|tr|u|wbr) ?\/?>/iy;

const CONTEXT_REFERENCE = /\[context:L\d{1,9}\]/y;

/** The text that stands in place of a passage. @param line counted from 1 */
export function referenceTo(line: number): string {
	return `[context:L${line}]`;
}

/**
 * The token at an offset: a character reference (the six names that Markdown writers use, and all numeric ones), a
 * formatting tag, or a reference such as `[context:L12]`.
 *
 * @returns undefined where there is none
 */
export function tokenAt(text: string, at: number): Token | undefined {
	switch (text[at]) {
		case '&':
			return characterReference(text, at);
		case '<':
			return token(FORMATTING_TAG, text, at, BLANK);
		case '[':
			return token(CONTEXT_REFERENCE, text, at, REFERENCE);
		default:
			return undefined;
	}
}

function token(pattern: RegExp, text: string, at: number, code: number): Token | undefined {
	pattern.lastIndex = at;
	return pattern.test(text) ? { end: pattern.lastIndex, code } : undefined;
}

function characterReference(text: string, at: number): Token | undefined {
	const found = token(CHARACTER_REFERENCE, text, at, BLANK);
	if (found === undefined || text[at + 1] !== '#') return found;
	const digits = text.slice(at + 2, found.end - 1);
	const code = /^[xX]/.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 10);
	return code <= 0x10ffff ? { end: found.end, code } : undefined;
}

export interface Token {
	readonly end: number;
	/** A code point, or `REFERENCE`. */
	readonly code: number;
}

const BLANK = 0x20;

/** The code of a reference that the answer holds already: nothing is compared across it. */
export const REFERENCE = -1;

const CHARACTER_REFERENCE = /&(?:nbsp|amp|lt|gt|quot|apos|#(?:(\d{1,7})|[xX]([\da-fA-F]{1,6})));/y;

/** Tags without attributes only: other angle brackets hold text, such as an address. */
const FORMATTING_TAG = /<\/?(?:b|br|code|del|em|i|ins|kbd|li|p|s|small|span|strong|sub|sup|td|th|tr|u|wbr) ?\/?>/iy;

const CONTEXT_REFERENCE = /\[context:L\d{1,9}\]/y;

/** The text that stands in place of a passage. @param line counted from 1 */
export function referenceTo(line: number): string {
	return `[context:L${line}]`;
}

/** A character reference, a formatting tag, or a reference such as `[context:L12]`, if one begins at an offset. */
export function tokenAt(text: string, at: number): Token | undefined {
	switch (text[at]) {
		case '&':
			return characterReference(text, at);
		case '<':
			return matchAt(FORMATTING_TAG, text, at) && { end: FORMATTING_TAG.lastIndex, code: BLANK };
		case '[':
			return matchAt(CONTEXT_REFERENCE, text, at) && { end: CONTEXT_REFERENCE.lastIndex, code: REFERENCE };
		default:
			return undefined;
	}
}

function characterReference(text: string, at: number): Token | undefined {
	const found = matchAt(CHARACTER_REFERENCE, text, at);
	if (found === undefined) return undefined;
	const [, decimal, hexadecimal] = found;
	const digits = decimal ?? hexadecimal;
	const code = digits === undefined ? BLANK : Number.parseInt(digits, decimal === undefined ? 16 : 10);
	return code <= 0x10ffff ? { end: CHARACTER_REFERENCE.lastIndex, code } : undefined;
}

/** @param pattern sticky */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
	pattern.lastIndex = at;
	return pattern.exec(text) ?? undefined;
}

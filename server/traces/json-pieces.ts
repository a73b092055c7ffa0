/** A string in a JSON text, without its quotes, or a long number. */
export interface JsonPiece {
	/** Offsets in the text; `end` is exclusive. */
	readonly start: number;
	readonly end: number;
	/** With its escapes resolved. */
	readonly value: string;
	readonly isString: boolean;
}

/** All that can stand between the strings of JSON. */
const BETWEEN = /^[\s{}[\],:\d.+\-eEtrufalsn]*$/;

/** A shorter number is as often a count, a line or a year as a telephone or customer number. */
const LONG_NUMBER = /\d{7,}/g;

/**
 * The strings, keys included, and the long numbers of a JSON text, or of several in a row. The last string may be cut
 * off.
 *
 * @returns undefined if the text is not JSON, or has no string
 */
export function jsonPieces(text: string): JsonPiece[] | undefined {
	if (!/^\s*[{[]/.test(text)) return undefined;
	const pieces: JsonPiece[] = [];
	for (let at = 0; ; ) {
		const quote = text.indexOf('"', at);
		const between = text.slice(at, quote === -1 ? undefined : quote);
		if (!BETWEEN.test(between)) return undefined;
		for (const { 0: value, index } of between.matchAll(LONG_NUMBER)) {
			pieces.push({ start: at + index, end: at + index + value.length, value, isString: false });
		}
		if (quote === -1) return at === 0 ? undefined : pieces;
		const start = quote + 1;
		const end = endOfString(text, start);
		const value = stringOf(text.slice(start, end));
		if (value === undefined) return undefined;
		pieces.push({ start, end, value, isString: true });
		at = end + 1;
		if (at > text.length) return pieces;
	}
}

function endOfString(text: string, start: number): number {
	for (let at = start; ; ) {
		const quote = text.indexOf('"', at);
		if (quote === -1) return text.length;
		let backslashes = 0;
		while (text[quote - 1 - backslashes] === '\\' && quote - backslashes > start) backslashes++;
		if (backslashes % 2 === 0) return quote;
		at = quote + 1;
	}
}

function stringOf(body: string): string | undefined {
	if (!/[\\\n]/.test(body)) return body;
	try {
		return JSON.parse(`"${body}"`) as string;
	} catch {
		return undefined;
	}
}

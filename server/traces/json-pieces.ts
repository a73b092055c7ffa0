/** A string of a JSON text, without its quotes, or a long number. */
export interface JsonPiece {
	/** Where it stands in the text. */
	readonly start: number;
	readonly end: number;
	/** What it stands for. */
	readonly value: string;
	readonly isString: boolean;
}

/** What stands between the strings of JSON. */
const BETWEEN = /^[\s{}[\],:\d.+\-eEtrufalsn]*$/;

/** A shorter number is a count, a line or a year as often as it is a telephone or customer number. */
const LONG_NUMBER = /\d{7,}/g;

/**
 * The strings and long numbers of a JSON text, or of several one after the other, keys included. The last string may be
 * cut off.
 *
 * @returns undefined if it is no JSON, or has no string
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

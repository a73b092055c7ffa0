/** A piece of punctuation, and what it does to the line that it stands in. */
export interface Mark {
	/**
	 * - `cut` ends a part
	 * - `open` and `close` end a part too: they are the square brackets, which can stand around the text of a link
	 * - `key` ends a key
	 * - `bar` ends a table cell
	 * - `quote` ends a part, and opens or closes a quotation or a code span
	 * - `bold` opens or closes bold text
	 */
	readonly mark: 'cut' | 'open' | 'close' | 'key' | 'bar' | 'quote' | 'bold';
	/** In UTF-16 code units. */
	readonly length: number;
}

const BLANK = /\s/;
const IN_WORD = /[\p{L}\p{N}]/u;
const CLOSERS = '*_"\'`”»';

/** What a single character does wherever it stands. */
const ALWAYS = new Map<string, Mark['mark']>([
	...Array.from(',(){}<>—―→⇒·•，；、（）【】「」『』‹›', (cut) => [cut, 'cut'] as const),
	...Array.from('"“”„‟«»', (quote) => [quote, 'quote'] as const),
	['[', 'open'],
	[']', 'close'],
	['|', 'bar'],
	['：', 'key'],
]);

/** What needs a look at its neighbours. */
const SOMETIMES = ";:-–−/='‘’`*";

/** 1 for each character below U+0080 that can be a mark: most are not, and this is asked for each. */
const ASCII_MARKS = Uint8Array.from({ length: 128 }, (_, code) => {
	const character = String.fromCharCode(code);
	return ALWAYS.has(character) || SOMETIMES.includes(character) ? 1 : 0;
});

/**
 * The mark at an offset of a line.
 *
 * @param end of the line
 * @param inCode whether `=` parts without blanks around it, as in `NAME=value`
 * @returns undefined where there is none
 */
export function markAt(text: string, at: number, end: number, inCode: boolean): Mark | undefined {
	const code = text.charCodeAt(at);
	if (code < 0x80 ? ASCII_MARKS[code] === 0 : code < 0xa0) return undefined;
	const character = text.charAt(at);
	const always = ALWAYS.get(character);
	if (always !== undefined) return { mark: always, length: 1 };
	switch (character) {
		case ';':
			return endsCharacterReference(text, at) ? undefined : { mark: 'cut', length: 1 };
		case ':':
			return endsKey(text, at + 1, end) ? { mark: 'key', length: 1 } : undefined;
		case '=':
			return inCode ? { mark: 'cut', length: 1 } : setOff(text, at, end);
		case '-':
		case '–':
		case '−':
		case '/':
			return setOff(text, at, end);
		case "'":
		case '‘':
		case '’':
			if (IN_WORD.test(text.charAt(at - 1)) && IN_WORD.test(text.charAt(at + 1))) return undefined;
			return { mark: 'quote', length: 1 };
		case '`':
			return { mark: 'quote', length: runLength(text, at, end) };
		case '*':
			return text.charAt(at + 1) === '*' ? { mark: 'bold', length: 2 } : undefined;
		default:
			return undefined;
	}
}

/** White space or the end of the line follows a key, after what closes bold text or quotes: not so in a URL or a time. */
function endsKey(text: string, after: number, end: number): boolean {
	let at = after;
	while (at < end && CLOSERS.includes(text.charAt(at))) at++;
	return at >= end || BLANK.test(text.charAt(at));
}

/** These join words too, so they part only with white space on both sides. */
function setOff(text: string, at: number, end: number): Mark | undefined {
	if (at > 0 && !BLANK.test(text.charAt(at - 1))) return undefined;
	const length = runLength(text, at, end);
	return at + length >= end || BLANK.test(text.charAt(at + length)) ? { mark: 'cut', length } : undefined;
}

function runLength(text: string, at: number, end: number): number {
	let after = at + 1;
	while (after < end && text.charAt(after) === text.charAt(at)) after++;
	return after - at;
}

function endsCharacterReference(text: string, at: number): boolean {
	return /&#?\w{1,8}$/.test(text.slice(Math.max(0, at - 10), at));
}

/** How a value is written. Also what begins with a quote is `none` where that quote is not closed as it should be. */
export type Quote = 'none' | 'single' | 'double' | 'backtick';

/** An assignment in an env file. All positions are in UTF-16 code units from the start of the text. */
export interface Assignment {
	readonly name: string;
	/** Without its quotes, escapes replaced. */
	readonly value: string;
	readonly quote: Quote;
	/** Where its first line begins, behind a byte-order mark. */
	readonly start: number;
	/** Behind the line ending of its last line. */
	readonly end: number;
	/** Where the value is written, with its quotes: an empty one directly behind the `=`. */
	readonly valueStart: number;
	readonly valueEnd: number;
}

type Value = Pick<Assignment, 'value' | 'quote' | 'valueStart' | 'valueEnd'>;

const QUOTES: Readonly<Record<string, Quote>> = { "'": 'single', '"': 'double', '`': 'backtick' };

/**
 * All assignments of an env file, in order. Every text is an env file: lines that are no assignment are passed over.
 *
 * Takes time in proportion to the length: a quote is looked for no further than to the next one of its kind.
 */
export function findAssignments(text: string): Assignment[] {
	// Sticky, and made anew for each text since they hold a position.
	const head = /[^\S\r\n]*(?:export[^\S\r\n]+)?([A-Za-z_][A-Za-z0-9_]*)[^\S\r\n]*=/y;
	const found: Assignment[] = [];
	let start = text.startsWith('\ufeff') ? 1 : 0;
	while (start < text.length) {
		head.lastIndex = start;
		const name = head.exec(text)?.[1];
		if (name === undefined) {
			start = nextLine(text, start);
			continue;
		}
		const value = readValue(text, head.lastIndex);
		const end = nextLine(text, value.valueEnd);
		found.push({ name, start, end, ...value });
		start = end;
	}
	return found;
}

/** @param start behind the `=` */
function readValue(text: string, start: number): Value {
	const line = text.slice(start, lineEnd(text, start));
	const opening = start + line.length - line.trimStart().length;
	const quote = QUOTES[text[opening] ?? ''] ?? 'none';
	if (quote === 'none' || opening >= start + line.length) return unquoted(line, start);

	const closing = closingQuote(text, opening);
	if (closing !== undefined && isLastOfLine(text, closing + 1)) {
		const inner = text.slice(opening + 1, closing);
		const value = quote === 'double' ? replaceEscapes(inner) : inner;
		return { value, quote, valueStart: opening, valueEnd: closing + 1 };
	}
	// Never closed, or closed amid another line: whatever the user meant, the lines that follow are not part of it. A `#`
	// is no comment either, as it stands within the quote.
	const isWithinLine = closing !== undefined && closing < start + line.length;
	return isWithinLine ? unquoted(line, start) : asItStands(line, start);
}

/** @param line what follows the `=` on its line */
function unquoted(line: string, start: number): Value {
	const comment = line.search(/[^\S\r\n]#/);
	return asItStands(comment === -1 ? line : line.slice(0, comment), start);
}

function asItStands(written: string, start: number): Value {
	const value = written.trim();
	const valueStart = value === '' ? start : start + written.length - written.trimStart().length;
	return { value, quote: 'none', valueStart, valueEnd: valueStart + value.length };
}

function closingQuote(text: string, opening: number): number | undefined {
	const quote = text[opening] ?? '';
	const hasEscapes = quote === '"';
	for (let index = opening + 1; index < text.length; index++) {
		if (text[index] === quote) return index;
		if (hasEscapes && text[index] === '\\') index++;
	}
	return undefined;
}

/** Whether nothing but blanks and a comment follows. */
function isLastOfLine(text: string, index: number): boolean {
	const rest = text.slice(index, lineEnd(text, index)).trimStart();
	return rest === '' || rest.startsWith('#');
}

/** The escapes of dotenv and of shells together. The backslash of any other one stays. */
function replaceEscapes(inner: string): string {
	return inner.replace(/\\([nrt"\\$`])/g, (_, character: string) => ESCAPED[character] ?? character);
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function lineEnd(text: string, from: number): number {
	let index = from;
	while (index < text.length && text[index] !== '\n' && text[index] !== '\r') index++;
	return index;
}

function nextLine(text: string, from: number): number {
	const end = lineEnd(text, from);
	return text.startsWith('\r\n', end) ? end + 2 : Math.min(end + 1, text.length);
}

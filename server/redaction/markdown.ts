import { readIdentifiers } from './identifiers.ts';
import { matchAt } from './tokens.ts';

/**
 * - `entry`: a whole list item, line, table cell, or value of a key
 * - `span`: text in quotes, backticks or bold; a link's text; an identifier within a sentence
 * - `part`: text between punctuation within an entry
 */
export type UnitKind = 'entry' | 'span' | 'part';

/** Receives ranges in UTF-16 code units. Punctuation can stand at their ends. */
export interface UnitSink {
	unit(kind: UnitKind, start: number, end: number): void;
	label(start: number, end: number): void;
	key(start: number, end: number): void;
}

/** Offsets of a text's lines in UTF-16 code units, and the offset of a line behind the last. */
export function lineStarts(text: string): number[] {
	return [
		0,
		...Array.from(text.matchAll(/\r\n|[\r\n]/g), ({ 0: ending, index }) => index + ending.length),
		text.length + 1,
	];
}

const FENCE = /`{3,}(?=[^`\r\n]*$)|~{3,}/my;
const HEADING = /#{1,6}(?=\s|$)/y;
const FRONT_MATTER = /^\ufeff?---[ \t]*$/;
const FRONT_MATTER_END = /^(?:---|\.\.\.)[ \t]*$/;
const PLAIN = /^\s{0,3}$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const TABLE_DELIMITERS = /^[ \t>|:-]*-[ \t>|:-]*$/;
/** White space, and the marks of quotations, list items and tasks. */
const CONTAINERS = /(?:[ \t]*(?:>|[-*+](?=\s|$)|\d{1,9}[.)](?=\s|$)|\[[ xX]\](?=\s)))*\s*/y;

/** Reports units, labels and keys line by line. Longer text is found by its runs of words. @param starts from `lineStarts` */
export function readMarkdown(text: string, starts: readonly number[], sink: UnitSink): void {
	const reader = new LineReader(text, sink);
	const lineText = (line: number) => text.slice(starts[line], (starts[line + 1] ?? 0) - 1).trimEnd();
	let line = lineText(0);
	let inFrontMatter = FRONT_MATTER.test(line);
	let fence = '';
	for (let number = 0, next: string; number < starts.length - 1; number++, line = next) {
		next = number + 2 < starts.length ? lineText(number + 1) : '';
		const content = matchAt(CONTAINERS, line, 0)?.[0].length ?? 0;
		const read = (kind: LineKind) => reader.read(kind, starts[number] ?? 0, line, content);
		if (content === line.length) {
			reader.endParagraph();
			continue;
		}
		const [mark = ''] = matchAt(FENCE, line, content) ?? [];
		if (fence !== '') {
			if (mark.startsWith(fence) && line.length === content + mark.length) fence = '';
			else read('code');
		} else if (inFrontMatter) {
			if (number > 0 && FRONT_MATTER_END.test(line)) inFrontMatter = false;
			else read('entry');
		} else if (mark !== '') {
			fence = mark;
			reader.endParagraph();
		} else if (matchAt(HEADING, line, content) || (PLAIN.test(line.slice(0, content)) && UNDERLINE.test(next))) {
			read('heading');
		} else {
			read(line.includes('|') && next.includes('|') && TABLE_DELIMITERS.test(next) ? 'header' : 'entry');
		}
	}
}

type LineKind = 'entry' | 'code' | 'header' | 'heading';

/**
 * Punctuation by its function. A mark that can also join words cuts only between white space. A semicolon that ends a
 * character reference does not cut. The colon of a URL or a time does not end a key.
 */
const MARKS =
	/(?<cut>[,(){}<>—―→⇒·•，；、（）【】「」『』‹›]|(?<!&#?\w{1,8});|(?<!\S)(?:-+|–+|−+|\/+|=+)(?!\S))|(?<open>\[)|(?<close>\])|(?<key>：|:(?=[*_"'`”»]*(?:\s|$)))|(?<bar>\|)|(?<quote>["“”„‟«»]|(?<![\p{L}\p{N}])['‘’]|['‘’](?![\p{L}\p{N}])|`+)|(?<bold>\*\*)/gu;

/** The same for code, where `NAME=value` is a key and its value. */
const MARKS_IN_CODE = new RegExp(`(?<equals>=)|${MARKS.source}`, MARKS.flags);

class LineReader {
	readonly #text: string;
	readonly #sink: UnitSink;
	/** For each kind, the end of the last quotation mark. A quotation can continue on the next line. */
	readonly #quotes = new Map<string, number>();
	#kind: LineKind = 'entry';
	#cell = 0;
	#value: number | undefined;
	#part = 0;
	#previousPart = 0;
	#bracket: number | undefined;

	constructor(text: string, sink: UnitSink) {
		this.#text = text;
		this.#sink = sink;
	}

	endParagraph(): void {
		this.#quotes.clear();
	}

	read(kind: LineKind, lineStart: number, line: string, content: number): void {
		const [start, end] = [lineStart + content, lineStart + line.length];
		this.#kind = kind;
		this.#cell = this.#part = start;
		this.#value = this.#bracket = undefined;
		const marks = kind === 'code' ? MARKS_IN_CODE : MARKS;
		marks.lastIndex = content;
		for (const { 0: mark, index, groups = {} } of line.matchAll(marks)) this.#take(mark, groups, lineStart + index);
		this.#endCell(end);
		if (kind === 'entry' || kind === 'code')
			readIdentifiers(this.#text, start, end, (from, to) => this.#report('span', from, to));
		if (kind === 'heading') this.#sink.label(start, end);
		if (kind === 'heading' || kind === 'header') this.endParagraph();
	}

	#take(mark: string, groups: Record<string, string | undefined>, at: number): void {
		const { key, bar, quote, bold, open, close } = groups;
		const end = at + mark.length;
		if (key !== undefined) {
			this.#reportKey(at);
			this.#value ??= end;
			this.#part = end;
		} else if (bar !== undefined) {
			this.#endCell(at);
			this.#cell = this.#part = end;
			this.#value = undefined;
		} else {
			if (quote !== undefined || bold !== undefined) this.#quote(mark, at, end);
			if (bold === undefined) this.#endPart(at, end);
			if (close !== undefined) this.#reportLink(at);
			if (open !== undefined) this.#bracket = end;
		}
	}

	#quote(mark: string, at: number, end: number): void {
		const family = mark.replace(/[“”„‟«»]/, '"').replace(/[‘’]/, "'");
		const open = this.#quotes.get(family);
		// Every range between two marks counts, because it is not certain which mark opens and which closes.
		if (open !== undefined) this.#report('span', open, at);
		this.#quotes.set(family, end);
	}

	/** Reports a link's text as a whole, also with commas in it. @param at the end of the text */
	#reportLink(at: number): void {
		const isLink = /[([]/.test(this.#text.charAt(at + 1));
		if (isLink && this.#bracket !== undefined && this.#kind !== 'heading') this.#report('span', this.#bracket, at);
		this.#bracket = undefined;
	}

	#endPart(at: number, next: number): void {
		if (this.#kind !== 'heading') this.#report('part', this.#part, at);
		this.#previousPart = this.#part;
		this.#part = next;
	}

	#endCell(at: number): void {
		this.#endPart(at, at);
		if (this.#kind === 'heading') return;
		if (this.#kind === 'header') this.#sink.label(this.#cell, at);
		this.#report('entry', this.#cell, at);
		if (this.#value !== undefined) this.#report('entry', this.#value, at);
	}

	#reportKey(at: number): void {
		if (this.#kind === 'heading') return;
		// In `"key": value` the quotation mark has already ended the part.
		const quoted = this.#part === at && /["']/.test(this.#text.charAt(at - 1));
		this.#sink.key(quoted ? this.#previousPart : this.#part, at);
	}

	#report(kind: UnitKind, start: number, end: number): void {
		if (this.#kind !== 'header') this.#sink.unit(kind, start, end);
	}
}

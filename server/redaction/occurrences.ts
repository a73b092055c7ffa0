import { ByteFilter } from './byte-filter.ts';
import { isAddress, readIdentifiers } from './identifiers.ts';
import { lineStarts } from './markdown.ts';
import { type PreparedFile, prepareFile } from './passages.ts';
import { linesIn } from './redact.ts';

/** A private file's entries, prepared for a search in many texts. */
export interface Entries {
	readonly file: PreparedFile;
	readonly byteFilter: () => ByteFilter;
	readonly text: string;
	/** Offsets of the lines' starts. */
	readonly starts: readonly number[];
}

/**
 * `exact`: as written in the private file. `spelling`: in another spelling. `part`: within a longer word, in any spelling.
 * `likely`: a rare part of an entry, such as a surname, or a form that can mean something else.
 */
export type Certainty = 'exact' | 'spelling' | 'part' | 'likely';

/** A range of a text that repeats an entry, in UTF-16 code units. */
export interface Occurrence {
	readonly start: number;
	readonly end: number;
	/** In the private file, counted from 1. */
	readonly line: number;
	readonly certainty: Certainty;
}

export function prepareEntries(text: string): Entries {
	const file = prepareFile(text);
	let byteFilter: ByteFilter | undefined;
	return {
		...{ file, text },
		byteFilter: () => (byteFilter ??= new ByteFilter(file.phrases)),
		starts: lineStarts(text),
	};
}

/** Whether a text may repeat an entry. `false` is certain, and fast. */
export function mayHold(text: string, entries: Entries): boolean {
	return entries.byteFilter().stretches(Buffer.from(text)).next().done === false;
}

/** Sorted by start. Occurrences of different lines of the private file can overlap. */
export function occurrencesIn(text: string, entries: Entries): Occurrence[] {
	if (!mayHold(text, entries)) return [];
	return linesIn(text, entries.file).map((passage) => {
		const { start, end, line } = passage;
		const isLikely = passage.certainty === 'likely';
		return { start, end, line, certainty: isLikely ? 'likely' : certaintyOf(text, start, end, line, entries) };
	});
}

const LETTER_BEFORE = /[\p{L}\p{N}]\p{M}*$/u;
/** Excludes the `T` of a timestamp. */
const LETTER = /^(?!T\d\d:?\d)[\p{L}\p{N}]/u;
const LETTERS = /[\p{L}\p{N}]/u;

function certaintyOf(text: string, start: number, end: number, line: number, { text: file, starts }: Entries) {
	if (LETTER_BEFORE.test(text.slice(Math.max(0, start - 8), start)) || LETTER.test(text.slice(end, end + 5))) {
		return 'part';
	}
	const written = text.slice(start, end);
	const inFile = file.slice(starts[line - 1], starts[line]);
	return isAsIn(inFile.replace(/[^\p{L}\p{N}]+$/u, ''), written) ? 'exact' : 'spelling';
}

/** Whether the line contains the text, or the text starts with the whole line and goes on with the next lines. */
function isAsIn(line: string, written: string): boolean {
	const head = written.slice(0, 2);
	for (let at = line.indexOf(head); at >= 0; at = line.indexOf(head, at + 1)) {
		if (line.startsWith(written, at)) return true;
		if (written.startsWith(line.slice(at)) && !LETTERS.test(line.slice(0, at))) return true;
	}
	return false;
}

/** From this many words on, mostly lower-case text is prose or a rule. */
const MIN_PROSE_WORDS = 4;

/** Wildcards and regular expressions, after emphasis is removed. */
const PATTERN =
	/\\[dwsbDWSB]|\[[^\]\s]+-[^\]\s]+\][+*?{]|\{\d+(?:,\d*)?\}|\(\?|(?:^|[\s`"'])\*[.@\w-]|[\w.@-]\*(?:$|[\s`"',;])|##/;

const EMPHASIS = /(\*{1,3})(?=\S)(.+?)(?<=\S)\1/g;
const LINE_MARKS = /^\s*(?:(?:>|[-*+]|\d{1,9}[.)]|\[[ xX]\])\s+)*/;
const HEADING = /^#{1,6}(?=\s)/;
const FENCE = /^(?:`{3}|~{3})/;

/**
 * Lines, counted from 1, that a search for their words does not cover: rules, patterns and prose; and lines that are not
 * searched for at all, such as a single ordinary word, or a heading that is a name.
 */
export function unsearchableLines(text: string, entries: Entries = prepareEntries(text)): number[] {
	const { starts } = entries;
	const lines: number[] = [];
	for (let line = 1; line < starts.length; line++) {
		const written = text.slice(starts[line - 1], (starts[line] ?? 0) - 1).replace(LINE_MARKS, '');
		if (!/[\p{L}\p{N}]/u.test(written) || FENCE.test(written)) continue;
		const isFound = () => linesIn(written, entries.file).length > 0;
		if (isUnsearchable(written, nextLine(text, starts[line] ?? 0), isFound)) lines.push(line);
	}
	return lines;
}

function nextLine(text: string, start: number): string {
	return text.slice(start, start + 200).split(/[\r\n]/, 1)[0] ?? '';
}

const TABLE_DELIMITERS = /^[ \t>|:-]*-[ \t>|:-]*$/;

function isUnsearchable(line: string, next: string, isFound: () => boolean): boolean {
	if (HEADING.test(line) || (line.includes('|') && TABLE_DELIMITERS.test(next))) {
		let names = 0;
		readIdentifiers(line, 0, line.length, () => names++);
		return names > 0 && !isFound();
	}
	const content = line.replace(EMPHASIS, '$2').trim();
	if (PATTERN.test(content) || content.split(/[,;|()]|:\s/).some(isProse)) return true;
	// A field without a value identifies nothing.
	return !/:\**$/.test(content) && !isFound();
}

function isProse(part: string): boolean {
	const words = part.trim().split(/\s+/);
	const small = words.filter((word) => /^["'“‘(]?\p{Ll}/u.test(word) && !isAddress(word) && !/\p{N}/u.test(word));
	return words.length >= MIN_PROSE_WORDS && small.length * 3 >= words.length * 2;
}

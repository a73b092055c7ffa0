import { stripVTControlCharacters } from 'node:util';
import { withoutEscapes } from './escapes.ts';

/** In letters. A line is found by its beginning; for a shorter line, that includes its marks or the next line. */
const SHORT_LINE = 10;

/** In letters. A shorter key occurs in any text. */
const MIN_KEY = 4;

/** In letters. A line also counts if this much of its beginning is there: programs cut long lines. */
const MIN_PART = 24;

/** Letters that can stand between two lines of a run, such as a path, a line number, or quotes. */
const MAX_BETWEEN = 160;

/** The same after a line that a program cut. Behind a line that only begins alike, its own rest stands there instead. */
const MAX_AFTER_CUT = 12;

/** What programs put before each line of identifiers: a path, a line number, the mark of a comparison. */
const BETWEEN_PLAIN =
	/^[$␣]*(?:[\w.~-]*\/[\w.~-][\w.~/-]*:?|[\w~-]*\.[\w.~-]*:|[\w~-]+:(?=\d))?(?:\d{1,6}[:→|)-]?)?(?:[+>-]␣(?=[+>-]))?(?:[+<>|-]{0,2}|[+>][␣❝])$/;

/** The same if both lines have a list mark: also anything without letters, such as commas and brackets. */
const BETWEEN_MARKED = /^[^\p{L}]{0,12}(?:[\w.~-]*\/[\w.~/-]*:?|[\w.~-]*:)?[^\p{L}]{0,12}$/u;

/** The worth from which a run counts as the file, see {@link worthOf}. */
const MIN_WORTH = 6;

/** The same for a run that covers the whole file. */
const MIN_WORTH_WHOLE_FILE = 3;

/** In characters. A line of prose of this length is worth as much as a run. */
const LONG_PROSE = 100;

/** Marks at a line's start: of a list, a heading, or a quotation. */
const MARKS = /^\s*(?:[-*+>#]+|\d+[.)]|\[[ x]\])(?:\s+(?:[-*+>#]+|\d+[.)]|\[[ x]\])(?=\s))*\s+[`"']?/;

/** Four letters of a script without spaces say as much as a word. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]{4}/gu;

interface FileLine {
	/** Folded, without marks. */
	readonly core: string;
	/** Folded. */
	readonly marks: string;
	/** From this many letters on, the beginning is unique in the file. A program may have cut the rest. */
	readonly enough: number;
	/** With its marks, see {@link worthOf}. */
	readonly worth: number;
	readonly isHeading: boolean;
}

/** Where a {@link keyOf} stands in a file, and by how many letters it begins before the line's own. */
type Start = readonly [file: number, line: number, before: number];

/** A private file, prepared for a search for runs of its lines. */
export interface RunsOfFile {
	readonly path: string;
	/** The lines that contain anything, in order. */
	readonly lines: readonly FileLine[];
	/** How many lines are not headings. */
	readonly entries: number;
}

/** Several files, prepared for one search. */
export interface PreparedRuns {
	readonly files: readonly RunsOfFile[];
	/** For each hash, whether a key {@link BEGINS} or {@link ENDS} with such letters. Most offsets are skipped by this. */
	readonly hashes: Uint8Array;
	/** By a line's key. */
	readonly starts: ReadonlyMap<string, readonly Start[]>;
}

/** If a file repeats a line, this many occurrences are kept. */
const MAX_PLACES = 4;

/** A private file as its owner wrote it. */
export interface WrittenFile {
	readonly path: string;
	readonly text: string;
}

function linesForRuns({ path, text }: WrittenFile): RunsOfFile {
	const written = text.split(/\r?\n/).map((line) => {
		const [before = ''] = MARKS.exec(line) ?? [];
		const content = line.slice(before.length);
		const marks = foldText(before);
		return { core: foldText(content), marks, worth: worthOf(content, marks), isHeading: marks.includes('#') };
	});
	const enough = enoughOfEach(written.map(({ core }) => core));
	const lines = written
		.filter(({ core }) => core.length > 1 || /[^\p{L}\p{N}]/u.test(core))
		.map((line) => ({ ...line, enough: enough.get(line.core) as number }));
	return { path, lines, entries: lines.filter(({ isHeading }) => !isHeading).length };
}

/** For each line, how many letters distinguish it from lines with the same beginning. */
function enoughOfEach(cores: readonly string[]): ReadonlyMap<string, number> {
	const sorted = [...new Set(cores)].sort();
	// In sorted order, a line's neighbours share the longest beginnings with it.
	const shared = sorted.map((core, index) => commonLength(core, 0, sorted[index + 1] ?? ''));
	return new Map(
		sorted.map((core, index) => [
			core,
			Math.max(MIN_PART, Math.max(shared[index] as number, shared[index - 1] ?? 0) + MIN_KEY),
		]),
	);
}

export function prepareRuns(written: readonly WrittenFile[]): PreparedRuns {
	const files = written.map(linesForRuns);
	const starts = new Map<string, Start[]>();
	const hashes = new Uint8Array(1 << HASH_BITS);
	for (const [file, { lines }] of files.entries()) {
		for (const index of lines.keys()) {
			const { key, before } = keyOf(lines, index);
			if (key.length < MIN_KEY) continue;
			mark(hashes, hashOf(key, 0, MIN_KEY), BEGINS);
			mark(hashes, hashOf(key, 0, key.length), ENDS);
			const places = starts.get(key);
			if (places === undefined) starts.set(key, [[file, index, before]]);
			else if (places.at(-MAX_PLACES)?.[0] !== file) places.push([file, index, before]);
		}
	}
	return { files, hashes, starts };
}

/** The letters by which a line is found. */
function keyOf(lines: readonly FileLine[], index: number) {
	const { core, marks, enough } = lines[index] as FileLine;
	const skipped = Math.max(0, Math.min(enough, core.length) - MIN_PART);
	if (core.length >= SHORT_LINE) return { key: core.slice(skipped, skipped + MIN_PART), before: -skipped };
	if (marks !== '' || core.length >= MIN_KEY) return { key: (marks + core).slice(0, MIN_PART), before: marks.length };
	const { core: next = '', marks: nextMarks = '' } = lines[index + 1] ?? {};
	return { key: (core + nextMarks + next).slice(0, MIN_PART), before: 0 };
}

/**
 * The file of which a text repeats a run of lines, with their marks and in order. Other text between the lines, joined or cut
 * lines, and JSON do not hide it.
 *
 * @param isKnown whether to skip a file
 */
export function repeatedFile(
	text: string,
	{ files, hashes, starts }: PreparedRuns,
	isKnown: (path: string) => boolean = () => false,
): RunsOfFile | undefined {
	const variants = text.includes('\\') ? [text, withoutEscapes(text)] : [text];
	for (const variant of variants) {
		const folded = foldText(variant);
		for (let at = 0; at + MIN_KEY <= folded.length; at++) {
			let hash = hashOf(folded, at, at + MIN_KEY);
			if (!isMarkedAs(hashes, hash, BEGINS)) continue;
			for (let end = at + MIN_KEY; end <= at + MIN_PART; hash = hashOf(folded, end, ++end, hash)) {
				if (!isMarkedAs(hashes, hash, ENDS)) continue;
				for (const [file, line, before] of starts.get(folded.slice(at, end)) ?? []) {
					const of = files[file] as RunsOfFile;
					if (!isKnown(of.path) && isRun(folded, at + before, of, line)) return of;
				}
			}
		}
	}
	return undefined;
}

const HASH_BITS = 18;
const BEGINS = 1;
const ENDS = 2;

/** @param hash the hash of the letters before */
function hashOf(text: string, start: number, end: number, hash = 0): number {
	let next = hash;
	for (let at = start; at < end; at++) next = Math.imul(next ^ text.charCodeAt(at), 0x9e3779b1);
	return next;
}

function mark(hashes: Uint8Array, hash: number, as: number): void {
	const at = hash >>> (32 - HASH_BITS);
	hashes[at] = (hashes[at] as number) | as;
}

function isMarkedAs(hashes: Uint8Array, hash: number, as: number): boolean {
	return ((hashes[hash >>> (32 - HASH_BITS)] as number) & as) !== 0;
}

/** Whether a run that counts as the file goes through a line at an offset. */
function isRun(text: string, at: number, { lines, entries }: RunsOfFile, start: number): boolean {
	let worth = 0;
	let counted = 0;
	let end = at;
	let isCut = false;
	for (let index = start; index < lines.length; index++) {
		const line = lines[index] as FileLine;
		const found: Found | undefined = index === start ? placeAt(text, end, line) : placeAfter(text, end, line, isCut);
		const more = found && worthThere(text, end, found, line);
		if (found === undefined || more === undefined) {
			// Programs that print only the entries leave headings out.
			if (line.isHeading && index > start && !lines[index - 1]?.isHeading) continue;
			break;
		}
		isCut = found.end - found.start < line.core.length;
		worth += more;
		if (!line.isHeading && !isCut) counted += 1;
		end = found.end;
		if (worth >= MIN_WORTH) return true;
	}
	return counted === entries && counted > 1 && worth >= MIN_WORTH_WHOLE_FILE;
}

interface Found {
	readonly start: number;
	readonly end: number;
}

/** How many letters a text from an offset on shares with another text's beginning. */
function commonLength(text: string, at: number, other: string): number {
	let length = 0;
	while (length < other.length && text.charCodeAt(at + length) === other.charCodeAt(length)) length++;
	return length;
}

function placeAt(text: string, at: number, { core, enough }: FileLine): Found | undefined {
	const length = commonLength(text, at, core);
	return length === core.length || length >= enough ? { start: at, end: at + length } : undefined;
}

function placeAfter(text: string, from: number, line: FileLine, isCut: boolean): Found | undefined {
	const between = isCut ? MAX_AFTER_CUT : MAX_BETWEEN;
	const beginning = line.core.slice(0, MIN_PART);
	const found = text.slice(from, from + between + line.marks.length + beginning.length).indexOf(beginning);
	return found < 0 ? undefined : placeAt(text, from + found, line);
}

/** A line's worth at its place. Undefined if it may belong to another list of the same names. */
function worthThere(text: string, end: number, { start, end: until }: Found, { core, marks, worth }: FileLine) {
	const isMarked = text.slice(start - marks.length, start) === marks;
	const share = (until - start) / core.length;
	if (worth > 1) return share * (isMarked ? worth : worth * 0.8);
	const isWhole = share === 1;
	const between = marks === '' ? BETWEEN_PLAIN : BETWEEN_MARKED;
	return isMarked && isWhole && between.test(text.slice(end, start - marks.length)) ? worth : undefined;
}

/**
 * How much a line says about the file. Words and fields count. An identifier alone counts little, because project files contain
 * the same ones: five identifiers with list marks in the file's order suffice, or nine without marks.
 */
function worthOf(written: string, marks: string): number {
	const content = isPlain(written) ? written : written.replace(UNSPACED, ' character');
	const words = content.match(/[\p{L}\p{N}]+(?:[-'’.@][\p{L}\p{N}]+)*/gu) ?? [];
	if (words.length === 0) return 0;
	if (content.length >= LONG_PROSE && words.length >= 12) return MIN_WORTH;
	const cells = content.split('|').filter((cell) => /[\p{L}\p{N}]/u.test(cell)).length;
	if (cells >= 3) return 2;
	const hasLabel = /^[^:=：]{2,40}[:=：]\s*\S/u.test(content) && !/^\w+:\/\//.test(content);
	if (words.filter((word) => /^\p{Ll}+$/u.test(word)).length >= 4) return 2;
	if (marks !== '') return hasLabel ? 1.1 : 1;
	return hasLabel ? 0.8 : 0.6;
}

/**
 * Removes what programs add or drop: blanks, quotes, case, colours. After a list mark, it keeps a sign for a blank, or for a
 * blank and a quote.
 */
function foldText(text: string): string {
	const plain = isPlain(text)
		? text
		: stripVTControlCharacters(text)
				.normalize('NFC')
				.replace(/\p{Cf}+/gu, '');
	return plain
		.replace(/(?<=[-*+>#.)\]])\s+\\*["'`]/g, '❝')
		.replace(/(?<=[-*+>#.)\]])\s+/g, '␣')
		.replace(/[\s"'`\\]+/g, '')
		.toLowerCase();
}

/** Whether a text is ASCII without control sequences, as most are. */
function isPlain(text: string): boolean {
	return /^[\t\r\n -~]*$/.test(text);
}

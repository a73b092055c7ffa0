import { stripVTControlCharacters } from 'node:util';
import { withoutEscapes } from './escapes.ts';

/** A line is found by its beginning. Of a line with fewer letters the marks are a part of that, or the next line. */
const SHORT = 10;

/** Fewer letters are in every text. */
const MIN_KEY = 4;

/** A line counts whose beginning of at least so many letters is there: programs cut long ones. */
const MIN_PART = 24;

/** Letters that may stand between two lines of a run, such as a path, a line number, or quotes. */
const MAX_BETWEEN = 160;

/** The same after a line that a program has cut. Behind one that only begins alike stands the rest of it. */
const MAX_AFTER_CUT = 12;

/** Between two lines of identifiers: what programs put before each, as where it stands, its number, a mark of a comparison. */
const BETWEEN_PLAIN =
	/^[$␣]*(?:[\w.~-]*\/[\w.~-][\w.~/-]*:?|[\w~-]*\.[\w.~-]*:|[\w~-]+:(?=\d))?(?:\d{1,6}[:→|)-]?)?(?:[+>-]␣(?=[+>-]))?(?:[+<>|-]{0,2}|[+>][␣❝])$/;

/** The same where both have the mark of a list: that and whatever says nothing, as commas and brackets. */
const BETWEEN_MARKED = /^[^\p{L}]{0,12}(?:[\w.~-]*\/[\w.~/-]*:?|[\w.~-]*:)?[^\p{L}]{0,12}$/u;

/** What a run has to be worth to count as the file, see {@link worthOf}. */
const ENOUGH = 6;

/** The same for a run that is the whole file. */
const ENOUGH_WHOLE = 3;

/** A line of prose so long is worth as much as a run. */
const LONG_PROSE = 100;

/** Leading marks of a list, a heading, or a quote. */
const MARKS = /^\s*(?:[-*+>#]+|\d+[.)]|\[[ x]\])(?:\s+(?:[-*+>#]+|\d+[.)]|\[[ x]\])(?=\s))*\s+[`"']?/;

/** So many letters of a script that is written without spaces say as much as a word. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]{4}/gu;

interface FileLine {
	/** Folded, without its marks. */
	readonly core: string;
	/** Folded. */
	readonly marks: string;
	/** With so many letters of its beginning it is no other line of the file: a program may have cut the rest. */
	readonly enough: number;
	/** With its marks. */
	readonly worth: number;
	readonly isHeading: boolean;
}

/** Where in a file a {@link keyOf} stands, and how many letters before the line's own it begins. */
type Start = readonly [file: number, line: number, before: number];

/** A private file, prepared so that runs of its lines can be found. */
export interface RunsOfFile {
	readonly path: string;
	/** Those that say something, in their order. */
	readonly lines: readonly FileLine[];
	/** How many of them are no headings. */
	readonly entries: number;
}

/** Several files, ready to be looked for at once. */
export interface PreparedRuns {
	readonly files: readonly RunsOfFile[];
	/** By a hash of letters, whether a key {@link BEGINS} or {@link ENDS} with them: most places are passed over by it. */
	readonly hashes: Uint8Array;
	/** By the key of a line. */
	readonly starts: ReadonlyMap<string, readonly Start[]>;
}

/** Of a line that one file repeats, so many places are known. */
const MAX_PLACES = 4;

/** A file as its owner keeps it. */
export interface WrittenFile {
	readonly path: string;
	readonly text: string;
}

/** Prepares the lines of a file. */
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

/** Of each line, how many letters tell it from those that begin alike. */
function enoughOfEach(cores: readonly string[]): ReadonlyMap<string, number> {
	const sorted = [...new Set(cores)].sort();
	// Those that share the most with a line stand beside it.
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

/** What a line is looked for by. */
function keyOf(lines: readonly FileLine[], index: number) {
	const { core, marks, enough } = lines[index] as FileLine;
	const skipped = Math.max(0, Math.min(enough, core.length) - MIN_PART);
	if (core.length >= SHORT) return { key: core.slice(skipped, skipped + MIN_PART), before: -skipped };
	if (marks !== '' || core.length >= MIN_KEY) return { key: (marks + core).slice(0, MIN_PART), before: marks.length };
	const { core: next = '', marks: nextMarks = '' } = lines[index + 1] ?? {};
	return { key: (core + nextMarks + next).slice(0, MIN_PART), before: 0 };
}

/**
 * The file of which a text repeats a run of lines, with their marks and in their order; also with other things between
 * them, joined, cut, or in JSON.
 *
 * @param isKnown whether a file is not looked for
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

/** @param hash of the letters before */
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

/** Whether a run that counts as the file goes over a line at a place. */
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
			// A program that gives the entries alone leaves the headings out.
			if (line.isHeading && index > start && !lines[index - 1]?.isHeading) continue;
			break;
		}
		isCut = found.end - found.start < line.core.length;
		worth += more;
		if (!line.isHeading && !isCut) counted += 1;
		end = found.end;
		if (worth >= ENOUGH) return true;
	}
	return counted === entries && counted > 1 && worth >= ENOUGH_WHOLE;
}

interface Found {
	readonly start: number;
	readonly end: number;
}

/** How many letters a text has in common with another one from a place on. */
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

/** What a line is worth where it stands; undefined if it can be somebody else's list of the same names there. */
function worthThere(text: string, end: number, { start, end: until }: Found, { core, marks, worth }: FileLine) {
	const isMarked = text.slice(start - marks.length, start) === marks;
	const share = (until - start) / core.length;
	if (worth > 1) return share * (isMarked ? worth : worth * 0.8);
	const isWhole = share === 1;
	const between = marks === '' ? BETWEEN_PLAIN : BETWEEN_MARKED;
	return isMarked && isWhole && between.test(text.slice(end, start - marks.length)) ? worth : undefined;
}

/**
 * What a line tells of the file: its words and fields do, an identifier alone does not, since project files hold the
 * same ones. Five identifiers with the marks of a list in the file's order do, as do nine without.
 */
function worthOf(written: string, marks: string): number {
	const content = isPlain(written) ? written : written.replace(UNSPACED, ' character');
	const words = content.match(/[\p{L}\p{N}]+(?:[-'’.@][\p{L}\p{N}]+)*/gu) ?? [];
	if (words.length === 0) return 0;
	if (content.length >= LONG_PROSE && words.length >= 12) return ENOUGH;
	const cells = content.split('|').filter((cell) => /[\p{L}\p{N}]/u.test(cell)).length;
	if (cells >= 3) return 2;
	const hasLabel = /^[^:=：]{2,40}[:=：]\s*\S/u.test(content) && !/^\w+:\/\//.test(content);
	if (words.filter((word) => /^\p{Ll}+$/u.test(word)).length >= 4) return 2;
	if (marks !== '') return hasLabel ? 1.1 : 1;
	return hasLabel ? 0.8 : 0.6;
}

/**
 * Without what programs put in, or leave out: blanks, quotes, case, colours. After the mark of a list it can be seen that
 * there was a blank, or a blank and a quote.
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

/** ASCII without control sequences, as most texts are. */
function isPlain(text: string): boolean {
	return /^[\t\r\n -~]*$/.test(text);
}

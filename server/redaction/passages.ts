import { isCommonWord } from './common-words.ts';
import { isDistinctive, isIdentifierKey, type WrittenText } from './distinctive.ts';
import { BOUNDARY, type FoldedText, fold } from './fold.ts';
import { lineStarts } from './lines.ts';
import { readMarkdown } from './markdown-blocks.ts';
import { PhraseTable } from './phrase-table.ts';
import { RangeHashes } from './range-hashes.ts';
import type { UnitKind } from './unit-sink.ts';

/** So many consecutive words of a file make a passage. Sentences share as many; ordinary phrases rarely do. */
const RUN = 5;

/** A unit longer than this (in folded UTF-16 code units) need not be kept, unless it has too few words for a run. */
const LONGEST_UNIT = 100;

/** Stock phrases stand between commas more often than alone in an entry. */
const MOST_ORDINARY_WORDS: Record<UnitKind, number> = { entry: 3, span: 3, part: 4 };

/** One version of a private file, prepared so that its passages can be found. */
export interface PreparedFile {
	/** What is looked for in an answer. */
	readonly phrases: PhraseTable;
	/** The lengths of the phrases, in UTF-16 code units of the folded text, each once, the longest first. */
	readonly lengths: readonly number[];
}

/**
 * Prepares a Markdown file. What counts as a passage of it is
 *
 * - a unit (see `UnitKind`) that is distinctive (see `isDistinctive`), and neither the text of a heading nor of a
 *   table's first row; if it is a span or part, nor that of a key before `:`. A key that is an identifier itself is a
 *   unit;
 * - any run of 5 consecutive words, across lines and headings, unless all five are common (see `isCommonWord`).
 *
 * Time and memory grow with the size of the text, whatever it is like.
 */
export function prepareFile(text: string): PreparedFile {
	const preparation = new Preparation(text);
	preparation.addUnits();
	preparation.addRuns(BOUNDARY.words);
	preparation.addRuns(BOUNDARY.inWord);
	return { phrases: preparation.phrases, lengths: preparation.phrases.lengths() };
}

class Preparation {
	readonly phrases: PhraseTable;
	readonly #text: string;
	readonly #folded: FoldedText;
	readonly #file: WrittenText;
	readonly #hashes: RangeHashes;
	readonly #lineStarts: readonly number[];
	/** For each unit of the stream, the line where it stands. */
	readonly #lines: Int32Array;

	constructor(text: string) {
		this.#text = text;
		this.#folded = fold(text, 'nothing');
		this.#file = { text, folded: this.#folded };
		this.#hashes = new RangeHashes(this.#folded.stream);
		this.#lineStarts = lineStarts(text);
		this.#lines = linesOf(this.#folded.starts, this.#lineStarts);
		this.phrases = new PhraseTable(this.#folded.stream);
	}

	addUnits(): void {
		const labels = new PhraseTable(this.#folded.stream);
		const keys = new PhraseTable(this.#folded.stream);
		const kinds: UnitKind[] = [];
		const ranges: number[] = [];
		const keep = (kind: UnitKind, start: number, end: number) => {
			kinds.push(kind);
			ranges.push(start, end);
		};
		const inStream = this.#folded.streamAt;
		readMarkdown(this.#text, this.#lineStarts, {
			unit: (kind, from, to) => {
				const [start = 0, end = 0] = [inStream[from], inStream[to]];
				if (this.#isUnit(start, end)) keep(kind, start, end);
			},
			label: (from, to) => this.#add(labels, inStream[from] ?? 0, inStream[to] ?? 0),
			key: (from, to) => {
				const [start = 0, end = 0] = [inStream[from], inStream[to]];
				if (this.#isUnit(start, end) && isIdentifierKey(this.#file, start, end)) keep('entry', start, end);
				else this.#add(keys, start, end);
			},
		});
		for (const [at, kind] of kinds.entries()) {
			const [start = 0, end = 0] = [ranges[at * 2], ranges[at * 2 + 1]];
			if (this.#holds(labels, start, end) || (kind !== 'entry' && this.#holds(keys, start, end))) continue;
			if (isDistinctive(this.#file, start, end, MOST_ORDINARY_WORDS[kind])) this.#add(this.phrases, start, end);
		}
	}

	/** @param parting the least boundary that parts words; what `inWord` adds are the runs where it makes a difference */
	addRuns(parting: number): void {
		const { stream, boundaries } = this.#folded;
		const starts: number[] = [];
		let lastInWord = -1;
		let lastUncommon = -1;
		for (let at = 0; at < boundaries.length; at++) {
			const boundary = boundaries[at] ?? 0;
			if (boundary < parting) continue;
			if (boundary === BOUNDARY.inWord) lastInWord = at;
			const word = starts.at(-1) ?? at;
			if (word < at && !isCommonWord(stream, word, at, this.#hashes.of(word, at))) lastUncommon = word;
			const start = starts[starts.length - RUN] ?? at;
			const isNew = parting === BOUNDARY.words || lastInWord >= start;
			if (start < at && isNew && lastUncommon >= start) this.#add(this.phrases, start, at);
			starts.push(at);
		}
	}

	#isUnit(start: number, end: number): boolean {
		if (end - start <= LONGEST_UNIT) return end > start;
		let words = 0;
		for (let at = start; at < end && words < RUN; at++) if (this.#folded.boundaries[at] === BOUNDARY.words) words++;
		return words < RUN;
	}

	#add(table: PhraseTable, start: number, end: number): void {
		table.add(start, end, this.#hashes.of(start, end), this.#lines[start] ?? 0);
	}

	#holds(table: PhraseTable, start: number, end: number): boolean {
		return table.lineOf(this.#folded.stream, start, end, this.#hashes.of(start, end)) !== undefined;
	}
}

/** The line, counted from 1, of each of some offsets in ascending order. */
function linesOf(offsets: Int32Array, lineStarts: readonly number[]): Int32Array {
	let line = 0;
	return offsets.map((offset) => {
		while ((lineStarts[line] ?? Number.POSITIVE_INFINITY) <= offset) line++;
		return line;
	});
}

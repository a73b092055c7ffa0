import { isDistinctive, isIdentifierKey, type WrittenText } from './distinctive.ts';
import { BOUNDARY, foldText } from './fold.ts';
import { lineStarts, readMarkdown, type UnitKind } from './markdown.ts';
import { type Meaning, PhraseTable, RangeHashes } from './phrases.ts';
import { meaningOf, Variants } from './variants.ts';
import { isCommonWord } from './words.ts';

/** In words. Sentences share as many; ordinary phrases rarely do. */
const RUN = 5;

/** A longer unit (in folded UTF-16 code units) need not be kept, unless it has too few words for a run. */
const MAX_UNIT_LENGTH = 100;

/** Fewer words are nothing that anybody quotes if they are longer; comparing them letter by letter would take long. */
const MAX_WORDS_LENGTH = 10_000;

/** Stock phrases stand between commas more often than alone in an entry. */
const MAX_ORDINARY_WORDS: Record<UnitKind, number> = { entry: 3, span: 3, part: 4 };

export interface PreparedFile {
	readonly phrases: PhraseTable;
	/** In UTF-16 code units of the folded text, each once, the longest first. */
	readonly lengths: readonly number[];
	/** The hashes of first words of names. */
	readonly openings: ReadonlySet<number>;
}

/**
 * A passage is a unit that is distinctive, or a key that is an identifier; not the text of a heading or of a table's first
 * row, nor a span or part that repeats a key. So is any run of 5 consecutive words, across lines and headings, unless all
 * five are common. Time and memory grow with the size of the text, whatever it is like.
 */
export function prepareFile(text: string): PreparedFile {
	const folded = foldText(text, 'nothing');
	const { stream, letters, boundaries, streamAt } = folded;
	const file: WrittenText = { text, folded };
	const hashes = new RangeHashes(stream);
	const textLines = lineStarts(text);
	const lines = linesOf(folded.starts, textLines);
	const phrases = new PhraseTable();
	const add = (table: PhraseTable, start: number, end: number, meaning?: Meaning) =>
		table.add(stream, start, end, hashes.of(start, end), lines[start] ?? 0, meaning);

	const labels = new PhraseTable();
	const keys = new PhraseTable();
	const units: { readonly kind: UnitKind; readonly start: number; readonly end: number }[] = [];
	const variants = new Variants();
	const isUnit = (start: number, end: number) => {
		if (end - start <= MAX_UNIT_LENGTH) return end > start;
		if (end - start > MAX_WORDS_LENGTH) return false;
		let words = 0;
		for (let at = start; at < end && words < RUN; at++) if (boundaries[at] === BOUNDARY.words) words++;
		return words < RUN;
	};
	readMarkdown(text, textLines, {
		unit: (kind, from, to) => {
			const [start = 0, end = 0] = [streamAt[from], streamAt[to]];
			if (isUnit(start, end)) units.push({ kind, start, end });
		},
		label: (from, to) => add(labels, streamAt[from] ?? 0, streamAt[to] ?? 0),
		key: (from, to) => {
			const [start = 0, end = 0] = [streamAt[from], streamAt[to]];
			if (isUnit(start, end) && isIdentifierKey(file, start, end)) units.push({ kind: 'entry', start, end });
			else add(keys, start, end);
		},
	});
	for (const { kind, start, end } of units) {
		const names = kind === 'entry' ? [labels] : [labels, keys];
		if (names.some((table) => table.find(stream, start, end, hashes.of(start, end)) !== undefined)) continue;
		if (!isDistinctive(file, start, end, MAX_ORDINARY_WORDS[kind])) continue;
		const written = text.slice(folded.starts[start], folded.ends[end - 1]);
		if (!add(phrases, start, end, meaningOf(written))) continue;
		variants.addOf(file, start, end, lines[start] ?? 0);
	}
	const openings = variants.addTo(phrases);

	/** @param parting the least boundary that parts words; `inWord` adds the runs that it changes */
	const addRuns = (parting: number) => {
		const starts: number[] = [];
		let lastInWord = -1;
		let lastUncommon = -1;
		for (let at = 0; at < boundaries.length; at++) {
			const boundary = boundaries[at] ?? 0;
			if (boundary < parting) continue;
			if (boundary === BOUNDARY.inWord) lastInWord = at;
			const word = starts.at(-1) ?? at;
			if (word < at && !isCommonWord(letters.slice(word, at))) lastUncommon = word;
			const start = starts[starts.length - RUN] ?? at;
			const isNew = parting === BOUNDARY.words || lastInWord >= start;
			if (start < at && isNew && lastUncommon >= start) add(phrases, start, at);
			starts.push(at);
		}
	};
	addRuns(BOUNDARY.words);
	addRuns(BOUNDARY.inWord);
	return { phrases, lengths: phrases.lengths(), openings };
}

function linesOf(offsets: Int32Array, lineStarts: readonly number[]): Int32Array {
	let line = 0;
	return offsets.map((offset) => {
		while ((lineStarts[line] ?? Number.POSITIVE_INFINITY) <= offset) line++;
		return line;
	});
}

import { isDistinctive, isIdentifierKey, type WrittenText } from './distinctive.ts';
import { BOUNDARY, foldText } from './fold.ts';
import { lineStarts, readMarkdown, type UnitKind } from './markdown.ts';
import { type Meaning, PhraseTable, RangeHashes } from './phrases.ts';
import { addVariants, meaningOf } from './variants.ts';
import { isCommonWord } from './words.ts';

/** In words. Sentences on one subject share runs of this length; ordinary phrases rarely do. */
const RUN_WORDS = 5;

/** In folded UTF-16 code units. A longer unit is covered by its runs, unless it has too few words for one. */
const MAX_UNIT_LENGTH = 100;

/** In folded UTF-16 code units. Nobody quotes a longer unit of fewer words, and comparing it would be slow. */
const MAX_WORDS_LENGTH = 10_000;

/** In words. Between commas, stock phrases are more frequent than alone in an entry. */
const MAX_ORDINARY_WORDS: Record<UnitKind, number> = { entry: 3, span: 3, part: 4 };

export interface PreparedFile {
	readonly phrases: PhraseTable;
	/** Distinct lengths of phrases in folded UTF-16 code units, the longest first. */
	readonly lengths: readonly number[];
}

/**
 * A passage is a distinctive unit, or a key that is an identifier. Headings, a table's first row, and spans or parts that
 * repeat a key are none. A run of five consecutive words, across lines and headings, is a passage too, unless all five are
 * common. Time and memory grow linearly with the text, whatever it contains.
 */
export function prepareFile(text: string): PreparedFile {
	const folded = foldText(text, 'nothing');
	const { letters, starts, ends, boundaries, streamAt } = folded;
	const file: WrittenText = { text, folded };
	const textLines = lineStarts(text);
	const lines = linesOf(starts, textLines);
	const phrases = new PhraseTable();
	const hashes = new RangeHashes(folded.stream);
	const add = (start: number, end: number, meaning?: Meaning) =>
		phrases.add(letters.slice(start, end), lines[start] ?? 0, meaning, hashes.of(start, end));
	const labels = new Set<string>();
	const keys = new Set<string>();
	const units: { readonly kind: UnitKind; readonly start: number; readonly end: number }[] = [];
	const isUnit = (start: number, end: number) => {
		if (end - start <= MAX_UNIT_LENGTH) return end > start;
		if (end - start > MAX_WORDS_LENGTH) return false;
		let words = 0;
		for (let at = start; at < end && words < RUN_WORDS; at++) if (boundaries[at] === BOUNDARY.words) words++;
		return words < RUN_WORDS;
	};
	readMarkdown(text, textLines, {
		unit: (kind, from, to) => {
			const [start = 0, end = 0] = [streamAt[from], streamAt[to]];
			if (isUnit(start, end)) units.push({ kind, start, end });
		},
		label: (from, to) => labels.add(letters.slice(streamAt[from], streamAt[to])),
		key: (from, to) => {
			const [start = 0, end = 0] = [streamAt[from], streamAt[to]];
			if (isUnit(start, end) && isIdentifierKey(file, start, end)) units.push({ kind: 'entry', start, end });
			else keys.add(letters.slice(start, end));
		},
	});
	const entries = units.filter(({ kind, start, end }) => {
		const own = letters.slice(start, end);
		if (labels.has(own) || (kind !== 'entry' && keys.has(own))) return false;
		if (!isDistinctive(file, start, end, MAX_ORDINARY_WORDS[kind])) return false;
		return add(start, end, meaningOf(text.slice(starts[start], ends[end - 1])));
	});
	for (const { start, end } of entries) {
		const from = starts[start] ?? 0;
		addVariants(text.slice(from, ends[end - 1]), text[from - 1] === '+', (variant, meaning) => {
			phrases.add(variant, lines[start] ?? 0, meaning);
		});
	}

	/** @param parting the weakest boundary that separates words; `inWord` adds only the runs that differ by it */
	const addRuns = (parting: number) => {
		const words: number[] = [];
		let [lastInWord, lastUncommon] = [-1, -1];
		for (let at = 0; at < boundaries.length; at++) {
			const boundary = boundaries[at] ?? 0;
			if (boundary < parting) continue;
			if (boundary === BOUNDARY.inWord) lastInWord = at;
			const word = words[words.length - 1] ?? at;
			if (word < at && !isCommonWord(letters.slice(word, at))) lastUncommon = word;
			const start = words[words.length - RUN_WORDS] ?? at;
			const isNew = parting === BOUNDARY.words || lastInWord >= start;
			if (start < at && isNew && lastUncommon >= start) add(start, at);
			words.push(at);
		}
	};
	addRuns(BOUNDARY.words);
	if (boundaries.includes(BOUNDARY.inWord)) addRuns(BOUNDARY.inWord);
	return { phrases, lengths: phrases.lengths() };
}

function linesOf(offsets: Int32Array, lineStarts: readonly number[]): Int32Array {
	let line = 0;
	return offsets.map((offset) => {
		while ((lineStarts[line] ?? Number.POSITIVE_INFINITY) <= offset) line++;
		return line;
	});
}

import { BOUNDARY, type FoldedText, foldText } from './fold.ts';
import type { PreparedFile } from './passages.ts';
import {
	type Certainty,
	HEAD_LENGTH,
	hashOf,
	MAX_BETWEEN,
	MAX_OPENING,
	type Phrase,
	type PhraseTable,
	RangeHashes,
} from './phrases.ts';
import { type Reading, readingsOf, referenceTo, unescaped } from './tokens.ts';

export interface Redaction {
	/** The answer with a reference in the place of each passage; all else is unchanged. */
	readonly text: string;
	readonly passages: number;
	/** Lines of the private files, counted from 1, ascending, without repeats. */
	readonly lines: readonly number[];
}

/** A range of a text, or of its folded stream, that repeats a file. */
export interface Passage {
	readonly start: number;
	end: number;
	line: number;
	certainty: Certainty;
}

const INITIALS_OR_NICKNAME =
	/^(?:(?:[\s._-]*\p{Lu}\.?|[._-]\p{L}){1,2}[\s._-]*|\s*["“”„'‘(«][\p{L}\p{M}.-]{2,12}["“”'’)»]\s*)$/u;

/** One or two further names, within one line. */
const NAMES = /^(?:[ _.-]\p{Lu}[\p{L}\p{M}]+){1,2}[ _.-]$/u;

/**
 * Replaces what an answer repeats by references such as `[context:L12]`. Only folded letters and digits are compared:
 * `JaneDoe` and `j a n e d o e` repeat `Jane Doe`. A passage starts and ends at a word's boundary. Passages that overlap, or
 * that are adjacent in a line without a `|`, become one reference. Redacting the result again changes nothing.
 */
export function redact(answer: string, files: readonly PreparedFile[]): Redaction {
	const passages = passagesIn(answer, files);
	let text = '';
	let done = 0;
	for (const { start, end, line } of passages) {
		text += answer.slice(done, start) + referenceTo(line);
		done = end;
	}
	text += answer.slice(done);
	const lines = [...new Set(passages.map(({ line }) => line))].sort((a, b) => a - b);
	return { text, passages: passages.length, lines };
}

/** Ranges of a text that repeat a file, in ascending order: the ranges that `redact` replaces. */
export function passagesIn(text: string, files: readonly PreparedFile[]): Passage[] {
	return passagesBy('file', text, files);
}

/** The same for each line of a file on its own. Passages of different lines can overlap; adjacent ones stay separate. */
export function linesIn(text: string, file: PreparedFile): Passage[] {
	return passagesBy('line', text, [file]);
}

/** `line`: a passage within or beside another also counts if it repeats another line. */
type Grouping = 'file' | 'line';

function passagesBy(by: Grouping, text: string, files: readonly PreparedFile[]): Passage[] {
	const found = readingsOf(text).flatMap((part) => passagesRead(by, part, files));
	return merge(by, found, (last, next) => next.start < last.end);
}

function passagesRead(by: Grouping, { text, at, escapesAs }: Reading, files: readonly PreparedFile[]): Passage[] {
	const folded = foldText(text, 'references', escapesAs);
	const { starts, ends } = folded;
	const hashes = new RangeHashes(folded.stream);
	const found = files.flatMap((file) => passagesOf(by, file, text, folded, hashes));
	const isSamePassage = (last: Passage, next: Passage) =>
		next.start < last.end ||
		(by === 'file' && next.start === last.end && !/[\r\n|]/.test(text.slice(ends[last.end - 1], starts[next.start])));
	return merge(by, found, isSamePassage).map((passage) => ({
		...passage,
		start: at + (starts[passage.start] ?? 0),
		end: at + (ends[passage.end - 1] ?? 0),
	}));
}

/** From each start, the longest passage of each line, without passages inside an earlier one. */
function passagesOf(
	by: Grouping,
	file: PreparedFile,
	text: string,
	folded: FoldedText,
	hashes: RangeHashes,
): Passage[] {
	const { phrases, lengths } = file;
	const { stream, letters, boundaries } = folded;
	const passages: Passage[] = [];
	const covered = new Map<number, number>();
	const coveredBy = (line: number) => covered.get(by === 'line' ? line : 0) ?? 0;
	const add = (passage: Passage) => {
		if (passage.end <= coveredBy(passage.line)) return;
		passages.push(passage);
		covered.set(by === 'line' ? passage.line : 0, passage.end);
	};
	for (let start = 0; start < stream.length; start++) {
		if (boundaries[start] === BOUNDARY.none) continue;
		const longest = phrases.mayBegin(letters, start) ? Number.POSITIVE_INFINITY : HEAD_LENGTH - 1;
		const least = by === 'file' ? coveredBy(0) : 0;
		for (const length of lengths) {
			const end = start + length;
			if (end <= least) break;
			if (length > longest || end > stream.length || boundaries[end] === BOUNDARY.none) continue;
			const phrase = phrases.find(letters, start, end, hashes.of(start, end));
			if (phrase === undefined || !isWritten(phrase, start, end, text, folded)) continue;
			add({ start, end, line: phrase.line, certainty: phrase.meaning.certainty });
			if (by === 'file') break;
		}
		const parted = partedName(phrases, text, folded, hashes, start);
		if (parted !== undefined) add(parted);
	}
	return passages;
}

/** Whether the text matches all forms that a phrase requires. */
function isWritten({ meaning: { forms } }: Phrase, start: number, end: number, text: string, folded: FoldedText) {
	if (forms.length === 0) return true;
	const written = unescaped(text.slice(folded.starts[start], folded.ends[end - 1]));
	return forms.every((form) => form.test(written));
}

/** A name with an initial, a nickname, or further names behind the first word. */
function partedName(
	phrases: PhraseTable,
	text: string,
	folded: FoldedText,
	hashes: RangeHashes,
	start: number,
): Passage | undefined {
	const { letters, starts, ends, boundaries } = folded;
	const next = (at: number) => {
		let end = at + 1;
		while (end < boundaries.length && boundaries[end] === BOUNDARY.none) end++;
		return end;
	};
	const first = next(start);
	if (first - start > MAX_OPENING || !phrases.mayOpen(hashes.of(start, first))) return undefined;
	let rest = first;
	for (let words = 1; words < 3; words++) {
		rest = next(rest);
		if (rest - first > MAX_BETWEEN || rest >= letters.length) return undefined;
		const between = unescaped(text.slice(ends[first - 1], starts[rest]));
		const certainty = INITIALS_OR_NICKNAME.test(between) ? 'certain' : NAMES.test(between) ? 'likely' : undefined;
		for (let end = next(rest), more = 0; certainty !== undefined && end <= letters.length && more < 4; more++) {
			const name = letters.slice(start, first) + letters.slice(rest, end);
			const phrase = phrases.find(name, 0, name.length, hashOf(name));
			if (phrase?.meaning.opening === first - start && isWritten(phrase, start, end, text, folded)) {
				return { start, end, line: phrase.line, certainty };
			}
			end = next(end);
		}
	}
	return undefined;
}

/** @param isSamePassage whether two passages are merged */
function merge(by: Grouping, passages: Passage[], isSamePassage: (last: Passage, next: Passage) => boolean): Passage[] {
	const merged: Passage[] = [];
	const lasts = new Map<number, Passage>();
	// The sort is stable: if two passages start together, the one of the first file stays first.
	for (const passage of passages.sort((a, b) => a.start - b.start)) {
		const key = by === 'line' ? passage.line : 0;
		const last = lasts.get(key);
		if (last === undefined || !isSamePassage(last, passage)) {
			merged.push(passage);
			lasts.set(key, passage);
			continue;
		}
		last.end = Math.max(last.end, passage.end);
		if (last.certainty === 'likely' && passage.certainty === 'certain') {
			last.line = passage.line;
			last.certainty = 'certain';
		}
	}
	return merged;
}

import { BOUNDARY, type FoldedText, foldText } from './fold.ts';
import type { PreparedFile } from './passages.ts';
import { type Certainty, MAX_BETWEEN, MAX_OPENING, RangeHashes } from './phrases.ts';
import { type Reading, readingsOf, referenceTo } from './tokens.ts';

export interface Redaction {
	/** The answer with a reference in place of each passage; all else is as it was. */
	readonly text: string;
	readonly passages: number;
	/** Counted from 1, ascending, each once. */
	readonly lines: readonly number[];
}

/** A stretch of a text, or of the stream that it is folded to, that repeats a file. */
export interface Passage {
	readonly start: number;
	end: number;
	line: number;
	certainty: Certainty;
}

const INITIALS_OR_NICKNAME =
	/^(?:(?:[\s._-]*\p{Lu}\.?|[._-]\p{L}){1,2}[\s._-]*|\s*(?:["“”„'‘(«]|\\["']|&quot;)[\p{L}\p{M}.-]{2,12}(?:["“”'’)»]|\\["']|&quot;)\s*)$/u;

/** In one line. */
const NAMES = /^(?:[ _.-]\p{Lu}[\p{L}\p{M}]+){1,2}[ _.-]$/u;

/**
 * Puts references such as `[context:L12]` in place of what an answer repeats. Only letters and digits are compared, folded:
 * `JaneDoe` and `j a n e d o e` repeat `Jane Doe`. A passage starts and ends where a word of the answer does. Passages that
 * overlap, or stand side by side in a line without a `|`, become one reference. Redacting the result changes nothing.
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

/** What a text repeats, as ranges of it in ascending order: what `redact` puts references in the place of. */
export function passagesIn(text: string, files: readonly PreparedFile[]): Passage[] {
	const found = readingsOf(text).flatMap((reading) => passagesRead(text, reading, files));
	return found.length < 2 ? found : merge(found, (last, next) => next.start < last.end);
}

function passagesRead(text: string, reading: Reading, files: readonly PreparedFile[]): Passage[] {
	const folded = foldText(text, 'references', reading);
	const { starts, ends } = folded;
	const hashes = new RangeHashes(folded.stream);
	const found = files.flatMap((file) => passagesOf(file, text, folded, hashes));
	const isOne = (last: Passage, next: Passage) =>
		next.start < last.end ||
		(next.start === last.end && !/[\r\n|]/.test(text.slice(ends[last.end - 1], starts[next.start])));
	return merge(found, isOne).map((passage) => ({
		...passage,
		start: starts[passage.start] ?? 0,
		end: ends[passage.end - 1] ?? 0,
	}));
}

/** The longest passage from each start, without those within one from an earlier start. */
function passagesOf(file: PreparedFile, text: string, folded: FoldedText, hashes: RangeHashes): Passage[] {
	const { phrases, lengths, openings } = file;
	const { stream, starts, ends, boundaries } = folded;
	const passages: Passage[] = [];
	let covered = 0;
	for (let start = 0; start < stream.length; start++) {
		if (boundaries[start] === BOUNDARY.none) continue;
		const parted = openings.size > 0 ? partedName(file, text, folded, hashes, start) : undefined;
		if (parted !== undefined && parted.end > covered) {
			passages.push(parted);
			covered = parted.end;
		}
		for (const length of lengths) {
			const end = start + length;
			if (end <= covered) break;
			if (end > stream.length || boundaries[end] === BOUNDARY.none) continue;
			const meaning = phrases.find(stream, start, end, hashes.of(start, end));
			if (meaning === undefined || meaning.form?.test(text.slice(starts[start], ends[end - 1])) === false) continue;
			passages.push({ start, end, line: meaning.line, certainty: meaning.certainty });
			covered = end;
			break;
		}
	}
	return passages;
}

/** A name with an initial, a nickname, or further names behind the first one. */
function partedName(
	{ phrases, openings }: PreparedFile,
	text: string,
	{ stream, starts, ends, boundaries }: FoldedText,
	hashes: RangeHashes,
	start: number,
): Passage | undefined {
	for (const first of boundariesAfter(boundaries, start, 3, MAX_OPENING)) {
		if (!openings.has(hashes.of(start, first))) continue;
		for (const second of boundariesAfter(boundaries, first, 2, MAX_BETWEEN)) {
			const between = text.slice(ends[first - 1], starts[second]);
			const certainty = INITIALS_OR_NICKNAME.test(between) ? 'certain' : NAMES.test(between) ? 'likely' : undefined;
			if (certainty === undefined) continue;
			for (const end of boundariesAfter(boundaries, second, 4, MAX_OPENING * 2)) {
				const hash = hashes.ofBoth(start, first, second, end);
				const meaning = phrases.find(stream, start, end, hash, first - start, second - first);
				if (meaning === undefined || meaning.form?.test(text.slice(starts[start], ends[end - 1])) === false) continue;
				return { start, end, line: meaning.line, certainty };
			}
		}
	}
	return undefined;
}

/** The next places where a word can start or end. */
function* boundariesAfter(boundaries: Uint8Array, from: number, most: number, within: number): Generator<number> {
	let found = 0;
	for (let at = from + 1; at < boundaries.length && at <= from + within && found < most; at++) {
		if (boundaries[at] === BOUNDARY.none) continue;
		found++;
		yield at;
	}
}

/** @param isOne whether a passage goes on with the next one */
function merge(passages: Passage[], isOne: (last: Passage, next: Passage) => boolean): Passage[] {
	const merged: Passage[] = [];
	// The sort is stable: of two that start together the one of the first file stays first.
	for (const passage of passages.sort((a, b) => a.start - b.start)) {
		const last = merged.at(-1);
		if (last === undefined || !isOne(last, passage)) merged.push({ ...passage });
		else {
			last.end = Math.max(last.end, passage.end);
			if (last.certainty === 'likely' && passage.certainty === 'certain') {
				last.line = passage.line;
				last.certainty = 'certain';
			}
		}
	}
	return merged;
}

import { BOUNDARY, type FoldedText, fold } from './fold.ts';
import type { PreparedFile } from './passages.ts';
import { RangeHashes } from './range-hashes.ts';
import { referenceTo } from './tokens.ts';

export interface Redaction {
	/** The answer with a reference in place of each passage; all else is as it was. */
	readonly text: string;
	/** How many references were put in. */
	readonly passages: number;
	/** The lines that they name, counted from 1, ascending, each once. */
	readonly lines: readonly number[];
}

/** A stretch of a text, or of the stream that it is folded to, that repeats a file. */
export interface Passage {
	readonly start: number;
	end: number;
	/** Where it stands in the file. */
	readonly line: number;
}

/**
 * Replaces what an answer repeats of private files, see `prepareFile`, by references such as `[context:L12]` to the
 * line where it stands. Letters and digits are compared in folded form (see `fold`) and without what stands between
 * them, so that `JaneDoe`, `jane-doe` and `j a n e d o e` all repeat `Jane Doe`; a passage starts and ends where a
 * word of the answer does.
 *
 * In a run of words, blanks or other separators have to stand between them in the answer too, or capitals (`camelCase`).
 *
 * Passages that overlap become one reference, to the line of the first one; so do those that stand side by side in a
 * line, with nothing but separators between them, other than a `|`. Of several files the first one that holds what
 * starts there, gives the line. References that the answer holds stay as they are; so redacting the result changes
 * nothing.
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
	const folded = fold(text, 'references');
	const hashes = new RangeHashes(folded.stream);
	const found = files.flatMap((file) => passagesOf(file, folded, hashes));
	// The sort is stable: of two that start together the one of the first file stays first.
	const passages = merge(
		found.sort((a, b) => a.start - b.start),
		folded,
		text,
	);
	return passages.map(({ start, end, line }) => ({
		start: folded.starts[start] ?? 0,
		end: folded.ends[end - 1] ?? 0,
		line,
	}));
}

/** The longest passage from each start, but for those that lie within one from an earlier start. */
function passagesOf({ phrases, lengths }: PreparedFile, folded: FoldedText, hashes: RangeHashes): Passage[] {
	const { stream, boundaries } = folded;
	const passages: Passage[] = [];
	let covered = 0;
	for (let start = 0; start < stream.length; start++) {
		if (boundaries[start] === BOUNDARY.none) continue;
		for (const length of lengths) {
			const end = start + length;
			if (end <= covered) break;
			if (end > stream.length || boundaries[end] === BOUNDARY.none) continue;
			const line = phrases.lineOf(stream, start, end, hashes.of(start, end));
			if (line === undefined) continue;
			passages.push({ start, end, line });
			covered = end;
			break;
		}
	}
	return passages;
}

/** @param passages by ascending start */
function merge(passages: readonly Passage[], { starts, ends }: FoldedText, answer: string): Passage[] {
	const merged: Passage[] = [];
	for (const passage of passages) {
		const last = merged.at(-1);
		const isOne =
			last !== undefined &&
			(passage.start < last.end ||
				(passage.start === last.end && !/[\r\n|]/.test(answer.slice(ends[last.end - 1], starts[passage.start]))));
		if (isOne) last.end = Math.max(last.end, passage.end);
		else merged.push({ ...passage });
	}
	return merged;
}

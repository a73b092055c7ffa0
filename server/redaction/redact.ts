import { BOUNDARY, type FoldedText, foldText } from './fold.ts';
import type { PreparedFile } from './passages.ts';
import { RangeHashes } from './phrases.ts';
import { referenceTo } from './tokens.ts';

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
	readonly line: number;
}

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
	const folded = foldText(text, 'references');
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

/** The same for each line of a file by itself: passages of several lines can overlap, those side by side stay apart. */
export function linesIn(text: string, file: PreparedFile): Passage[] {
	const folded = foldText(text, 'references');
	const lines = new Map<number, Passage>();
	const passages: Passage[] = [];
	for (const passage of passagesOf(file, folded, new RangeHashes(folded.stream), 'line')) {
		const last = lines.get(passage.line);
		if (last !== undefined && passage.start < last.end) last.end = passage.end;
		else {
			lines.set(passage.line, passage);
			passages.push(passage);
		}
	}
	const { starts, ends } = folded;
	return passages.map(({ start, end, line }) => ({ start: starts[start] ?? 0, end: ends[end - 1] ?? 0, line }));
}

/**
 * The longest passage from each start, without those within one from an earlier start.
 *
 * @param by whether that counts for all passages, or for those of the same line
 */
function passagesOf(
	{ phrases, lengths }: PreparedFile,
	folded: FoldedText,
	hashes: RangeHashes,
	by: 'file' | 'line' = 'file',
): Passage[] {
	const { stream, boundaries } = folded;
	const passages: Passage[] = [];
	const ends = new Map<number, number>();
	let covered = 0;
	for (let start = 0; start < stream.length; start++) {
		if (boundaries[start] === BOUNDARY.none) continue;
		for (const length of lengths) {
			const end = start + length;
			if (by === 'file' && end <= covered) break;
			if (end > stream.length || boundaries[end] === BOUNDARY.none) continue;
			const line = phrases.lineOf(stream, start, end, hashes.of(start, end));
			if (line === undefined) continue;
			if (end > (ends.get(line) ?? 0)) passages.push({ start, end, line });
			if (by === 'line') ends.set(line, Math.max(end, ends.get(line) ?? 0));
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

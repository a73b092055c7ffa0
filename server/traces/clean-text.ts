import { type Entries, mayHold, prepareEntries } from '../redaction/occurrences.ts';
import { type Passage, passagesIn } from '../redaction/redact.ts';
import { referenceTo } from '../redaction/tokens.ts';
import { jsonPieces } from './json-pieces.ts';

/** How deep JSON within strings of JSON is looked into as such; below it is text with escapes. */
const DEPTH = 4;

/** In characters: a shorter text is not put aside as a whole. */
const LEAST_WHOLE = 120;

/** In characters: a shorter text, or a single word, can be a name that the client needs. */
const LEAST_EXACT = 8;

const LINE_NUMBERS = /^ *\d+[→\t:]/gm;

/** What an id of the client looks like, and a time: a part of it repeats nothing. */
const IDS = String.raw`[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z`;

/** In characters: a shorter text is not taken for base64. */
const LEAST_ENCODED = 200;

/** Puts references into texts in the place of what they repeat of private files. */
export class TextCleaner {
	readonly #sought: readonly Entries[];
	/** Texts that go whole, whatever is in them. */
	readonly #wholes: ReadonlySet<string>;
	readonly #kept: RegExp;

	/**
	 * @param files the texts of the private files
	 * @param known paths that a client needs as they are: what is a part of one of them repeats nothing
	 */
	constructor(files: readonly string[], known: readonly string[]) {
		this.#wholes = new Set(
			files.map((text) => text.trim()).filter((text) => text.length >= LEAST_EXACT && /\s/.test(text)),
		);
		this.#sought = [...new Set(files)].map((text) => prepareEntries(text));
		const paths = known.filter((path) => path.length > 1).sort((a, b) => b.length - a.length);
		const escaped = paths.map((path) => path.replace(/[^\w]/g, '\\$&'));
		this.#kept = new RegExp([...escaped, IDS].join('|'), 'gi');
	}

	/**
	 * A line, or a text of several: JSON stays JSON, and as many lines as there were. If it repeats nothing it is returned
	 * as it is.
	 */
	clean(text: string): string {
		return this.#clean(text, 0);
	}

	#clean(text: string, depth: number): string {
		if (isEncoded(text)) return text;
		const pieces = depth < DEPTH ? jsonPieces(text) : undefined;
		if (pieces === undefined) return this.#cleanPlain(text, depth === 0);
		let cleaned = '';
		let done = 0;
		for (const { start, end, value, isString } of pieces) {
			const clean = isString ? this.#clean(value, depth + 1) : this.#cleanPlain(value, false);
			if (clean === value) continue;
			const written = isString ? JSON.stringify(clean).slice(1, -1) : JSON.stringify(clean);
			cleaned += text.slice(done, start) + written;
			done = end;
		}
		return done === 0 ? text : cleaned + text.slice(done);
	}

	#cleanPlain(text: string, keepsLines: boolean): string {
		if (text.length < 2) return text;
		if (this.#wholes.has(text.trim())) {
			return removed(text.length) + (keepsLines ? (text.match(/\r?\n/g) ?? []).join('') : '');
		}
		const found = [...this.#find(text)];
		if (found.length === 0) return text;
		if (!keepsLines && this.#isWhole(text, found)) return removed(text.length);
		let cleaned = '';
		let done = 0;
		for (const { start, end, line } of found) {
			if (end <= done) continue;
			if (start >= done) cleaned += text.slice(done, start) + referenceTo(line);
			if (keepsLines) cleaned += (text.slice(Math.max(start, done), end).match(/\r?\n/g) ?? []).join('');
			done = end;
		}
		return cleaned + text.slice(done);
	}

	/** What a text repeats. */
	*#find(text: string): Generator<Passage> {
		const sought = this.#sought.filter((entries) => mayHold(text, entries));
		if (sought.length === 0) return;
		const passages = passagesIn(
			text,
			sought.map(({ file }) => file),
		);
		if (passages.length === 0) return;
		const kept = [...text.matchAll(this.#kept)].map(({ index, 0: { length } }) => ({
			start: index,
			end: index + length,
		}));
		let next = 0;
		for (const passage of passages) {
			const { start, end } = passage;
			while ((kept[next]?.end ?? Number.POSITIVE_INFINITY) < end) next++;
			const around = kept[next];
			const isPart = around !== undefined && around.start <= start && end - start < around.end - around.start;
			if (!isPart) yield passage;
		}
	}

	/** Whether a text is a file whole, or nearly; also with a number before each line. */
	#isWhole(text: string, passages: readonly Passage[]): boolean {
		if (text.length < LEAST_WHOLE) return false;
		const plain = text.replace(LINE_NUMBERS, '');
		let covered = 0;
		let done = 0;
		for (const { start, end } of plain === text ? passages : this.#find(plain)) {
			covered += Math.max(0, end - Math.max(start, done));
			done = Math.max(done, end);
		}
		return covered * 2 > plain.length && this.#sought.some(({ text: { length } }) => covered * 2 > length);
	}
}

/** Whether a text is base64: a picture or a signature holds a short name by chance, and is worth nothing if that is replaced. */
function isEncoded(text: string): boolean {
	if (text.length < LEAST_ENCODED || text.length % 4 !== 0) return false;
	const end = text.search(/[^A-Za-z\d+/]/);
	return (
		/^={0,2}$/.test(end === -1 ? '' : text.slice(end)) && [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(text))
	);
}

function removed(length: number): string {
	return `[Context Broker removed ${length.toLocaleString('en')} characters of private context that stood here.]`;
}

/** Whether a text is what stands in the place of a file. */
export function isRemoved(text: string): boolean {
	return /^\[Context Broker removed [\d,]+ characters of private context that stood here\.\]$/.test(text);
}

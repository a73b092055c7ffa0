import { type Entries, mayHold, prepareEntries } from '../redaction/occurrences.ts';
import { type Passage, passagesIn } from '../redaction/redact.ts';
import { referenceTo } from '../redaction/tokens.ts';
import { jsonPieces } from './json-pieces.ts';

/** Levels of JSON within JSON strings that are parsed. Below them, it is cleaned as text with escapes. */
const MAX_JSON_DEPTH = 4;

/** In characters: a shorter text is not removed as a nearly whole file. */
const MIN_WHOLE_LENGTH = 120;

/** In characters. A private file that is shorter, or a single word, can be a name that the client needs. */
const MIN_EXACT_LENGTH = 8;

const LINE_NUMBERS = /^ *\d+[→\t:]/gm;

/** The client's ids, and times. A match that is a part of one is no quotation. */
const IDS = String.raw`[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z`;

/** In characters: a shorter text does not count as base64. */
const MIN_BASE64_LENGTH = 200;

/** Replaces quotations of private files in texts with references. */
export class TextCleaner {
	readonly #sought: readonly Entries[];
	/** The whole private files: such a text is removed, whatever it contains. */
	readonly #wholes: ReadonlySet<string>;
	readonly #kept: RegExp;

	/**
	 * @param files the texts of the private files
	 * @param known paths that the client needs unchanged: a match that is a part of one is no quotation
	 */
	constructor(files: readonly string[], known: readonly string[]) {
		this.#wholes = new Set(
			files.map((text) => text.trim()).filter((text) => text.length >= MIN_EXACT_LENGTH && /\s/.test(text)),
		);
		this.#sought = [...new Set(files)].map((text) => prepareEntries(text));
		const paths = known.filter((path) => path.length > 1).sort((a, b) => b.length - a.length);
		const escaped = paths.map((path) => path.replace(/[^\w]/g, '\\$&'));
		this.#kept = new RegExp([...escaped, IDS].join('|'), 'gi');
	}

	/**
	 * Cleans one line or several. JSON stays JSON, and the number of lines stays. Returns the same text if it repeats
	 * nothing.
	 */
	clean(text: string): string {
		return this.#clean(text, 0);
	}

	#clean(text: string, depth: number): string {
		if (isEncoded(text)) return text;
		const pieces = depth < MAX_JSON_DEPTH ? jsonPieces(text) : undefined;
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

	/** The quotations in a text. */
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

	/** Whether quotations cover more than half of a text, and of a private file. Line numbers do not count. */
	#isWhole(text: string, passages: readonly Passage[]): boolean {
		if (text.length < MIN_WHOLE_LENGTH) return false;
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

/** Whether a text is base64. A picture can contain a short name by chance, and replacing that would destroy it. */
function isEncoded(text: string): boolean {
	if (text.length < MIN_BASE64_LENGTH || text.length % 4 !== 0) return false;
	const end = text.search(/[^A-Za-z\d+/]/);
	return (
		/^={0,2}$/.test(end === -1 ? '' : text.slice(end)) && [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(text))
	);
}

function removed(length: number): string {
	return `[Context Broker removed ${length.toLocaleString('en')} characters of private context that stood here.]`;
}

/** Whether a text is the note that replaces a removed one. */
export function isRemoved(text: string): boolean {
	return /^\[Context Broker removed [\d,]+ characters of private context that stood here\.\]$/.test(text);
}

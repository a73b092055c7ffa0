import { readIdentifiers } from './identifiers.ts';
import { type Mark, markAt } from './markdown-marks.ts';
import type { UnitKind, UnitSink } from './unit-sink.ts';

/** What a line is. */
export type LineKind = 'entry' | 'code' | 'header' | 'heading';

/** Reads the pieces of lines: cells, keys and values, what is in quotes, and what stands between punctuation. */
export class PartReader {
	readonly #text: string;
	readonly #sink: UnitSink;
	/** For each kind of quotation mark, where the last one ends; a quotation may go on in the next line. */
	readonly #quotes = new Map<string, number>();
	#kind: LineKind = 'entry';
	#cell = 0;
	#value: number | undefined;
	#part = 0;
	#previousPart = 0;
	/** Where the text in square brackets begins. Those that stand around others are not looked at. */
	#bracket: number | undefined;

	constructor(text: string, sink: UnitSink) {
		this.#text = text;
		this.#sink = sink;
	}

	/** No quotation goes on beyond here. */
	endParagraph(): void {
		this.#quotes.clear();
	}

	/** Reads one line, without its container marks; offsets in UTF-16 code units. */
	read(kind: LineKind, start: number, end: number): void {
		this.#kind = kind;
		this.#cell = this.#part = start;
		this.#value = this.#bracket = undefined;
		for (let at = start; at < end; ) {
			const mark = markAt(this.#text, at, end, kind === 'code');
			if (mark === undefined) at++;
			else {
				this.#take(mark, at);
				at += mark.length;
			}
		}
		this.#endCell(end);
		if (kind === 'entry' || kind === 'code')
			readIdentifiers(this.#text, start, end, (from, to) => this.#tell('span', from, to));
		if (kind === 'heading') this.#sink.label(start, end);
		if (kind === 'heading' || kind === 'header') this.endParagraph();
	}

	#take({ mark, length }: Mark, at: number): void {
		const end = at + length;
		switch (mark) {
			case 'bold':
				this.#quote(at, end);
				return;
			case 'quote':
				this.#quote(at, end);
				this.#endPart(at, end);
				return;
			case 'cut':
				this.#endPart(at, end);
				return;
			case 'open':
				this.#endPart(at, end);
				this.#bracket = end;
				return;
			case 'close':
				this.#endPart(at, end);
				this.#tellLink(at);
				return;
			case 'key':
				this.#tellKey(at);
				this.#value ??= end;
				this.#part = end;
				return;
			case 'bar':
				this.#endCell(at);
				this.#cell = this.#part = end;
				this.#value = undefined;
		}
	}

	#quote(at: number, end: number): void {
		const quotation = this.#text.slice(at, end);
		const family = quotation.replace(/[“”„‟«»]/, '"').replace(/[‘’]/, "'");
		const open = this.#quotes.get(family);
		// Each stretch between two marks is told: which of them opens and which closes can not be known for sure.
		if (open !== undefined) this.#tell('span', open, at);
		this.#quotes.set(family, end);
	}

	/** The text of a link counts as a whole, with commas in it too. @param at where it ends */
	#tellLink(at: number): void {
		const isLink = /[([]/.test(this.#text.charAt(at + 1));
		if (isLink && this.#bracket !== undefined && this.#kind !== 'heading') this.#tell('span', this.#bracket, at);
		this.#bracket = undefined;
	}

	#endPart(at: number, next: number): void {
		if (this.#kind !== 'heading') this.#tell('part', this.#part, at);
		this.#previousPart = this.#part;
		this.#part = next;
	}

	#endCell(at: number): void {
		this.#endPart(at, at);
		if (this.#kind === 'heading') return;
		if (this.#kind === 'header') this.#sink.label(this.#cell, at);
		this.#tell('entry', this.#cell, at);
		if (this.#value !== undefined) this.#tell('entry', this.#value, at);
	}

	#tellKey(at: number): void {
		if (this.#kind === 'heading') return;
		// In `"key": value` the quotation mark has ended the part already.
		const quoted = this.#part === at && /["']/.test(this.#text.charAt(at - 1));
		this.#sink.key(quoted ? this.#previousPart : this.#part, at);
	}

	#tell(kind: UnitKind, start: number, end: number): void {
		if (this.#kind !== 'header') this.#sink.unit(kind, start, end);
	}
}

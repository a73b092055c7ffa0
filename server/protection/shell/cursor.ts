import { COSTS, requireDepth } from '../limits.ts';
import type { Parse, Script } from './syntax.ts';

/** A place in a text that is read from its start to its end. */
export class Cursor {
	/** Whether something that was begun had no end. */
	isBroken = false;
	readonly spend: (work: number) => void;
	readonly #text: string;
	readonly #parse: Parse;
	#at = 0;

	/**
	 * @param parse reads a text that stands, quoted, in this one
	 * @param spend told of the work, see `LIMITS`
	 */
	constructor(text: string, parse: Parse, spend: (work: number) => void) {
		spend(text.length + COSTS.script);
		this.#text = text;
		this.#parse = parse;
		this.spend = spend;
	}

	get isAtEnd(): boolean {
		return this.#at >= this.#text.length;
	}

	isAt(text: string): boolean {
		return this.#text.startsWith(text, this.#at);
	}

	skip(length: number): void {
		this.#at += length;
	}

	/** @returns '' at the end */
	takeAny(length: number): string {
		const taken = this.#text.slice(this.#at, this.#at + length);
		this.#at += length;
		return taken;
	}

	takeText(text: string): boolean {
		const isThere = this.isAt(text);
		if (isThere) this.#at += text.length;
		return isThere;
	}

	/** @param sticky a regular expression with the flag `y`, that matches no empty text */
	take(sticky: RegExp): string | undefined {
		sticky.lastIndex = this.#at;
		const taken = sticky.exec(this.#text)?.[0];
		if (taken !== undefined) this.#at += taken.length;
		return taken;
	}

	/** What stands before `end`, which is skipped; without one all the rest. */
	takeUntil(end: string): string {
		return this.#takeTo(this.#text.indexOf(end, this.#at));
	}

	/** As `takeUntil`, but a `\` before it makes it a plain one. */
	takeUntilUnescaped(end: string): string {
		let at = this.#at;
		while (at < this.#text.length && this.#text[at] !== end) at += this.#text[at] === '\\' ? 2 : 1;
		return this.#takeTo(at < this.#text.length ? at : -1);
	}

	/** The next line, without its end. */
	takeLine(): string {
		const end = this.#text.indexOf('\n', this.#at);
		return end < 0 ? this.takeAny(this.#text.length - this.#at) : this.#takeTo(end);
	}

	/** A script within this one, that is broken with it. */
	parse(text: string, depth: number): Script {
		requireDepth(depth);
		const { script, isBroken } = this.#parse(text, depth);
		if (isBroken) this.isBroken = true;
		return script;
	}

	#takeTo(end: number): string {
		if (end < 0) this.isBroken = true;
		const taken = this.#text.slice(this.#at, end < 0 ? undefined : end);
		this.#at = (end < 0 ? this.#text.length : end) + 1;
		return taken;
	}
}

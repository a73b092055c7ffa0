import type { Part, Word } from './syntax.ts';

/** A word while it is read. Texts that follow each other are one part. */
export class Parts {
	readonly #parts: Part[];

	constructor(...parts: Part[]) {
		this.#parts = parts;
	}

	get word(): Word {
		return this.#parts;
	}

	add(part: Part): void {
		const last = this.#parts.at(-1);
		if (typeof last === 'string' && typeof part === 'string') this.#parts[this.#parts.length - 1] = last + part;
		else this.#parts.push(part);
	}
}

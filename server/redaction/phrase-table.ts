const FIRST_CAPACITY = 64;

/** Phrases, each a range of one stream and equal to no other of them, with the line where it stands. */
export class PhraseTable {
	readonly #stream: Uint16Array;
	#starts = new Int32Array(FIRST_CAPACITY);
	#lengths = new Int32Array(FIRST_CAPACITY);
	#hashes = new Int32Array(FIRST_CAPACITY);
	#lines = new Int32Array(FIRST_CAPACITY);
	#count = 0;
	/** Open addressing: numbers of phrases, counted from 1; at most half of the slots are taken. */
	#slots = new Int32Array(FIRST_CAPACITY * 2);

	constructor(stream: Uint16Array) {
		this.#stream = stream;
	}

	/** Of equal phrases the first line is kept. @param hash of the range, from `RangeHashes` */
	add(start: number, end: number, hash: number, line: number): void {
		const slot = this.#slotOf(this.#stream, start, end - start, hash);
		const known = (this.#slots[slot] ?? 0) - 1;
		if (known >= 0) {
			if (line < (this.#lines[known] ?? 0)) this.#lines[known] = line;
			return;
		}
		this.#starts[this.#count] = start;
		this.#lengths[this.#count] = end - start;
		this.#hashes[this.#count] = hash;
		this.#lines[this.#count] = line;
		this.#slots[slot] = ++this.#count;
		if (this.#count === this.#starts.length) this.#grow();
	}

	/** The line of the phrase that equals a range of any stream; undefined where there is none. */
	lineOf(stream: Uint16Array, start: number, end: number, hash: number): number | undefined {
		const phrase = (this.#slots[this.#slotOf(stream, start, end - start, hash)] ?? 0) - 1;
		return phrase < 0 ? undefined : this.#lines[phrase];
	}

	/** Visits each phrase, as a range of the stream. */
	each(visit: (stream: Uint16Array, start: number, length: number) => void): void {
		for (let at = 0; at < this.#count; at++) visit(this.#stream, this.#starts[at] ?? 0, this.#lengths[at] ?? 0);
	}

	/** The lengths that phrases have, in UTF-16 code units of the stream, each once, the longest first. */
	lengths(): number[] {
		return [...new Set(this.#lengths.subarray(0, this.#count))].sort((a, b) => b - a);
	}

	/** The slot where such a phrase stands, or else the free one where it would. */
	#slotOf(stream: Uint16Array, start: number, length: number, hash: number): number {
		const mask = this.#slots.length - 1;
		for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
			const phrase = (this.#slots[slot] ?? 0) - 1;
			if (phrase < 0) return slot;
			if (this.#hashes[phrase] === hash && this.#lengths[phrase] === length) {
				if (this.#equals(this.#starts[phrase] ?? 0, stream, start, length)) return slot;
			}
		}
	}

	#equals(own: number, stream: Uint16Array, start: number, length: number): boolean {
		if (stream === this.#stream && start === own) return true;
		for (let at = 0; at < length; at++) if (this.#stream[own + at] !== stream[start + at]) return false;
		return true;
	}

	#grow(): void {
		const enlarge = (from: Int32Array) => {
			const larger = new Int32Array(from.length * 2);
			larger.set(from);
			return larger;
		};
		this.#starts = enlarge(this.#starts);
		this.#lengths = enlarge(this.#lengths);
		this.#hashes = enlarge(this.#hashes);
		this.#lines = enlarge(this.#lines);
		const slots = new Int32Array(this.#slots.length * 2);
		const mask = slots.length - 1;
		for (let phrase = 0; phrase < this.#count; phrase++) {
			let slot = (this.#hashes[phrase] ?? 0) & mask;
			while (slots[slot] !== 0) slot = (slot + 1) & mask;
			slots[slot] = phrase + 1;
		}
		this.#slots = slots;
	}
}

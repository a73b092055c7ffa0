/** Stands for a line over the limit, which was dropped. */
export class TooLong {}

/** Splits a stream of chunks into lines, in linear time for any chunk size. */
export class LineSplitter {
	readonly #limit: number;
	#chunks: Buffer[] = [];
	#length = 0;
	#skipping = false;

	constructor(limit: number) {
		this.#limit = limit;
	}

	/** The lines that `chunk` completes, without line ends. A character that is split between chunks stays whole. */
	*push(chunk: Buffer): Generator<string | TooLong> {
		let start = 0;
		for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
			this.#add(chunk.subarray(start, end));
			yield this.#take();
			start = end + 1;
		}
		this.#add(chunk.subarray(start));
	}

	#add(part: Buffer): void {
		this.#length += part.length;
		if (this.#length > this.#limit) {
			this.#skipping = true;
			this.#chunks = [];
		} else if (part.length > 0) {
			this.#chunks.push(part);
		}
	}

	#take(): string | TooLong {
		const line = this.#skipping ? new TooLong() : Buffer.concat(this.#chunks).toString('utf8');
		this.#chunks = [];
		this.#length = 0;
		this.#skipping = false;
		return line;
	}
}

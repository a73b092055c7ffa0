import { cleanText } from './clean-text.ts';

export const OUTPUT_LIMIT = 1024 * 1024;

/** Bytes around a cut in which a line end is searched for. */
const LINE_SEARCH = 4 * 1024;

const LINE_FEED = 10;

/** Keeps the beginning and the end of a command's output. */
export class KeptOutput {
	bytes = 0;
	readonly #headLimit: number;
	readonly #tailLimit: number;
	/** The head, then up to twice the tail's limit, so that the tail is rarely moved. */
	#kept: Buffer = Buffer.alloc(0);
	#length = 0;

	/** @param limit in bytes; half of it is for the beginning */
	constructor(limit = OUTPUT_LIMIT) {
		this.#headLimit = Math.floor(limit / 2);
		this.#tailLimit = limit - this.#headLimit;
	}

	get isTruncated(): boolean {
		return this.bytes > this.#headLimit + this.#tailLimit;
	}

	push(chunk: Buffer): void {
		this.bytes += chunk.length;
		const limit = this.#headLimit + 2 * this.#tailLimit;
		for (let rest = chunk; rest.length > 0 && limit > 0; ) {
			if (this.#length === limit) {
				this.#kept.copyWithin(this.#headLimit, this.#length - this.#tailLimit, this.#length);
				this.#length = this.#headLimit + this.#tailLimit;
			}
			const end = Math.min(this.#length + rest.length, limit);
			if (end > this.#kept.length) {
				const larger = Buffer.alloc(Math.min(limit, Math.max(end, 2 * this.#kept.length)));
				this.#kept.copy(larger, 0, 0, this.#length);
				this.#kept = larger;
			}
			const copied = rest.copy(this.#kept, this.#length, 0, end - this.#length);
			this.#length = end;
			rest = rest.subarray(copied);
		}
	}

	/** Clean text, with a separate line for the omitted part. Cuts at line ends if they are near. */
	text(): string {
		if (!this.isTruncated) return cleanText(this.#kept.subarray(0, this.#length));
		const head = beforeCut(this.#kept.subarray(0, this.#headLimit));
		const tail = afterCut(this.#kept.subarray(this.#length - this.#tailLimit, this.#length));
		const leftOut = this.bytes - head.length - tail.length;
		const headText = cleanText(head);
		const lineEnd = headText === '' || headText.endsWith('\n') ? '' : '\n';
		return `${headText}${lineEnd}[… ${leftOut.toLocaleString('en')} bytes left out …]\n${cleanText(tail)}`;
	}
}

/** Up to the last line end; or to the last whole character if the line end is too far away. */
function beforeCut(bytes: Buffer): Buffer {
	const lineEnd = bytes.lastIndexOf(LINE_FEED);
	if (lineEnd !== -1 && lineEnd >= bytes.length - LINE_SEARCH) return bytes.subarray(0, lineEnd + 1);

	let start = bytes.length - 1;
	while (start > bytes.length - 3 && isContinuation(bytes[start])) start--;
	return start + characterLength(bytes[start]) > bytes.length ? bytes.subarray(0, start) : bytes;
}

/** From the second line on; or from the first whole character if that line is too far away. */
function afterCut(bytes: Buffer): Buffer {
	const lineEnd = bytes.subarray(0, LINE_SEARCH).indexOf(LINE_FEED);
	if (lineEnd !== -1) return bytes.subarray(lineEnd + 1);

	let start = 0;
	while (start < 3 && isContinuation(bytes[start])) start++;
	return bytes.subarray(start);
}

function isContinuation(byte = 0): boolean {
	return (byte & 0xc0) === 0x80;
}

function characterLength(byte = 0): number {
	if (byte >= 0xf0) return 4;
	if (byte >= 0xe0) return 3;
	return byte >= 0xc0 ? 2 : 1;
}

import { cleanText } from './clean-text.ts';

/** How much of a command's output is kept, in bytes: 1 MiB. */
export const OUTPUT_LIMIT = 1024 * 1024;

/** How far from a cut a line end is looked for, in bytes. */
const LINE_SEARCH = 4 * 1024;

const LINE_FEED = 10;

/** Keeps the beginning and the end of a command's output, in at most `limit` bytes. */
export class KeptOutput {
	readonly #headLimit: number;
	readonly #tailLimit: number;
	#bytes = 0;
	#head: Buffer = Buffer.alloc(0);
	#headLength = 0;
	/** A ring once it is full. */
	#tail: Buffer = Buffer.alloc(0);
	/** Where the next byte of the tail goes; in a full ring the oldest byte is there. */
	#tailNext = 0;

	/** @param limit most that is kept, in bytes; half of it for the beginning */
	constructor(limit = OUTPUT_LIMIT) {
		this.#headLimit = Math.floor(limit / 2);
		this.#tailLimit = limit - this.#headLimit;
	}

	/** Bytes received in all. */
	get bytes(): number {
		return this.#bytes;
	}

	/** Whether bytes were dropped. */
	get isTruncated(): boolean {
		return this.#bytes > this.#headLimit + this.#tailLimit;
	}

	/** Takes the next bytes, and copies what it keeps of them. */
	push(chunk: Buffer): void {
		this.#bytes += chunk.length;
		const forHead = Math.min(chunk.length, this.#headLimit - this.#headLength);
		if (forHead > 0) {
			this.#head = withRoom(this.#head, this.#headLength, this.#headLength + forHead, this.#headLimit);
			this.#headLength += chunk.copy(this.#head, this.#headLength, 0, forHead);
		}
		const forTail = Math.min(chunk.length - forHead, this.#tailLimit);
		if (forTail > 0) this.#pushTail(chunk, chunk.length - forTail);
	}

	/** @param start of the chunk's part that goes into the ring, and fits into it */
	#pushTail(chunk: Buffer, start: number): void {
		const end = Math.min(this.#tailNext + chunk.length - start, this.#tailLimit);
		this.#tail = withRoom(this.#tail, this.#tailNext, end, this.#tailLimit);
		const untilEnd = chunk.copy(this.#tail, this.#tailNext, start, start + end - this.#tailNext);
		const fromStart = chunk.copy(this.#tail, 0, start + untilEnd);
		this.#tailNext = end < this.#tailLimit ? end : fromStart;
	}

	/**
	 * What was kept, as clean text. Where something was left out, a line of its own says how many bytes of the original
	 * are not shown. The cuts are at line ends, where these are near.
	 */
	text(): string {
		const keptHead = this.#head.subarray(0, this.#headLength);
		const keptTail = this.#tailInOrder();
		if (!this.isTruncated) return cleanText(Buffer.concat([keptHead, keptTail]));

		const head = beforeCut(keptHead);
		const tail = afterCut(keptTail);
		const leftOut = this.#bytes - head.length - tail.length;
		const headText = cleanText(head);
		const lineEnd = headText === '' || headText.endsWith('\n') ? '' : '\n';
		return `${headText}${lineEnd}[… ${leftOut.toLocaleString('en')} bytes left out …]\n${cleanText(tail)}`;
	}

	#tailInOrder(): Buffer {
		const newest = this.#tail.subarray(0, this.#tailNext);
		const isRing = this.#bytes - this.#headLength >= this.#tailLimit;
		return isRing ? Buffer.concat([this.#tail.subarray(this.#tailNext), newest]) : newest;
	}
}

/** `buffer`, or a copy of its first `length` bytes, with room for `needed` bytes; doubled, up to `limit`. */
function withRoom(buffer: Buffer, length: number, needed: number, limit: number): Buffer {
	if (needed <= buffer.length) return buffer;
	const larger = Buffer.alloc(Math.min(limit, Math.max(needed, 2 * buffer.length)));
	buffer.copy(larger, 0, 0, length);
	return larger;
}

/** `bytes` up to the end of their last line, or of their last whole character where that is too far from the end. */
function beforeCut(bytes: Buffer): Buffer {
	const lineEnd = bytes.lastIndexOf(LINE_FEED);
	if (lineEnd !== -1 && lineEnd >= bytes.length - LINE_SEARCH) return bytes.subarray(0, lineEnd + 1);

	let start = bytes.length - 1;
	while (start > bytes.length - 3 && isContinuation(bytes[start])) start--;
	return start + characterLength(bytes[start]) > bytes.length ? bytes.subarray(0, start) : bytes;
}

/** `bytes` from their second line on, or from their first whole character where that line is too far from the start. */
function afterCut(bytes: Buffer): Buffer {
	const lineEnd = bytes.subarray(0, LINE_SEARCH).indexOf(LINE_FEED);
	if (lineEnd !== -1) return bytes.subarray(lineEnd + 1);

	let start = 0;
	while (start < 3 && isContinuation(bytes[start])) start++;
	return bytes.subarray(start);
}

/** Whether a byte of UTF-8 goes on with a character. */
function isContinuation(byte = 0): boolean {
	return (byte & 0xc0) === 0x80;
}

/** Bytes of the UTF-8 character that begins with `byte`. */
function characterLength(byte = 0): number {
	if (byte >= 0xf0) return 4;
	if (byte >= 0xe0) return 3;
	return byte >= 0xc0 ? 2 : 1;
}

import { readSync } from 'node:fs';

/** In bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** In bytes. Node cannot hold a much longer text. */
const MAX_LINE_BYTES = 400 * 1024 * 1024;

const NEWLINE = 0x0a;

/** The lines between two offsets of a file, with their line ends. @throws Error `EFBIG` if a line is too long */
export function* linesOf(file: number, from: number, to: number): Generator<Buffer> {
	let begun: Buffer[] = [];
	let bytes = 0;
	for (let at = from; at < to; ) {
		const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - at));
		const length = readSync(file, chunk, 0, chunk.length, at);
		if (length === 0) break;
		at += length;
		let start = 0;
		for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < length; end = chunk.indexOf(NEWLINE, start)) {
			const rest = chunk.subarray(start, end + 1);
			yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
			begun = [];
			bytes = 0;
			start = end + 1;
		}
		if (start < length) begun.push(chunk.subarray(start, length));
		bytes += length - start;
		if (bytes > MAX_LINE_BYTES) throw Object.assign(new Error('a line is too long'), { code: 'EFBIG' });
	}
	if (begun.length > 0) yield Buffer.concat(begun);
}

/** Whether a line looks like a JSON object or array, by its first and last character. */
export function isJson(line: Buffer): boolean {
	let [start, end] = [0, line.length];
	while (start < end && isBlank(line[start])) start++;
	while (end > start && isBlank(line[end - 1])) end--;
	const [first, last] = [line[start], line[end - 1]];
	return end - start > 1 && ((first === 0x7b && last === 0x7d) || (first === 0x5b && last === 0x5d));
}

function isBlank(byte: number | undefined): boolean {
	return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** The whole lines that contain the last `bytes` bytes of a text. */
export function tailOf(text: Buffer, bytes: number): Buffer {
	if (bytes === 0) return text.subarray(text.length);
	const before = text.lastIndexOf(NEWLINE, Math.max(0, text.length - bytes));
	return text.subarray(before + 1);
}

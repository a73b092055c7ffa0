import { isUtf8 } from 'node:buffer';

/** Why a file's bytes are not searched. */
export type NotText = 'archive' | 'binary';

/** In bytes. Git looks for a NUL in as many. */
const HEAD_LENGTH = 8_000;

const ARCHIVES = [
	'PK\x03\x04',
	'PK\x05\x06',
	'\x1f\x8b',
	'BZh',
	'\xfd7zXZ\0',
	'7z\xbc\xaf\x27\x1c',
	'Rar!\x1a\x07',
	'\x28\xb5\x2f\xfd',
];

/** Length of the longest of these marks, in bytes. */
const MARK_LENGTH = 6;

/** The position of a tar archive's mark. */
const TAR = { at: 257, mark: 'ustar' };

/** In bytes; even, since UTF-16 has two bytes a unit. */
const PART = 1024 * 1024;

const PDF = '%PDF-';

/**
 * A text's bytes as UTF-8. Reads UTF-8, also with stray bytes of Latin-1 in it, and UTF-16 with a byte-order mark. Drops the
 * mark.
 */
export function toUtf8(bytes: Buffer): Buffer | NotText {
	if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return fromLatin1(bytes.subarray(3));
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return fromUtf16(bytes.subarray(2));
	if (bytes[0] === 0xfe && bytes[1] === 0xff) return fromUtf16(bytes.subarray(2, bytes.length & ~1).swap16());
	const head = bytes.toString('latin1', 0, MARK_LENGTH);
	const isTar = () => bytes.toString('latin1', TAR.at, TAR.at + TAR.mark.length) === TAR.mark;
	if (ARCHIVES.some((mark) => head.startsWith(mark)) || isTar()) return 'archive';
	if (head.startsWith(PDF) || bytes.subarray(0, HEAD_LENGTH).includes(0)) return 'binary';
	return fromLatin1(bytes);
}

/** In parts: a long text as one string would need as much memory again. */
function fromUtf16(bytes: Buffer): Buffer {
	let length = 0;
	for (const part of partsOf(bytes)) length += Buffer.byteLength(part);
	const written = Buffer.allocUnsafe(length);
	let at = 0;
	for (const part of partsOf(bytes)) at += written.write(part, at);
	return written;
}

function* partsOf(bytes: Buffer): Generator<string> {
	for (let from = 0, to: number; from < bytes.length; from = to) {
		to = Math.min(from + PART, bytes.length);
		// Do not cut a surrogate pair.
		if (to < bytes.length && ((bytes[to - 1] ?? 0) & 0xfc) === 0xd8) to -= 2;
		yield bytes.toString('utf16le', from, to);
	}
}

/** The same bytes if they are UTF-8. Otherwise each byte outside of a valid character is read as Latin-1. */
function fromLatin1(bytes: Buffer): Buffer {
	if (isUtf8(bytes)) return bytes;
	let others = 0;
	for (let at = 0, size: number; at < bytes.length; at += size || 1) {
		size = sizeAt(bytes, at);
		if (size === 0) others++;
	}
	const written = Buffer.allocUnsafe(bytes.length + others);
	let length = 0;
	for (let at = 0; at < bytes.length; ) {
		const size = sizeAt(bytes, at);
		if (size === 0) {
			const byte = bytes[at++] ?? 0;
			written[length++] = 0xc0 | (byte >> 6);
			written[length++] = 0x80 | (byte & 0x3f);
		} else {
			for (const end = at + size; at < end; at++) written[length++] = bytes[at] ?? 0;
		}
	}
	return written;
}

/** Size of the UTF-8 character at an offset, in bytes; 0 if there is none. */
function sizeAt(bytes: Buffer, at: number): number {
	const byte = bytes[at] ?? 0;
	if (byte < 0x80) return 1;
	const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
	return isUtf8(bytes.subarray(at, at + size)) && at + size <= bytes.length ? size : 0;
}

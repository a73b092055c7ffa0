/** By the bytes, as long as these are kept: a file that is as it was is not decoded again. */
const decoded = new WeakMap<Buffer, string>();

/**
 * The text of a UTF-8 file, a byte-order mark at its start removed.
 *
 * @param content which does not change from here on
 * @returns undefined where it is not UTF-8 (UTF-16 and Latin-1 among it) or holds a NUL
 */
export function decodeText(content: Buffer): string | undefined {
	const known = decoded.get(content);
	if (known !== undefined) return known;
	if (content.includes(0)) return undefined;
	try {
		const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
		decoded.set(content, text);
		return text;
	} catch (error) {
		if (error instanceof TypeError) return undefined; // The standard's way to say: not UTF-8.
		throw error;
	}
}

/** By the bytes: a file that has not changed is not decoded again. */
const decoded = new WeakMap<Buffer, string>();

/** The text of a UTF-8 file, without a byte-order mark; undefined if it is not UTF-8 or holds a NUL. */
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

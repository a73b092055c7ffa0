/** Cache by buffer: an unchanged file is not decoded again. */
const decoded = new WeakMap<Buffer, string>();

/** A UTF-8 file's text without its byte-order mark. Undefined if it is not UTF-8 or contains a NUL. */
export function decodeText(content: Buffer): string | undefined {
	const known = decoded.get(content);
	if (known !== undefined) return known;
	if (content.includes(0)) return undefined;
	try {
		const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
		decoded.set(content, text);
		return text;
	} catch (error) {
		if (error instanceof TypeError) return undefined; // TextDecoder throws this for anything that is not UTF-8.
		throw error;
	}
}

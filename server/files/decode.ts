/**
 * The text of a UTF-8 file, a byte-order mark at its start removed.
 *
 * @returns undefined where it is not UTF-8 (UTF-16 and Latin-1 among it) or holds a NUL
 */
export function decodeText(content: Buffer): string | undefined {
	if (content.includes(0)) return undefined;
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(content);
	} catch (error) {
		if (error instanceof TypeError) return undefined; // The standard's way to say: not UTF-8.
		throw error;
	}
}

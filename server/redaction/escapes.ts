/** Decodes escapes, also in JSON within JSON: `Jane\nDoe` are two words. */
export function withoutEscapes(json: string): string {
	// Anchored to the first backslash of a run: otherwise a long run takes quadratic time.
	return json.replace(/(?<!\\)\\+(?:u([\da-f]{4})|[bfnrt])/gi, (_, code?: string) =>
		code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
	);
}

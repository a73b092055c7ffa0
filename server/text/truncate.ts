/** A text's first `length` code units, without half a character at the end: the Messages API rejects such a request. */
export function truncate(text: string, length: number): string {
	return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

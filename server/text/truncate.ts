/** The first `length` code units of a text, without half a character at the end: the Messages API refuses such a request. */
export function truncate(text: string, length: number): string {
	return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/**
 * The beginning of a text, a character of two code units whole or not at all: the Messages API takes no request with half
 * of one.
 *
 * @param length in code units
 */
export function beginningOf(text: string, length: number): string {
	return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

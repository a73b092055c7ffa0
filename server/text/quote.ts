/** A word of the user's in quotes: on one line, without control characters, and not longer than one can read. */
export function quote(word: string): string {
	return JSON.stringify(word.length > 60 ? `${word.slice(0, 60)}…` : word);
}

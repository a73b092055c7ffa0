/** Text from others, made harmless for a terminal. Keeps tabs. */
export function cleaned(text: string): string {
	return text.replace(/[^\P{Cc}\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** A user's word in quotes: on one line, without control characters, and short enough to read. */
export function quote(word: string): string {
	return JSON.stringify(word.length > 60 ? `${word.slice(0, 60)}…` : word);
}

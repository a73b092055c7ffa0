/** A text that somebody else wrote, so that it means nothing to a terminal; tabs stay. */
export function cleaned(text: string): string {
	return text.replace(/[^\P{Cc}\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

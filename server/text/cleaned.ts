/** Characters of a name that are shown: all names that clients and servers give are shorter. */
const LONGEST = 120;

/** A text that somebody else wrote, so that it means nothing to a terminal. */
export function cleaned(text: string): string {
	return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** The same of a name, not longer than one can read. */
export function cleanedName(name: string): string {
	// Cut first: the pattern need not see what is left out.
	return cleaned([...name.slice(0, 2 * LONGEST)].slice(0, LONGEST).join(''));
}

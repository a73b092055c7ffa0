/** Folds a text as the platform's file system compares names: without case, and with composed letters. */
export function fold(text: string, platform: NodeJS.Platform): string {
	if (platform !== 'darwin' && platform !== 'win32') return text;
	return text.normalize('NFC').toUpperCase().toLowerCase();
}

/** Folds a path component. Windows ignores dots and spaces at its end, and `:stream` opens the same file. */
export function foldName(name: string, platform: NodeJS.Platform): string {
	const folded = fold(name, platform);
	if (platform !== 'win32' || /^[a-z]:$/.test(folded)) return folded;
	return folded.replace(/:.*$/, '').replace(/(?<![. ])[. ]+$/, '') || folded;
}

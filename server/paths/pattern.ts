/**
 * A text in which `*`, `**`, `?`, `[…]` and `{…}` stand for others as in a shell, `\` makes the next character a plain
 * one, and UNKNOWN stands for a text that can't be worked out.
 */
export type Pattern = string;

/** NUL: no path and no word of a shell can hold one. */
export const UNKNOWN = '\0';

/** No system opens a longer path, in UTF-16 code units. */
export const MAX_PATH_LENGTH = 4096;

/** The pattern of exactly this text. */
export function literal(text: string): Pattern {
	return /[\0\\*?[\]{}]/.test(text) ? text.replaceAll(UNKNOWN, '').replace(/[\\*?[\]{}]/g, '\\$&') : text;
}

/** The pattern of a path as the platform writes it. Components are divided by `/` in patterns. */
export function literalPath(path: string, platform: NodeJS.Platform): Pattern {
	return literal(platform === 'win32' ? path.replaceAll('\\', '/') : path);
}

/** @returns undefined if the pattern can stand for more than one text */
export function textOf(pattern: Pattern): string | undefined {
	if (!/[\\*?[\0]/.test(pattern)) return pattern;
	return /[*?[\0]/.test(pattern.replace(/\\./gs, '')) ? undefined : rawText(pattern);
}

/** What a person would have written: wildcards as they are, `$0` for what is unknown. */
export function rawText(pattern: Pattern): string {
	return pattern.replace(/\\(.)/gs, '$1').replaceAll(UNKNOWN, '$0');
}

/** Each `..` takes away what stands before it, whatever that is. */
export function withoutParents(parts: readonly Pattern[]): Pattern[] {
	const left: Pattern[] = [];
	for (const part of parts) {
		if (part === '..') left.pop();
		else if (part !== '' && part !== '.') left.push(part);
	}
	return left;
}

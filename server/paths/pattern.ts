import { basename } from 'node:path';
import type { Place } from './place.ts';
import { canonical, fromFolder, withoutScheme } from './spellings.ts';

/** A text in which `*`, `**`, `?`, `[…]` and `{…}` are wildcards as in a shell, and `\` makes the next character literal. */
export type Pattern = string;

/** In UTF-16 code units. No system opens a longer path. */
export const MAX_PATH_LENGTH = 4096;

/** The pattern that matches exactly this text. */
export function literal(text: string): Pattern {
	return text.replace(/[\\*?[\]{}]/g, '\\$&');
}

/** The pattern of a path in the platform's notation. In patterns, `/` separates components. */
export function literalPath(path: string, platform: NodeJS.Platform): Pattern {
	return literal(platform === 'win32' ? path.replaceAll('\\', '/') : path);
}

/** @returns undefined if the pattern can match more than one text */
export function literalText(pattern: Pattern): string | undefined {
	return /[*?[]/.test(pattern.replace(/\\./gs, '')) ? undefined : rawText(pattern);
}

/** The text as a person would have written it, wildcards included. */
export function rawText(pattern: Pattern): string {
	return pattern.replace(/\\(.)/gs, '$1');
}

/** Resolves `.` and `..` in the text alone: each `..` removes the component before it, but no drive or share of Windows. */
export function withoutParents(parts: readonly Pattern[], platform: NodeJS.Platform): Pattern[] {
	const left: Pattern[] = [];
	for (const part of parts) {
		if (part === '..') left.splice(Math.max(left.length - 1, platform === 'win32' ? 1 : 0));
		else if (part !== '' && part !== '.') left.push(part);
	}
	return left;
}

/** An absolute pattern: resolves `~`, `file://` and relative paths. Keeps `..`. */
export function absolutePattern(pattern: Pattern, cwd: Pattern, { home, platform }: Place): Pattern {
	const divided = platform === 'win32' ? pattern.replaceAll('\\\\', '/') : pattern;
	const path = canonical(withoutScheme(divided), platform);
	const user = /^~([^/]*)/.exec(path)?.[1];
	if (user === '' || user === literal(basename(home))) {
		return literalPath(home, platform) + path.slice(1 + user.length);
	}
	return fromFolder(path, cwd, platform);
}

import { basename } from 'node:path';
import type { Place } from './place.ts';
import { canonical, fromFolder, withoutScheme } from './spellings.ts';

/** A text in which `*`, `**`, `?`, `[…]` and `{…}` stand for others as in a shell, and `\` makes the next character plain. */
export type Pattern = string;

/** No system opens a longer path, in UTF-16 code units. */
export const MAX_PATH_LENGTH = 4096;

/** The pattern of exactly this text. */
export function literal(text: string): Pattern {
	return text.replace(/[\\*?[\]{}]/g, '\\$&');
}

/** The pattern of a path as the platform writes it. Components are divided by `/` in patterns. */
export function literalPath(path: string, platform: NodeJS.Platform): Pattern {
	return literal(platform === 'win32' ? path.replaceAll('\\', '/') : path);
}

/** @returns undefined if the pattern can stand for more than one text */
export function textOf(pattern: Pattern): string | undefined {
	return /[*?[]/.test(pattern.replace(/\\./gs, '')) ? undefined : rawText(pattern);
}

/** What a person would have written: wildcards as they are. */
export function rawText(pattern: Pattern): string {
	return pattern.replace(/\\(.)/gs, '$1');
}

/** Each `..` takes away what stands before it, whatever that is, but for the drive or the share of a path of Windows. */
export function withoutParents(parts: readonly Pattern[], platform: NodeJS.Platform): Pattern[] {
	const left: Pattern[] = [];
	for (const part of parts) {
		if (part === '..') left.splice(Math.max(left.length - 1, platform === 'win32' ? 1 : 0));
		else if (part !== '' && part !== '.') left.push(part);
	}
	return left;
}

/** What a path stands for, seen from an absolute folder: `~` and `file://` read, and made absolute. `..` is left in it. */
export function absolutePattern(pattern: Pattern, cwd: Pattern, { home, platform }: Place): Pattern {
	const divided = platform === 'win32' ? pattern.replaceAll('\\\\', '/') : pattern;
	const path = canonical(withoutScheme(divided), platform);
	const user = /^~([^/]*)/.exec(path)?.[1];
	if (user === '' || user === literal(basename(home))) {
		return literalPath(home, platform) + path.slice(1 + user.length);
	}
	return fromFolder(path, cwd, platform);
}

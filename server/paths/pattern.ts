import { basename } from 'node:path';
import type { Place } from './place.ts';

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

/** Each `..` takes away what stands before it, whatever that is. */
export function withoutParents(parts: readonly Pattern[]): Pattern[] {
	const left: Pattern[] = [];
	for (const part of parts) {
		if (part === '..') left.pop();
		else if (part !== '' && part !== '.') left.push(part);
	}
	return left;
}

/** What a path stands for, seen from an absolute folder: `~` and `file://` read, and made absolute. `..` is left in it. */
export function absolutePattern(pattern: Pattern, cwd: Pattern, { home, platform }: Place): Pattern {
	const isWindows = platform === 'win32';
	let path = withoutScheme(isWindows ? pattern.replaceAll('\\\\', '/') : pattern, platform);
	const user = /^~([^/]*)/.exec(path)?.[1];
	if (user === '' || user === literal(basename(home))) {
		return literalPath(home, platform) + path.slice(1 + user.length);
	}
	if (isWindows) path = withDrive(path, cwd);
	return /^(?:[a-z]:)?\//i.test(path) ? path : `${cwd}/${path}`;
}

/** The path of a file URL; anything else as it is. */
function withoutScheme(path: Pattern, platform: NodeJS.Platform): Pattern {
	const [scheme] = /^file:(?:\/\/(?:localhost)?(?=\/))?/i.exec(path) ?? [];
	if (scheme === undefined) return path;
	let decoded = path.slice(scheme.length);
	try {
		decoded = decodeURIComponent(decoded);
	} catch {
		// Not encoded as it should be: taken as it is written.
	}
	return platform === 'win32' ? decoded.replace(/^\/+(?=[a-z]:)/i, '') : decoded;
}

/** Windows: Git Bash writes `/c/…` for `c:/…`, and `//?/` only says that the rest is not to be changed. */
function withDrive(path: Pattern, cwd: Pattern): Pattern {
	const plain = path.replace(/^\/\/(?:\\?\?|\.)\//, '');
	if (/^\/[a-z](?:\/|$)/i.test(plain)) return `${plain.slice(1, 2)}:/${plain.slice(3)}`;
	return plain.startsWith('/') ? cwd.slice(0, 2) + plain : plain;
}

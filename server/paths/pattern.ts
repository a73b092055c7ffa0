import { basename } from 'node:path';
import type { Place } from './place.ts';

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

/** Resolves `.` and `..` in the text alone: each `..` removes the component before it. */
export function withoutParents(parts: readonly Pattern[]): Pattern[] {
	const left: Pattern[] = [];
	for (const part of parts) {
		if (part === '..') left.pop();
		else if (part !== '' && part !== '.') left.push(part);
	}
	return left;
}

/** An absolute pattern: resolves `~`, `file://` and relative paths. Keeps `..`. */
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

/** A file URL's path; anything else unchanged. */
function withoutScheme(path: Pattern, platform: NodeJS.Platform): Pattern {
	const [scheme] = /^file:(?:\/\/(?:localhost)?(?=\/))?/i.exec(path) ?? [];
	if (scheme === undefined) return path;
	let decoded = path.slice(scheme.length);
	try {
		decoded = decodeURIComponent(decoded);
	} catch {
		// Not valid percent-encoding: taken as written.
	}
	return platform === 'win32' ? decoded.replace(/^\/+(?=[a-z]:)/i, '') : decoded;
}

/** Windows: Git Bash writes `/c/…` for `c:/…`. The prefix `//?/` only turns off normalisation. */
function withDrive(path: Pattern, cwd: Pattern): Pattern {
	const plain = path.replace(/^\/\/(?:\\?\?|\.)\//, '');
	if (/^\/[a-z](?:\/|$)/i.test(plain)) return `${plain.slice(1, 2)}:/${plain.slice(3)}`;
	return plain.startsWith('/') ? cwd.slice(0, 2) + plain : plain;
}

import { basename } from 'node:path';
import { literal, literalPath, type Pattern, UNKNOWN } from './pattern.ts';
import type { Place } from './place.ts';

/**
 * What a path stands for, seen from a folder: `~` and `file://` read, and made absolute. `..` is left as it is.
 *
 * @param cwd absolute, or UNKNOWN where it can't be worked out
 * @returns what is not absolute where the start can't be worked out
 */
export function absolutePattern(pattern: Pattern, cwd: Pattern, { home, platform }: Place): Pattern {
	let path = platform === 'win32' ? pattern.replaceAll('\\\\', '/') : pattern;
	path = withoutScheme(path, platform);
	const user = /^~([^/]*)/.exec(path)?.[1];
	if (user === '' || (user !== undefined && user === literal(basename(home)))) {
		return literalPath(home, platform) + path.slice(1 + user.length);
	}
	if (user === '+') return cwd + path.slice(2);
	if (platform === 'win32') path = withDrive(path, cwd);
	return isAbsolutePattern(path) || path.startsWith(UNKNOWN) ? path : `${cwd}/${path}`;
}

/** Whether it starts at a root, also at that of a drive. */
export function isAbsolutePattern(pattern: Pattern): boolean {
	return pattern.startsWith('/') || /^[a-z]:\//i.test(pattern);
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

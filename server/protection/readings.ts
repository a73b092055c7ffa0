import { foldName } from './fold.ts';
import { LONGEST_PATH } from './limits.ts';
import { literalPath, type Pattern, textOf } from './pattern.ts';

/** The components of an absolute path, folded, without `.` and `..`. */
export type Components = readonly Pattern[];

/**
 * What an absolute path can mean: as it is written, with its links resolved, and, where it has a `..`, with each link
 * resolved before the `..` behind it, as the system does.
 *
 * @param resolve see `Place.realPath`; asked for what stands before the first wildcard
 */
export function readingsOf(
	absolute: Pattern,
	resolve: (path: string) => string,
	platform: NodeJS.Platform,
): Components[] {
	const parts = absolute.split('/').filter((part) => part !== '' && part !== '.');
	const lexical = withoutParents(parts);
	const readings = [lexical];
	if (absolute.length <= LONGEST_PATH) {
		readings.push(resolved(lexical, resolve, platform));
		if (parts.includes('..')) readings.push(resolved(walked(parts, resolve, platform), resolve, platform));
	}
	const seen = new Set<string>();
	return readings
		.map((reading) => reading.map((part) => foldName(part, platform)))
		.filter((reading) => {
			const key = reading.join('/');
			return !seen.has(key) && seen.add(key);
		});
}

/** Each `..` takes away what stands before it, whatever that is. */
export function withoutParents(parts: Components): Pattern[] {
	const left: Pattern[] = [];
	for (const part of parts) {
		if (part === '..') left.pop();
		else if (part !== '' && part !== '.') left.push(part);
	}
	return left;
}

function walked(parts: Components, resolve: (path: string) => string, platform: NodeJS.Platform): Pattern[] {
	let left: Pattern[] = [];
	for (const part of parts) {
		if (part === '..') left = resolved(left, resolve, platform).slice(0, -1);
		else left.push(part);
	}
	return left;
}

function resolved(parts: Components, resolve: (path: string) => string, platform: NodeJS.Platform): Pattern[] {
	const texts: string[] = [];
	for (const part of parts) {
		const text = textOf(part);
		if (text === undefined) break;
		texts.push(text);
	}
	if (texts.length === 0) return [...parts];
	const path = texts.join('/');
	const real = literalPath(resolve(platform === 'win32' ? path : `/${path}`), platform);
	return [...real.split('/').filter((part) => part !== ''), ...parts.slice(texts.length)];
}

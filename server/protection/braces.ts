import { LONGEST_PATH } from './limits.ts';
import { type Pattern, UNKNOWN } from './pattern.ts';

const MOST = 64;
const DEEPEST = 10;

/**
 * The patterns that a pattern with `{a,b}` stands for. Sequences (`{1..9}`), and what stands for more than 64 patterns,
 * are not listed: UNKNOWN stands in their place.
 */
export function expandBraces(pattern: Pattern, depth = 0): Pattern[] {
	if (!pattern.includes('{')) return [pattern];
	let expanded = [''];
	for (const piece of piecesOf(pattern)) {
		let alternatives = typeof piece === 'string' ? [piece] : [UNKNOWN];
		if (typeof piece !== 'string' && depth < DEEPEST) {
			alternatives = piece.flatMap((alternative) => expandBraces(alternative, depth + 1));
		}
		if (expanded.length * alternatives.length > MOST) alternatives = [UNKNOWN];
		expanded = expanded.flatMap((start) => alternatives.map((alternative) => start + alternative));
	}
	return expanded;
}

/** Texts as they are, and the alternatives of each outermost group. */
function piecesOf(pattern: Pattern): (string | string[])[] {
	const ends = endsOfGroups(pattern);
	const pieces: (string | string[])[] = [];
	let from = 0;
	for (let at = 0; at < pattern.length; at++) {
		if (pattern[at] === '\\') at++;
		const end = ends.get(at);
		if (end === undefined) continue;
		// Groups within groups would be gone through again and again.
		const isLong = pattern.length > LONGEST_PATH;
		const inner = pattern.slice(at + 1, end);
		const isUnknown = isLong || /^[^,{}]+\.\.[^,{}]+$/.test(inner);
		const alternatives = isUnknown ? [UNKNOWN] : splitAtCommas(inner);
		if (alternatives.length === 1 && alternatives[0] !== UNKNOWN) continue;
		pieces.push(pattern.slice(from, at), alternatives);
		from = end + 1;
		at = end;
	}
	pieces.push(pattern.slice(from));
	return pieces;
}

/** Where the group ends that starts at a `{`, for each that ends. */
function endsOfGroups(pattern: Pattern): ReadonlyMap<number, number> {
	const open: number[] = [];
	const ends = new Map<number, number>();
	for (let at = 0; at < pattern.length; at++) {
		if (pattern[at] === '\\') at++;
		else if (pattern[at] === '{') open.push(at);
		else if (pattern[at] === '}') {
			const start = open.pop();
			if (start !== undefined) ends.set(start, at);
		}
	}
	return ends;
}

function splitAtCommas(inner: Pattern): string[] {
	const parts: string[] = [];
	let [from, depth] = [0, 0];
	for (let at = 0; at < inner.length; at++) {
		if (inner[at] === '\\') at++;
		else if (inner[at] === '{') depth++;
		else if (inner[at] === '}') depth--;
		else if (inner[at] === ',' && depth === 0) {
			parts.push(inner.slice(from, at));
			from = at + 1;
		}
	}
	parts.push(inner.slice(from));
	return parts;
}

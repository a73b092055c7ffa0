import { MAX_PATH_LENGTH, type Pattern, UNKNOWN } from './pattern.ts';

/** A part of a pattern that stands for one character, or for any number of them. */
type Token = '*' | ((character: string) => boolean);

/** A class (of at most 200 characters), a plain character, or a wildcard. */
const TOKEN = /\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\]){0,200}?\]|\\?./gsu;

/** A wildcard but UNKNOWN. */
const WILD_START = /^(?:[*?]|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\]){0,200}?\])/su;

/**
 * Whether a pattern without `/` and `{…}` stands for a name. Both are folded.
 *
 * @param coversHidden whether a wildcard at the start stands for a dot; in a shell it does not
 */
export function fitsName(pattern: Pattern, name: string, coversHidden: boolean): boolean {
	if (!/[\\*?[\0]/.test(pattern)) return pattern === name;
	if (!coversHidden && name.startsWith('.') && WILD_START.test(pattern)) return false;
	const characters = [...name];
	const tokens = tokensOf(pattern, characters.length);
	return tokens !== undefined && fits(tokens, characters);
}

/** The usual greedy walk: of several `*` only the last can need another try. */
function fits(tokens: readonly Token[], characters: readonly string[]): boolean {
	let [token, character, star, starred] = [0, 0, -1, 0];
	while (character < characters.length) {
		const current = tokens[token];
		if (current === '*') {
			star = token++;
			starred = character;
		} else if (current?.(characters[character] ?? '')) {
			token++;
			character++;
		} else if (star >= 0) {
			token = star + 1;
			character = ++starred;
		} else return false;
	}
	return tokens.slice(token).every((each) => each === '*');
}

/** @returns undefined if they need more than `most` characters */
function tokensOf(pattern: Pattern, most: number): Token[] | undefined {
	const tokens: Token[] = [];
	let needed = 0;
	for (const [text] of pattern.matchAll(TOKEN)) {
		if (text === '*' || text === UNKNOWN) {
			if (tokens.at(-1) !== '*') tokens.push('*');
			continue;
		}
		if (++needed > most) return undefined;
		if (text === '?') tokens.push(() => true);
		else if (text.length > 1 && text.startsWith('['))
			tokens.push((character) => fitsClass(text.slice(1, -1), character));
		else {
			const plain = text.replace(/^\\(?=.)/s, '');
			tokens.push((character) => character === plain);
		}
	}
	return tokens;
}

function fitsClass(source: string, character: string): boolean {
	// Which characters a locale counts among `[:alpha:]` is not known here.
	if (/\[:\w+:\]/.test(source)) return true;
	const isNegated = /^[!^]/.test(source);
	const members = [...source.slice(isNegated ? 1 : 0).replace(/\\(.)/gs, '$1')];
	for (let at = 0; at < members.length; at++) {
		const from = members[at] ?? '';
		const isRange = members[at + 1] === '-' && at + 2 < members.length;
		const to = isRange ? (members[at + 2] ?? '') : from;
		if (from <= character && character <= to) return !isNegated;
		if (isRange) at += 2;
	}
	return isNegated;
}

const MAX_ALTERNATIVES = 64;

/**
 * The patterns that a pattern with `{a,b}` stands for. Sequences (`{1..9}`), and what stands for more than 64 patterns,
 * are not listed: UNKNOWN stands in their place.
 */
export function expandBraces(pattern: Pattern, depth = 0): Pattern[] {
	const start = pattern.indexOf('{');
	if (start < 0) return [pattern];
	// Groups within groups would be gone through again and again.
	if (pattern.length > MAX_PATH_LENGTH)
		return [pattern.slice(0, start) + UNKNOWN + pattern.slice(pattern.lastIndexOf('}') + 1)];
	let expanded = [''];
	for (const piece of piecesOf(pattern)) {
		let alternatives = typeof piece === 'string' ? [piece] : [UNKNOWN];
		if (typeof piece !== 'string' && depth < 10) {
			alternatives = piece.flatMap((alternative) => expandBraces(alternative, depth + 1));
		}
		if (expanded.length * alternatives.length > MAX_ALTERNATIVES) alternatives = [UNKNOWN];
		expanded = expanded.flatMap((before) => alternatives.map((alternative) => before + alternative));
	}
	return expanded;
}

/** Texts as they are, and the alternatives of each outermost group. */
function piecesOf(pattern: Pattern): (string | string[])[] {
	const groups = groupsOf(pattern);
	const pieces: (string | string[])[] = [];
	let from = 0;
	for (let at = 0; at < pattern.length; at++) {
		const group = groups.get(at);
		if (group === undefined) continue;
		const isSequence = /^[^,{}]+\.\.[^,{}]+$/.test(pattern.slice(at + 1, group.end));
		if (!isSequence && group.commas.length === 0) continue;
		const cuts = [at, ...group.commas, group.end];
		const alternatives = cuts.slice(1).map((cut, index) => pattern.slice((cuts[index] ?? 0) + 1, cut));
		pieces.push(pattern.slice(from, at), isSequence ? [UNKNOWN] : alternatives);
		from = group.end + 1;
		at = group.end;
	}
	pieces.push(pattern.slice(from));
	return pieces;
}

interface Group {
	readonly end: number;
	/** Where its own commas are. */
	readonly commas: readonly number[];
}

/** The groups that end, by where each starts. */
function groupsOf(pattern: Pattern): ReadonlyMap<number, Group> {
	const open: { start: number; commas: number[] }[] = [];
	const groups = new Map<number, Group>();
	for (let at = 0; at < pattern.length; at++) {
		if (pattern[at] === '\\') at++;
		else if (pattern[at] === '{') open.push({ start: at, commas: [] });
		else if (pattern[at] === ',') open.at(-1)?.commas.push(at);
		else if (pattern[at] === '}') {
			const group = open.pop();
			if (group !== undefined) groups.set(group.start, { end: at, commas: group.commas });
		}
	}
	return groups;
}

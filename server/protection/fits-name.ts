import { type Pattern, UNKNOWN } from './pattern.ts';

type Token =
	| string
	| { readonly kind: 'any' | 'unknown' | 'one' }
	| { readonly kind: 'class'; readonly source: string };

/** Longer ones are taken as they are written. */
const LONGEST_CLASS = 200;

/**
 * Whether a pattern without `/` and `{…}` stands for a name. Both are folded.
 *
 * @param coversHidden whether a wildcard at the start stands for a dot; in a shell it does not
 */
export function fitsName(pattern: Pattern, name: string, coversHidden: boolean): boolean {
	if (!/[\\*?[\0]/.test(pattern)) return pattern === name;
	const characters = [...name];
	const tokens = tokensOf(pattern, characters.length);
	const [first] = tokens ?? [];
	if (tokens === undefined || first === undefined) return tokens !== undefined && name === '';
	const isWild = typeof first !== 'string' && first.kind !== 'unknown';
	if (isWild && !coversHidden && name.startsWith('.')) return false;
	return fits(tokens, characters);
}

/** The usual greedy walk: of several `*` only the last can need another try. */
function fits(tokens: readonly Token[], characters: readonly string[]): boolean {
	let [token, character, star, starred] = [0, 0, -1, 0];
	while (character < characters.length) {
		const current = tokens[token];
		if (isAny(current)) {
			star = token++;
			starred = character;
		} else if (current !== undefined && fitsCharacter(current, characters[character] ?? '')) {
			token++;
			character++;
		} else if (star >= 0) {
			token = star + 1;
			character = ++starred;
		} else return false;
	}
	return tokens.slice(token).every(isAny);
}

function isAny(token: Token | undefined): boolean {
	return typeof token === 'object' && (token.kind === 'any' || token.kind === 'unknown');
}

/** @returns undefined where they need more than `most` characters */
function tokensOf(pattern: Pattern, most: number): Token[] | undefined {
	const tokens: Token[] = [];
	let needed = 0;
	for (let at = 0; at < pattern.length; ) {
		const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
		const classLength = character === '[' ? lengthOfClass(pattern, at) : 0;
		if (character === '*' || character === UNKNOWN) {
			const kind = character === '*' ? 'any' : 'unknown';
			if (!isAny(tokens.at(-1))) tokens.push({ kind });
			else if (kind === 'unknown') tokens[tokens.length - 1] = { kind };
			at++;
			continue;
		}
		if (++needed > most) return undefined;
		if (classLength > 0) {
			tokens.push({ kind: 'class', source: pattern.slice(at + 1, at + classLength - 1) });
			at += classLength;
		} else if (character === '?') {
			tokens.push({ kind: 'one' });
			at++;
		} else {
			if (character === '\\') at++;
			const plain = pattern.codePointAt(at);
			const text = plain === undefined ? '\\' : String.fromCodePoint(plain);
			tokens.push(text);
			at += text.length;
		}
	}
	return tokens;
}

/** @returns 0 where no class starts at the `[` */
function lengthOfClass(pattern: Pattern, start: number): number {
	const found = /^\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*?\]/s.exec(pattern.slice(start, start + LONGEST_CLASS));
	return found?.[0].length ?? 0;
}

function fitsCharacter(token: Token, character: string): boolean {
	if (typeof token === 'string') return token === character;
	return token.kind !== 'class' || fitsClass(token.source, character);
}

function fitsClass(source: string, character: string): boolean {
	const isNegated = /^[!^]/.test(source);
	// Which characters a locale counts among `[:alpha:]` is not known here.
	if (/\[:\w+:\]/.test(source)) return true;
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

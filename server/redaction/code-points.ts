export const KIND = {
	separator: 0,
	/** An accent or the like: dropped, but part of the character before it. */
	mark: 1,
	invisible: 2,
	lower: 3,
	upper: 4,
	/** A digit, or a letter without case. */
	caseless: 5,
	/** A letter of a script without spaces between words: a word of its own. */
	word: 6,
	/** A further letter of such a word: a Korean vowel or final consonant in decomposed text. */
	syllable: 7,
} as const;

export interface FoldedCodePoint {
	readonly kind: (typeof KIND)[keyof typeof KIND];
	/** UTF-16; empty for separators and for dropped code points. */
	readonly units: readonly number[];
}

const MARK = /\p{M}/u;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const NOT_IN_WORDS = /[^\p{L}\p{N}]/gu;
const LOWER = /\p{Ll}/u;
const UPPER = /[\p{Lu}\p{Lt}]/u;
const UNSPACED =
	/[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** Letters that Unicode does not decompose, and how people write them in ASCII. */
const PLAIN = new Map(Object.entries({ æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ł: 'l', ŧ: 't', þ: 'th' }));

/** The range of Unicode 6, which every supported Node.js knows. */
const FIRST_IDEOGRAPH = 0x4e00;
const LAST_IDEOGRAPH = 0x9fcb;

/** Size limit of the cache. */
const MAX_FOLDED = 20_000;

const folded = new Map<number, FoldedCodePoint>();

/** Folds one code point: compatibility decomposition (NFKD), then without marks, invisible characters and case. */
export function foldCodePoint(code: number): FoldedCodePoint {
	// There are more ideographs than the cache holds.
	if (code >= FIRST_IDEOGRAPH && code <= LAST_IDEOGRAPH) return { kind: KIND.word, units: [code] };
	const known = folded.get(code);
	if (known !== undefined) return known;
	const codePoint = fold(code);
	if (folded.size < MAX_FOLDED) folded.set(code, codePoint);
	return codePoint;
}

function fold(code: number): FoldedCodePoint {
	const character = String.fromCodePoint(code);
	if (MARK.test(character)) return { kind: KIND.mark, units: [] };
	if (INVISIBLE.test(character)) return { kind: KIND.invisible, units: [] };
	// Marks go first: a Greek iota subscript is a mark, but its upper case is a letter.
	const letters = character.normalize('NFKD').replace(NOT_IN_WORDS, '');
	// Lower case first: the upper case of `ẞ` is `ẞ` itself.
	const lower = Array.from(letters, (letter) => letter.toLowerCase().toUpperCase().toLowerCase());
	const plain = lower.map((letter) => PLAIN.get(letter) ?? letter).join('');
	const units = Array.from({ length: plain.length }, (_, at) => plain.charCodeAt(at));
	return { kind: units.length === 0 ? KIND.separator : kindOf(character, code), units };
}

function kindOf(character: string, code: number): FoldedCodePoint['kind'] {
	if (UPPER.test(character)) return KIND.upper;
	if (LOWER.test(character)) return KIND.lower;
	if (code >= 0x1160 && code <= 0x11ff) return KIND.syllable;
	return UNSPACED.test(character) ? KIND.word : KIND.caseless;
}

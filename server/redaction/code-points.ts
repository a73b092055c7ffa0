/** What a code point is to a comparison of texts. */
export const KIND = {
	/** Stands between words. */
	separator: 0,
	/** An accent or the like: dropped, but belongs to the character before it. */
	mark: 1,
	/** Can not be seen: dropped. */
	invisible: 2,
	lower: 3,
	upper: 4,
	/** A digit, or a letter without case. */
	caseless: 5,
	/** A letter of a script that is written without spaces: a word of its own. */
	word: 6,
	/** A further letter of such a word: a Korean vowel or final consonant in decomposed text. */
	syllable: 7,
} as const;

export interface FoldedCodePoint {
	readonly kind: (typeof KIND)[keyof typeof KIND];
	/** UTF-16; empty for what is dropped and for separators. */
	readonly units: readonly number[];
}

const MARK = /\p{M}/u;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const NOT_IN_WORDS = /[^\p{L}\p{N}]/gu;
const LOWER = /\p{Ll}/u;
const UPPER = /[\p{Lu}\p{Lt}]/u;
const UNSPACED =
	/[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** Letters that Unicode does not decompose, as people write them without their stroke or as two. */
const PLAIN: Readonly<Record<string, string>> = {
	æ: 'ae',
	œ: 'oe',
	ø: 'o',
	đ: 'd',
	ð: 'd',
	ħ: 'h',
	ł: 'l',
	ŧ: 't',
	þ: 'th',
};

/** Whether a code point is a vowel or final consonant of Korean, in decomposed text. */
export function continuesSyllable(code: number): boolean {
	return code >= 0x1160 && code <= 0x11ff;
}

/**
 * Folds one code point: compatibility decomposition (NFKD), marks and invisible characters off, case off. `ß` and `ẞ`
 * give `ss`, the forms of sigma are one, `ı` and `İ` give `i`, `ł` gives `l` and `æ` gives `ae`.
 */
export function foldCodePoint(code: number): FoldedCodePoint {
	const character = String.fromCodePoint(code);
	if (MARK.test(character)) return { kind: KIND.mark, units: [] };
	if (INVISIBLE.test(character)) return { kind: KIND.invisible, units: [] };
	// Marks go first: the upper case of a Greek iota subscript, which is a mark, is a letter.
	const letters = character.normalize('NFKD').replace(NOT_IN_WORDS, '');
	// Lower case once more at first: `ẞ` is its own upper case.
	const lower = Array.from(letters, (letter) => letter.toLowerCase().toUpperCase().toLowerCase());
	const folded = lower.map((letter) => PLAIN[letter] ?? letter).join('');
	const units = Array.from({ length: folded.length }, (_, at) => folded.charCodeAt(at));
	return { kind: units.length === 0 ? KIND.separator : kindOf(character, code), units };
}

function kindOf(character: string, code: number): FoldedCodePoint['kind'] {
	if (UPPER.test(character)) return KIND.upper;
	if (LOWER.test(character)) return KIND.lower;
	if (continuesSyllable(code)) return KIND.syllable;
	return UNSPACED.test(character) ? KIND.word : KIND.caseless;
}

/** The same for the first 128 code points, which are their own folded form but for A to Z. */
export const ASCII_KINDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
	if (code >= 0x30 && code <= 0x39) return KIND.caseless;
	if (code >= 0x41 && code <= 0x5a) return KIND.upper;
	return code >= 0x61 && code <= 0x7a ? KIND.lower : KIND.separator;
});

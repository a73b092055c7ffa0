import lists from './words.json' with { type: 'json' };

/**
 * Whether a word is one that anybody writes: common English, the language of offices and of software, and regular
 * inflections of both. Names that are words as well (`mark`, `rose`, `baker`) are in; so are the remains of
 * contractions (`s` of `customer's`).
 *
 * @param foldedWord letters in lower case, without accents
 */
export function isOrdinaryWord(foldedWord: string): boolean {
	words ??= setOf(lists.ordinary);
	return words.has(foldedWord) || isInflected(foldedWord, words);
}

/** Whether an ordinary word has its capitals in the middle of a sentence too: days, months, languages, acronyms. */
export function isAlwaysCapitalised(foldedWord: string): boolean {
	capitalised ??= setOf(lists.capitalised);
	return capitalised.has(foldedWord);
}

/**
 * Whether an ordinary word names a field of a form, or joins such words. Of these alone even capitals make a label, not
 * a name: `Customer Number`, `Date of Birth`.
 *
 * @param foldedWord letters in lower case, without accents
 */
export function isFieldWord(foldedWord: string): boolean {
	fields ??= setOf(lists.fields);
	return fields.has(foldedWord);
}

/** Split when first asked for. */
let words: ReadonlySet<string> | undefined;
let capitalised: ReadonlySet<string> | undefined;
let fields: ReadonlySet<string> | undefined;

/** @param lines of words */
function setOf(lines: readonly string[]): ReadonlySet<string> {
	return new Set(lines.join(' ').split(' '));
}

/** Endings, what a base form has in place of them, and how long that has to be: `ash` makes no `asher`. */
const ENDINGS = [
	{ ending: 's', bases: [''], least: 3 },
	{ ending: 'es', bases: [''], least: 3 },
	{ ending: 'ies', bases: ['y'], least: 3 },
	{ ending: 'ed', bases: ['', 'e'], least: 3 },
	{ ending: 'ied', bases: ['y'], least: 3 },
	{ ending: 'ing', bases: ['', 'e'], least: 3 },
	{ ending: 'er', bases: ['', 'e'], least: 4 },
	{ ending: 'ier', bases: ['y'], least: 4 },
	{ ending: 'est', bases: ['', 'e'], least: 4 },
	{ ending: 'iest', bases: ['y'], least: 4 },
	{ ending: 'ly', bases: ['', 'le'], least: 4 },
	{ ending: 'ily', bases: ['y'], least: 4 },
] as const;

const DOUBLED = /([bdgklmnprt])\1$/;

function isInflected(word: string, bases: ReadonlySet<string>): boolean {
	return ENDINGS.some(({ ending, bases: replacements, least }) => {
		if (!word.endsWith(ending)) return false;
		const stem = word.slice(0, -ending.length);
		if (replacements.some((base) => stem.length + base.length >= least && bases.has(stem + base))) return true;
		const doubles = ending === 'ed' || ending === 'ing' || ending === 'er' || ending === 'est';
		return doubles && DOUBLED.test(stem) && stem.length > 3 && bases.has(stem.slice(0, -1));
	});
}

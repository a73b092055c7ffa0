import commonWords from './common-words.json' with { type: 'json' };
import lists from './words.json' with { type: 'json' };

/** Whether a word is common English, an inflection of it, or a remainder such as the `s` of `customer's`. */
export function isOrdinaryWord(word: string): boolean {
	return isBase(word) || isInflected(word, isBase);
}

/** Words with a capital even within a sentence: days, months, languages, acronyms. */
export function isAlwaysCapitalised(word: string): boolean {
	return isIn('capitalised', word);
}

/** Words that name a field. Capitals do not make a name of them: `Date of Birth`. */
export function isFieldWord(word: string): boolean {
	return isIn('fields', word);
}

/** Words that anyone writes in a row, such as `on the way to the`. */
export function isCommonWord(word: string): boolean {
	return isIn('frequent', word) || isFieldWord(word);
}

/**
 * Whether a word alone can identify a person or a place. It is no English word, no frequent name, and not used in many
 * packages.
 */
export function isRareWord(word: string): boolean {
	if (word.length < 4 || /\d/.test(word)) return word.length > 3;
	return !isKnown(word) && !isInflected(word, isKnown);
}

function isBase(word: string): boolean {
	return isIn('ordinary', word);
}

let known: ReadonlySet<string> | undefined;

function isKnown(word: string): boolean {
	known ??= new Set([...readList(), ...lists.ordinary.join(' ').split(' ')]);
	return known.has(word);
}

/**
 * Each line begins with a whole word. Further words give the number of letters shared with the word before, then the rest.
 */
function* readList(): Generator<string> {
	for (const line of commonWords) {
		let word = '';
		for (const [, shared, rest = ''] of line.matchAll(/(\d?)([a-z]+)/g)) {
			word = word.slice(0, Number(shared)) + rest;
			yield word;
		}
	}
}

const sets: Partial<Record<keyof typeof lists, ReadonlySet<string>>> = {};

function isIn(list: keyof typeof lists, word: string): boolean {
	sets[list] ??= new Set(lists[list].join(' ').split(' '));
	return sets[list].has(word);
}

/** Endings, the endings of the base form, and the base form's minimum length: `asher` is not taken for a form of `ash`. */
const ENDINGS = [
	{ endings: ['s', 'es'], bases: [''], least: 3 },
	{ endings: ['ies', 'ied'], bases: ['y'], least: 3 },
	{ endings: ['ed', 'ing'], bases: ['', 'e'], least: 3 },
	{ endings: ['er', 'est'], bases: ['', 'e'], least: 4 },
	{ endings: ['ier', 'iest', 'ily'], bases: ['y'], least: 4 },
	{ endings: ['ly'], bases: ['', 'le'], least: 4 },
];

/** A consonant can be doubled before an ending that replaces an `e`. */
const DOUBLED = /([bdgklmnprt])\1$/;

function isInflected(word: string, isKnown: (word: string) => boolean): boolean {
	if (!/[sdgrty]$/.test(word)) return false;
	return ENDINGS.some(({ endings, bases, least }) =>
		endings.some((ending) => {
			if (!word.endsWith(ending)) return false;
			const stem = word.slice(0, -ending.length);
			if (bases.some((base) => stem.length + base.length >= least && isKnown(stem + base))) return true;
			return bases.includes('e') && DOUBLED.test(stem) && stem.length > 3 && isKnown(stem.slice(0, -1));
		}),
	);
}

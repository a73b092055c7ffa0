import lists from './words.json' with { type: 'json' };

/** Common English, the language of offices and software, their inflections, and remains such as the `s` of `customer's`. */
export function isOrdinaryWord(word: string): boolean {
	return isIn('ordinary', word) || isInflected(word);
}

/** In the middle of a sentence, too: days, months, languages, acronyms. */
export function isAlwaysCapitalised(word: string): boolean {
	return isIn('capitalised', word);
}

/** Of these alone even capitals make a label, not a name: `Date of Birth`. */
export function isFieldWord(word: string): boolean {
	return isIn('fields', word);
}

/** Anybody writes runs of these: `on the way to the`. */
export function isCommonWord(word: string): boolean {
	return isIn('frequent', word) || isFieldWord(word);
}

const sets: Partial<Record<keyof typeof lists, ReadonlySet<string>>> = {};

function isIn(list: keyof typeof lists, word: string): boolean {
	sets[list] ??= new Set(lists[list].join(' ').split(' '));
	return sets[list].has(word);
}

/** Endings, what a base form has in their place, and its least length: `ash` makes no `asher`. */
const ENDINGS = [
	{ endings: ['s', 'es'], bases: [''], least: 3 },
	{ endings: ['ies', 'ied'], bases: ['y'], least: 3 },
	{ endings: ['ed', 'ing'], bases: ['', 'e'], least: 3 },
	{ endings: ['er', 'est'], bases: ['', 'e'], least: 4 },
	{ endings: ['ier', 'iest', 'ily'], bases: ['y'], least: 4 },
	{ endings: ['ly'], bases: ['', 'le'], least: 4 },
];

/** Before the endings that can stand for an `e`, a consonant may be doubled. */
const DOUBLED = /([bdgklmnprt])\1$/;

function isInflected(word: string): boolean {
	return ENDINGS.some(({ endings, bases, least }) =>
		endings.some((ending) => {
			if (!word.endsWith(ending)) return false;
			const stem = word.slice(0, -ending.length);
			if (bases.some((base) => stem.length + base.length >= least && isIn('ordinary', stem + base))) return true;
			return bases.includes('e') && DOUBLED.test(stem) && stem.length > 3 && isIn('ordinary', stem.slice(0, -1));
		}),
	);
}

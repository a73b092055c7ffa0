import { BOUNDARY, foldText } from './fold.ts';
import { isAddress } from './identifiers.ts';
import { CERTAIN, HEAD, MAX_OPENING, type Meaning } from './phrases.ts';
import { CALLING_CODE, matchAt } from './tokens.ts';
import { isOrdinaryWord, isRareWord } from './words.ts';

/** A longer entry is found as it stands only. */
const MAX_LENGTH = 80;

const TITLES = /^(?:(?:dr|herrn?|frau|mme|mrs?|ms|prof|sir)\.?\s+)+/i;

const NAME_WORD = String.raw`(?:\p{Lu}[\p{L}\p{M}.'’-]*|al|bin|da|de|del|den|der|di|dos|du|la|le|ten|van|von|zu)`;
const NAME = new RegExp(String.raw`^${NAME_WORD}(?:\s+${NAME_WORD}){0,3}$`, 'u');
const NAME_REVERSED = new RegExp(
	String.raw`^(${NAME_WORD}(?:\s+${NAME_WORD})?),\s*(${NAME_WORD}(?:\s+${NAME_WORD})?)$`,
	'u',
);

// Forms are those of a text without its escapes.

/** Letters without anything between them but marks: `call(e)` is no `Calle`. */
const TOGETHER = String.raw`[\p{L}\p{M}\p{Cf}*~]+`;

/** Nor is `callE`. */
const WORD = String.raw`(?:Mc|Mac|De|Di|La|Le|Van|[DLO]['’])?(?!\S*(?:\p{Ll}\p{Lu}|\p{Lu}{2}[a-z]))${TOGETHER}`;
const ONE_WORD = new RegExp(`^${WORD}$`, 'u');

/** A word in any case, also letter by letter, or with a break. */
const ANY_WORD = new RegExp(String.raw`^(?:${TOGETHER}|\p{L}(?:[^\p{L}]+\p{L})+|\p{L}+-\s+\p{L}+)$`, 'u');

/** So few letters, apart from each other, stand in any code. */
const FEW = 4;

/** `Z. Quackenbush` */
const INITIAL = new RegExp(String.raw`^\p{L}[\s._-]+${WORD}$`, 'u');

/** The same, or `zquackenbush` */
const ANY_INITIAL = new RegExp(String.raw`${INITIAL.source}|^(?:\p{L}{2}\p{Ll}+|\p{Lu}+)$`, 'u');

/** `S. Jackson` or `sjackson`, not `it's Jackson`. */
const CLEAR_INITIAL = /^(?:\p{Lu}\.\s?\p{Lu}\p{L}+|\p{Ll}+)$/u;

/** `M. Young`, not `my young` */
const DOTTED_INITIAL = /^\p{Lu}\.\s?\p{Lu}\p{L}+$/u;

/** A local part, or a domain. */
const PART = /^[\p{L}\p{M}\p{Cf}\d._+-]+$/u;

const CAPITALISED_WORD = new RegExp(`^(?=\\p{Lu})${WORD}$`, 'u');

/** `Quackenbush, Zebulon`; in the next line stands another one. */
const REVERSED = /^[^"'`()[\]{}<>;:|\r\n]+$/;

/** The same of ordinary words, as `Young, Mark`. */
const CAPITALISED = /^(?:\p{Lu}[^\s,]*[ \t,]*)+$/u;

/** Two letters for one count only if that one is there. */
const NOT_PLAIN = /[^\0-\x7f]/;
const NOT_PLAIN_WORD = new RegExp(`^(?=.*${NOT_PLAIN.source})${WORD}$`, 'u');

/** So few digits are anything if nothing parts them. */
const PARTED = /^\d+\D+\d+(?:\D+\d+)*$/;
const DATE = /^(?:\d+|\d+(\D{1,3})\d+\1\d+)$/;
const PARTED_DATE = /^\d+(\D{1,3})\d+\1\d+$/;

const TWO_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

const LIKELY: Meaning = { ...CERTAIN, certainty: 'likely' };
const PART_OF_ADDRESS: Meaning = { ...LIKELY, form: PART };
const LIKELY_IF_PARTED: Meaning = { ...LIKELY, form: PARTED };

/** What an entry itself means: a single word counts as a word only, and a date as one. */
export function meaningOf(written: string): Meaning {
	if (!/^[\p{Lu}\p{Ll}\p{M}]+$/u.test(written)) return CERTAIN;
	return { ...CERTAIN, form: written.length > FEW ? ANY_WORD : ONE_WORD };
}

/** Takes letters, folded, for another writing of an entry, or for a rare part of it. */
type Add = (letters: string, meaning: Meaning) => void;

/** Adds what an entry is, too, if it is of a kind that is written in several ways. */
export function addVariants(written: string, hasPlus: boolean, add: Add): void {
	if (written.length > MAX_LENGTH) return;
	if (/^\d/.test(written)) {
		if (!addDate(written, add)) addTelephone(written, hasPlus, add);
	} else if (written.includes('@')) addAddressParts(written, add);
	else if (!addDate(written, add)) addName(written, add);
	if (!/[äöüåø]|\u0308|\u030a/i.test(written)) return;
	const composed = written.normalize('NFC');
	const spelled = composed.replace(/[äöüåø]/gi, (letter) => TWO_LETTERS[letter.toLowerCase()] ?? letter);
	if (spelled === composed) return;
	add(wordsOf(spelled).join(''), CERTAIN);
	addName(spelled, add);
}

function addName(written: string, add: Add): void {
	const [, last, first] = NAME_REVERSED.exec(written) ?? [];
	const name = first === undefined ? written.replace(TITLES, '') : `${first} ${last}`;
	if (!NAME.test(name)) return;
	addWritings(wordsOf(name), undefined, add);
	const plain = name.replace(/(?<![aeiou])([aou])e(?![aeiou\s]|$)/gi, '$1');
	if (plain !== name) addWritings(wordsOf(plain), NOT_PLAIN, add);
}

/** @param form that all of them have to have */
function addWritings(words: readonly string[], form: RegExp | undefined, add: Add): void {
	const [first = '', last = ''] = [words[0], words.at(-1)];
	const certain = { ...CERTAIN, form };
	const likely = { ...LIKELY, form };
	const part = { ...LIKELY, form: form === undefined ? ONE_WORD : NOT_PLAIN_WORD };
	// A first name alone is anybody's; in `Haverstock Surgery` the first word is none.
	const isPerson = words.length > 1 && !words.slice(1).some(isOrdinaryWord);
	for (const word of words.slice(isPerson ? 1 : 0)) {
		if (word.length < 5 || !isRareWord(word)) continue;
		add(word, word.length === 5 && form === undefined ? { ...LIKELY, form: CAPITALISED_WORD } : part);
	}
	if (words.length === 1 && form !== undefined) add(first, certain);
	if (words.length < 2) return;
	const isShort = first.length < HEAD && last.length < HEAD;
	const opening = first.length <= MAX_OPENING && !isShort ? first.length : 0;
	add(words.join(''), { ...certain, opening });
	// Two parts too short to be looked for alone.
	if (isShort && words.length === 2) for (const initial of ALPHABET) add(first + initial + last, certain);
	if (words.length > 2) add(first + last, { ...likely, opening });
	const isOrdinary = words.every(isOrdinaryWord);
	if (isOrdinary && form !== undefined) return;
	add(last + words.slice(0, -1).join(''), { ...CERTAIN, form: isOrdinary ? CAPITALISED : (form ?? REVERSED) });
	if (form !== undefined || first.length < 2 || last.length < 3) return;
	const isRare = isRareWord(last);
	const initialed = first.charAt(0) + last;
	const isLogin = last.length > 4 && isRareWord(initialed) && !isOrdinaryWord(last);
	const initial = isRare ? (isLogin ? ANY_INITIAL : INITIAL) : isLogin ? CLEAR_INITIAL : DOTTED_INITIAL;
	add(initialed, { ...(isRare ? CERTAIN : LIKELY), form: initial });
}

/** The local part and the domain. */
function addAddressParts(written: string, add: Add): void {
	if (!isAddress(written)) return;
	const [local = '', domain = ''] = written.split('@');
	const words = wordsOf(local);
	const isRare = words.some((word) => word.length > 4 && isRareWord(word));
	const letters = words.join('');
	if (isRare || (words.length > 1 && letters.length > 6 && !words.every(isOrdinaryWord)))
		add(letters, PART_OF_ADDRESS);
	const labels = domain.split('.');
	const rare = labels.slice(0, -1).findLastIndex((label) => wordsOf(label).some(isRareWord));
	if (rare >= 0) add(wordsOf(labels.slice(rare).join('.')).join(''), PART_OF_ADDRESS);
}

/** With and without the calling code, with `00`, and with `(0)`. */
function addTelephone(written: string, hasPlus: boolean, add: Add): void {
	if (!/^[\d\s()./–-]{7,30}$/.test(written)) return;
	const digits = written.replace('(0)', '').replace(/\D/g, '');
	if (digits.length < 7 || digits.length > 17) return;
	const international = hasPlus ? digits : /^00(?=[1-9])/.test(digits) ? digits.slice(2) : undefined;
	if (international === undefined) {
		if (digits.startsWith('0') && digits.length > 8) add(digits.slice(1), LIKELY);
		return;
	}
	const [code = ''] = matchAt(CALLING_CODE, international, 0) ?? [];
	const rest = international.slice(code.length);
	if (code + rest !== written.replace(/\D/g, '')) add(code + rest, CERTAIN);
	add(`00${code}${rest}`, CERTAIN);
	if (rest.length > 6) add(rest, rest.length > 8 ? CERTAIN : LIKELY_IF_PARTED);
	if (code === '1') return;
	add(`0${rest}`, CERTAIN);
	add(`${code}0${rest}`, CERTAIN);
}

function addDate(written: string, add: Add): boolean {
	if (!YEAR.test(written)) return false;
	const dates = DATES.flatMap((pattern) => {
		const { y = '', m, d, name } = pattern.exec(written)?.groups ?? {};
		const month = name === undefined ? Number(m) : monthOf(wordsOf(name).join(''));
		const day = Number(d);
		const isDate = YEAR.test(y) && month > 0 && month < 13 && day > 0 && day < 32;
		return isDate ? [{ year: y, month, day }] : [];
	});
	// `03/07/1984` has two meanings.
	for (const { year, month, day } of dates)
		addDateWritings(year, month, day, dates.length > 1 ? LIKELY : CERTAIN, add);
	return dates.length > 0;
}

function addDateWritings(year: string, month: number, day: number, meaning: Meaning, add: Add): void {
	const [m, d] = [month, day].map((part) => String(part).padStart(2, '0')) as [string, string];
	const american = day < 13 && day !== month ? LIKELY : meaning;
	const addNumbers = (month: string, day: string, form: RegExp) => {
		add(year + month + day, { ...meaning, form });
		add(day + month + year, { ...meaning, form });
		add(month + day + year, { ...american, form });
	};
	addNumbers(m, d, DATE);
	if (month < 10 || day < 10) addNumbers(String(month), String(day), PARTED_DATE);
	const numbers = new Set([String(day), d]);
	const ordinal = `${day}${['th', 'st', 'nd', 'rd'][/(?<!1)[123]$/.test(d) ? day % 10 : 0]}`;
	const [long = '', short = '', ...others] = MONTHS.map((months) => months[month - 1] ?? '');
	for (const number of [...numbers, ordinal]) {
		for (const name of new Set([long, short])) {
			add(number + name + year, meaning);
			add(name + number + year, meaning);
		}
	}
	for (const number of numbers) for (const name of others) add(number + name + year, meaning);
}

/** Folded; English, short and long, German and French. */
const MONTHS = [
	'january february march april may june july august september october november december',
	'jan feb mar apr may jun jul aug sep oct nov dec',
	'januar februar marz april mai juni juli august september oktober november dezember',
	'janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre',
].map((names) => names.split(' '));

const YEAR = /(?<!\d)(?:1[89]|20)\d\d(?:\d{4})?(?!\d)/;

const DATES = [
	/^(?<y>\d{4})[-./](?<m>\d\d?)[-./](?<d>\d\d?)$/,
	/^(?<y>\d{4})(?<m>\d\d)(?<d>\d\d)$/,
	/^(?<d>\d\d?)([-./])\s?(?<m>\d\d?)\2\s?(?<y>\d{4})$/,
	/^(?<m>\d\d?)([-/])(?<d>\d\d?)\2(?<y>\d{4})$/,
	/^(?<d>\d\d?)(?:st|nd|rd|th)?\.?\s+(?<name>\p{L}{3,})\.?,?\s+(?<y>\d{4})$/u,
	/^(?<name>\p{L}{3,})\.?\s+(?<d>\d\d?)(?:st|nd|rd|th)?,?\s+(?<y>\d{4})$/u,
];

/** From 1; 0 if it is none. */
function monthOf(name: string): number {
	return 1 + Math.max(...MONTHS.map((months) => months.indexOf(name)));
}

/** The words of a text, folded. Most are ASCII, for which this is short. */
function wordsOf(text: string): string[] {
	const joined = text.replace(/['’]/g, '');
	if (/^[\0-\x7f]*$/.test(joined)) return joined.toLowerCase().match(/[a-z0-9]+/g) ?? [];
	const { letters, boundaries } = foldText(joined, 'nothing');
	const starts = [...boundaries.keys()].filter((at) => boundaries[at] === BOUNDARY.words);
	return starts.slice(0, -1).map((at, index) => letters.slice(at, starts[index + 1]));
}

import { BOUNDARY, foldText } from './fold.ts';
import { isAddress } from './identifiers.ts';
import { CERTAIN, type Certainty, HEAD_LENGTH, MAX_OPENING, type Meaning } from './phrases.ts';
import { CALLING_CODE, matchAt } from './tokens.ts';
import { isOrdinaryWord, isRareWord } from './words.ts';

/** In UTF-16 code units. A longer entry is found only as it is written. */
const MAX_LENGTH = 80;

const TITLES = /^(?:(?:dr|herrn?|frau|mme|mrs?|ms|prof|sir)\.?\s+)+/i;

const NAME_WORD = String.raw`(?:\p{Lu}[\p{L}\p{M}.'’-]*|al|bin|da|de|del|den|der|di|dos|du|la|le|ten|van|von|zu)`;
const NAME = new RegExp(String.raw`^${NAME_WORD}(?:\s+${NAME_WORD}){0,3}$`, 'u');
// Forms are matched against a text whose escapes are decoded.

/** Letters with nothing but marks between them: `call(e)` does not match `Calle`. */
const TOGETHER = String.raw`[\p{L}\p{M}\p{Cf}*~]+`;

/** A capital within a word counts only behind a prefix, as in `McKay`: `callE` does not match `Calle` either. */
const WORD = String.raw`(?:Mc|Mac|De|Di|La|Le|Van|[DLO]['’])?(?!\S*(?:\p{Ll}\p{Lu}|\p{Lu}{2}[a-z]))${TOGETHER}`;
const ONE_WORD = new RegExp(`^${WORD}$`, 'u');

/** A word in any case, also letter by letter or broken by a hyphen. */
const ANY_WORD = new RegExp(String.raw`^(?:${TOGETHER}|\p{L}(?:[^\p{L}]+\p{L})+|\p{L}+-\s+\p{L}+)$`, 'u');

/** So few letters, set apart from each other, occur in any code. */
const MAX_SHORT_WORD = 4;

/** `Z. Quackenbush`, `K.-H. Quackenbush` */
const INITIAL = new RegExp(String.raw`^(?:\p{L}[\s._-]+)+${WORD}$`, 'u');

/** The same, or `zquackenbush` */
const ANY_INITIAL = new RegExp(String.raw`${INITIAL.source}|^(?:\p{L}{2}\p{Ll}+|\p{Lu}+)$`, 'u');

/** `M. Young`, not `my young` */
const DOTTED_INITIAL = /^(?:\p{Lu}\.[\s-]?)+\p{Lu}\p{L}+$/u;

/** `S. Jackson` or `sjackson`, not `it's Jackson` */
const CLEAR_INITIAL = new RegExp(String.raw`${DOTTED_INITIAL.source}|^\p{Ll}+$`, 'u');

/** `Kim Q. Lee`, `kim_q_lee` or `KimQLee`, not `kim quel` */
const initialBehind = (letters: number) =>
	new RegExp(
		String.raw`^(?:\p{L}\p{M}*){${letters}}(?:[\s._-]+\p{Lu}[\s._-]+|[._-]\p{L}[._-]+|(?<=\p{Ll})\p{Lu}(?=\p{Lu}))`,
		'u',
	);

/** The local part or the domain of an e-mail address. */
const PART = /^[\p{L}\p{M}\p{Cf}\d._+-]+$/u;

const CAPITAL = /^\p{Lu}/u;

/** `Quackenbush, Zebulon` within one line. */
const REVERSED = /^[^"'`()[\]{}<>;:|\r\n]+$/;

/** The same for a name of ordinary words, such as `Young, Mark`. */
const CAPITALISED = /^(?:\p{Lu}[^\s,]*[ \t,]*)+$/u;

/** An entry `Mueller` also matches `Müller`, but not `Muller`. */
const NOT_PLAIN = /[^\0-\x7f]/;

/** Digits with something between them: without it, so few digits can be anything. */
const PARTED = /^\d+\D+\d+(?:\D+\d+)*$/;
const DATE = /^(?:\d+|\d+(\D{1,3})\d+\1\d+)$/;
const PARTED_DATE = /^\d+(\D{1,3})\d+\1\d+$/;

const TWO_LETTERS = {
	...{ ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' },
	...{ Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', Å: 'Aa', Ø: 'Oe' },
};

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';

const LIKELY: Meaning = { ...CERTAIN, certainty: 'likely' };

/** What an entry as written means. A single word counts only if it stands as a word. */
export function meaningOf(written: string): Meaning {
	if (!/^[\p{Lu}\p{Ll}\p{M}]+$/u.test(written)) return CERTAIN;
	return { ...CERTAIN, forms: [written.length > MAX_SHORT_WORD ? ANY_WORD : ONE_WORD] };
}

/** Receives folded letters: another form of an entry, or a rare part of it. */
type Add = (letters: string, meaning: Meaning) => void;

/** Adds an entry's other forms: addresses, dates, telephone numbers and names. */
export function addVariants(written: string, hasPlus: boolean, add: Add): void {
	if (written.length > MAX_LENGTH) return;
	if (written.includes('@')) addAddressParts(written, add);
	else if (!addDates(written, add)) {
		addTelephone(written, hasPlus, add);
		addNames(written, add);
	}
	const composed = written.normalize('NFC');
	const spelled = composed.replace(/[äöüåø]/gi, (letter) => TWO_LETTERS[letter as keyof typeof TWO_LETTERS]);
	if (spelled === composed) return;
	add(wordsOf(spelled).join(''), CERTAIN);
	addNames(spelled, add);
}

function addNames(written: string, add: Add): void {
	const name = written.replace(/^([^,]+),\s*([^,]+)$/, '$2 $1').replace(TITLES, '');
	if (!NAME.test(name)) return;
	addWritings(wordsOf(name), [], add);
	const plain = name.replace(/(?<![aeiou])([aou])e(?![aeiou\s]|$)/gi, '$1');
	if (plain !== name) addWritings(wordsOf(plain), [NOT_PLAIN], add);
}

/** @param forms what every form must match in addition */
function addWritings(words: readonly string[], forms: readonly RegExp[], add: Add): void {
	const [first = '', last = ''] = [words[0], words.at(-1)];
	const addAs = (certainty: Certainty, letters: string, own: readonly RegExp[] = [], opening = 0) =>
		add(letters, { certainty, forms: [...own, ...forms], opening });
	// Many people share a first name. In `Haverstock Surgery` the first word is not a first name.
	const isPerson = words.length > 1 && !words.slice(1).some(isOrdinaryWord);
	for (const word of words.slice(isPerson ? 1 : 0)) {
		if (word.length < 5 || !isRareWord(word)) continue;
		addAs('likely', word, word.length === 5 ? [ONE_WORD, CAPITAL] : [ONE_WORD]);
	}
	if (words.length === 1 && forms.length > 0) addAs('certain', first);
	if (words.length < 2) return;
	const isShort = first.length < HEAD_LENGTH && last.length < HEAD_LENGTH;
	const opening = first.length <= MAX_OPENING && !isShort ? first.length : 0;
	addAs('certain', words.join(''), [], opening);
	// Neither part is long enough for a search of its own.
	if (isShort && words.length === 2) {
		const form = [initialBehind(first.length)];
		for (const initial of ALPHABET) addAs('certain', first + initial + last, form);
	}
	if (words.length > 2) addAs('likely', first + last, [], opening);
	addAs('certain', last + words.slice(0, -1).join(''), [words.every(isOrdinaryWord) ? CAPITALISED : REVERSED]);
	if (first.length < 2 || last.length < 2) return;
	const isRare = isRareWord(last);
	const initials = words.slice(0, -1).map((word) => word.charAt(0));
	for (const initialed of new Set([first.charAt(0) + last, initials.join('') + last])) {
		const isLogin = last.length > 4 && isRareWord(initialed) && !isOrdinaryWord(last);
		const form = isRare ? (isLogin ? ANY_INITIAL : INITIAL) : isLogin ? CLEAR_INITIAL : DOTTED_INITIAL;
		addAs(isRare ? 'certain' : 'likely', initialed, [form]);
	}
}

/** Adds the local part and the domain if they are rare. */
function addAddressParts(written: string, add: Add): void {
	const [local = '', domain = ''] = written.split('@');
	if (!isAddress(written)) return;
	const words = wordsOf(local);
	const letters = words.join('');
	const isRare = words.some((word) => word.length > 4 && isRareWord(word));
	const isName = words.length > 1 && letters.length > 6 && !words.every(isOrdinaryWord);
	if (isRare || isName) add(letters, { ...LIKELY, forms: [PART] });
	const labels = domain.split('.');
	const rare = labels.slice(0, -1).findLastIndex((label) => wordsOf(label).some(isRareWord));
	if (rare >= 0) add(wordsOf(labels.slice(rare).join('.')).join(''), { ...LIKELY, forms: [PART] });
}

/** Adds forms with and without the calling code, with `00`, and with `(0)`. */
function addTelephone(written: string, hasPlus: boolean, add: Add): void {
	if (!/^\d[\d\s()./–-]{6,29}$/.test(written)) return;
	const digits = written.replace('(0)', '').replace(/\D/g, '');
	if (digits.length < 7 || digits.length > 17) return;
	const international = hasPlus ? digits : /^00([1-9].*)/.exec(digits)?.[1];
	if (international === undefined) {
		if (digits.startsWith('0') && digits.length > 8) add(digits.slice(1), LIKELY);
		return;
	}
	const [code = ''] = matchAt(CALLING_CODE, international, 0) ?? [];
	const rest = international.slice(code.length);
	add(code + rest, CERTAIN);
	add(`00${code}${rest}`, CERTAIN);
	if (rest.length > 6) add(rest, rest.length > 8 ? CERTAIN : { ...LIKELY, forms: [PARTED] });
	if (code === '1') return;
	add(`0${rest}`, CERTAIN);
	add(`${code}0${rest}`, CERTAIN);
}

/** @returns whether it is a date */
function addDates(written: string, add: Add): boolean {
	if (!YEAR.test(written)) return false;
	const dates = DATES.flatMap((pattern) => {
		const { y = '', m, d, name } = pattern.exec(written)?.groups ?? {};
		const isNamed = (names: readonly string[]) => names.includes(wordsOf(name ?? '').join(''));
		const month = name === undefined ? Number(m) : MONTHS.findIndex(isNamed) + 1;
		const isDate = YEAR.test(y) && month > 0 && month < 13 && Number(d) > 0 && Number(d) < 32;
		return isDate ? [{ year: y, month, day: Number(d) }] : [];
	});
	for (const { year, month, day } of dates) {
		// `03/07/1984` has two readings.
		const meaning = dates.length > 1 ? LIKELY : CERTAIN;
		const american = day < 13 && day !== month ? LIKELY : meaning;
		const [mm = '', dd = ''] = [month, day].map((part) => String(part).padStart(2, '0'));
		for (const [m, d, form] of [[mm, dd, DATE] as const, [`${month}`, `${day}`, PARTED_DATE] as const]) {
			add(year + m + d, { ...meaning, forms: [form] });
			add(d + m + year, { ...meaning, forms: [form] });
			add(m + d + year, { ...american, forms: [form] });
		}
		const ordinal = `${day}${['th', 'st', 'nd', 'rd'][/(?<!1)[123]$/.test(dd) ? day % 10 : 0]}`;
		for (const [index, name] of (MONTHS[month - 1] ?? []).entries()) {
			for (const number of new Set([`${day}`, dd, ordinal])) {
				if (index < 2 || number !== ordinal) add(number + name + year, meaning);
				if (index < 2) add(name + number + year, meaning);
			}
		}
	}
	return dates.length > 0;
}

/** Folded month names: English, long and short; German; French. */
const MONTHS = [
	...['january jan januar janvier', 'february feb februar fevrier', 'march mar marz mars', 'april apr april avril'],
	...['may may mai mai', 'june jun juni juin', 'july jul juli juillet', 'august aug august aout'],
	...['september sep september septembre', 'october oct oktober octobre', 'november nov november novembre'],
	...['december dec dezember decembre'],
].map((names) => names.split(' '));

const YEAR = /(?<!\d)(?:1[89]|20)\d\d(?:\d{4})?(?!\d)/;

const DATES = [
	/^(?<y>\d{4})([-./]?)(?<m>\d\d?)\2(?<d>\d\d?)$/,
	/^(?<d>\d\d?)([-./])\s?(?<m>\d\d?)\2\s?(?<y>\d{4})$/,
	/^(?<m>\d\d?)([-/])(?<d>\d\d?)\2(?<y>\d{4})$/,
	/^(?<d>\d\d?)(?:st|nd|rd|th)?\.?\s+(?<name>\p{L}{3,})\.?,?\s+(?<y>\d{4})$/u,
	/^(?<name>\p{L}{3,})\.?\s+(?<d>\d\d?)(?:st|nd|rd|th)?,?\s+(?<y>\d{4})$/u,
];

/** A text's folded words. ASCII, the common case, has a fast path. */
function wordsOf(text: string): string[] {
	const joined = text.replace(/['’]/g, '');
	if (/^[\0-\x7f]*$/.test(joined)) return joined.toLowerCase().match(/[a-z0-9]+/g) ?? [];
	const { letters, boundaries } = foldText(joined, 'nothing');
	const starts = [...boundaries.keys()].filter((at) => boundaries[at] === BOUNDARY.words);
	return starts.slice(0, -1).map((at, index) => letters.slice(at, starts[index + 1]));
}

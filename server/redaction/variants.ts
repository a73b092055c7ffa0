import type { WrittenText } from './distinctive.ts';
import { BOUNDARY, foldText } from './fold.ts';
import { isAddress } from './identifiers.ts';
import { MAX_OPENING, type Meaning } from './phrases.ts';
import { isOrdinaryWord, isRareWord } from './words.ts';

/** Another writing of an entry, or a rare part of it, folded. */
export interface Variant extends Omit<Meaning, 'line'> {
	readonly letters: string;
}

/** A longer entry is found as it stands only. */
const MAX_LENGTH = 80;

const TITLES = /^(?:(?:dr|herrn?|frau|mme|mrs?|ms|prof|sir)\.?\s+)+/i;

const NAME_WORD = String.raw`(?:\p{Lu}[\p{L}\p{M}.'’-]*|al|bin|da|de|del|den|der|di|dos|du|la|le|ten|van|von|zu)`;
const NAME = new RegExp(String.raw`^${NAME_WORD}(?:\s+${NAME_WORD}){0,3}$`, 'u');
const NAME_REVERSED = new RegExp(
	String.raw`^(${NAME_WORD}(?:\s+${NAME_WORD})?),\s*(${NAME_WORD}(?:\s+${NAME_WORD})?)$`,
	'u',
);

/** `S. Jackson` or `sjackson`, not `it's Jackson`. */
const INITIAL = /^\p{L}(?:\.|\p{L}+$)/u;

const CAPITALISED = /^(?:\p{Lu}[^\s,]*[\s,]*)+$/u;

/** Two letters for one count only if that one is there. */
const NOT_PLAIN = /[^\0-\x7f]|[&\\%=]/;

/** So few digits are anything if nothing parts them. */
const PARTED = /^\d+\D+\d+(?:\D+\d+)*$/;

const TWO_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

/** What else counts as an entry. */
export function variantsOf({ text, folded }: WrittenText, start: number, end: number): Variant[] {
	const from = folded.starts[start] ?? 0;
	const written = text.slice(from, folded.ends[end - 1]);
	if (written.length > MAX_LENGTH) return [];
	if (/^\d/.test(written)) {
		const dates = [...datesOf(written)];
		return dates.length > 0 ? dates : [...telephonesOf(written, text[from - 1] === '+')];
	}
	const variants = written.includes('@') ? addressParts(written) : [...datesOf(written), ...namesOf(written)];
	const composed = written.normalize('NFC');
	const spelled = composed.replace(/[äöüåø]/gi, (letter) => TWO_LETTERS[letter.toLowerCase()] ?? letter);
	if (spelled !== composed) {
		variants.push({ letters: foldText(spelled, 'nothing').letters, certainty: 'certain' }, ...namesOf(spelled));
	}
	return variants;
}

function* namesOf(written: string): Generator<Variant> {
	const [, last, first] = NAME_REVERSED.exec(written) ?? [];
	const name = first === undefined ? written.replace(TITLES, '') : `${first} ${last}`;
	if (!NAME.test(name)) return;
	const words = wordsOf(name);
	yield* writingsOf(words, undefined);
	const plain = name.replace(/(?<![aeiou])([aou])e(?![aeiou\s]|$)/gi, '$1');
	if (plain === name) return;
	for (const variant of writingsOf(wordsOf(plain), NOT_PLAIN)) if (variant.form === NOT_PLAIN) yield variant;
}

/** @param form of all that have no other */
function* writingsOf(words: readonly string[], form: RegExp | undefined): Generator<Variant> {
	const [first = '', last = ''] = [words[0], words.at(-1)];
	if (words.length === 1 && form !== undefined) yield { letters: first, certainty: 'certain', form };
	if (words.length > 1) {
		const opening = first.length <= MAX_OPENING ? first.length : undefined;
		yield { letters: words.join(''), certainty: 'certain', form, opening };
		const reversed = last + words.slice(0, -1).join('');
		yield { letters: reversed, certainty: 'certain', form: words.every(isOrdinaryWord) ? CAPITALISED : form };
		if (words.length > 2) yield { letters: first + last, certainty: 'likely', form, opening };
		if (first.length > 1 && last.length > 2) {
			const isRare = isRareWord(last);
			yield {
				letters: first.charAt(0) + last,
				certainty: isRare ? 'certain' : 'likely',
				form: isRare ? form : INITIAL,
			};
		}
	}
	for (const word of words) if (word.length > 4 && isRareWord(word)) yield { letters: word, certainty: 'likely', form };
}

function wordsOf(name: string): string[] {
	const { letters, boundaries } = foldText(name.replace(/['’]/g, ''), 'nothing');
	const starts = [...boundaries.keys()].filter((at) => boundaries[at] === BOUNDARY.words);
	return starts.slice(0, -1).map((at, index) => letters.slice(at, starts[index + 1]));
}

/** The local part and the domain. */
function addressParts(written: string): Variant[] {
	if (!isAddress(written)) return [];
	const [local = '', domain = ''] = written.split('@');
	const variants: Variant[] = [];
	const words = wordsOf(local);
	const isRare = words.some((word) => word.length > 4 && isRareWord(word));
	if (isRare || (words.length > 1 && words.join('').length > 6 && !words.every(isOrdinaryWord))) {
		variants.push({ letters: words.join(''), certainty: 'likely' });
	}
	const labels = domain.split('.');
	const rare = labels.slice(0, -1).findLastIndex((label) => wordsOf(label).some(isRareWord));
	if (rare >= 0) variants.push({ letters: wordsOf(labels.slice(rare).join('.')).join(''), certainty: 'likely' });
	return variants;
}

const CALLING_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** With and without the calling code, with `00`, and with `(0)`. */
function* telephonesOf(written: string, hasPlus: boolean): Generator<Variant> {
	if (!/^[\d\s()./–-]{7,30}$/.test(written)) return;
	const digits = written.replace('(0)', '').replace(/\D/g, '');
	if (digits.length < 7 || digits.length > 17) return;
	const international = hasPlus ? digits : /^00(?=[1-9])/.test(digits) ? digits.slice(2) : undefined;
	if (international === undefined) {
		if (digits.startsWith('0') && digits.length > 8) yield { letters: digits.slice(1), certainty: 'likely' };
		return;
	}
	const [code = ''] = CALLING_CODE.exec(international) ?? [];
	const rest = international.slice(code.length);
	for (const letters of [code + rest, `00${code}${rest}`, `0${rest}`, `${code}0${rest}`]) {
		yield { letters, certainty: 'certain' };
	}
	if (rest.length > 6)
		yield {
			letters: rest,
			certainty: rest.length > 8 ? 'certain' : 'likely',
			form: rest.length > 8 ? undefined : PARTED,
		};
}

/** The names of the months as they are folded, also cut to three letters in English. */
const MONTHS = Array.from({ length: 12 }, (_, month) => {
	const [english = '', ...others] = ['en', 'de', 'fr'].map((locale) =>
		wordsOf(new Date(Date.UTC(2000, month, 15)).toLocaleDateString(locale, { month: 'long', timeZone: 'UTC' })).join(
			'',
		),
	);
	return { english: [english, english.slice(0, 3)], others };
});
const MONTH_NAMES = new Map(
	MONTHS.flatMap(({ english, others }, month) => [...english, ...others].map((name) => [name, month + 1])),
);

const DATES = [
	/^(?<y>\d{4})[-./](?<m>\d\d?)[-./](?<d>\d\d?)$/,
	/^(?<y>\d{4})(?<m>\d\d)(?<d>\d\d)$/,
	/^(?<d>\d\d?)([-./])\s?(?<m>\d\d?)\2\s?(?<y>\d{4})$/,
	/^(?<m>\d\d?)([-/])(?<d>\d\d?)\2(?<y>\d{4})$/,
	/^(?<d>\d\d?)(?:st|nd|rd|th)?\.?\s+(?<name>\p{L}{3,})\.?,?\s+(?<y>\d{4})$/u,
	/^(?<name>\p{L}{3,})\.?\s+(?<d>\d\d?)(?:st|nd|rd|th)?,?\s+(?<y>\d{4})$/u,
];

function* datesOf(written: string): Generator<Variant> {
	for (const pattern of DATES) {
		const { y = '', m, d, name } = pattern.exec(written)?.groups ?? {};
		const month = name === undefined ? Number(m) : MONTH_NAMES.get(wordsOf(name).join(''));
		const day = Number(d);
		if (month === undefined || !(month > 0 && month < 13 && day > 0 && day < 32) || !/^(?:1[89]|20)/.test(y)) continue;
		yield* writingsOfDate(y, month, day);
	}
}

function* writingsOfDate(year: string, month: number, day: number): Generator<Variant> {
	const [m, d] = [month, day].map((part) => String(part).padStart(2, '0')) as [string, string];
	yield { letters: year + m + d, certainty: 'certain' };
	yield { letters: d + m + year, certainty: 'certain' };
	yield { letters: m + d + year, certainty: day > 12 ? 'certain' : 'likely' };
	for (const letters of [`${year}${month}${day}`, `${day}${month}${year}`])
		yield { letters, certainty: 'certain', form: PARTED };
	yield { letters: `${month}${day}${year}`, certainty: day > 12 ? 'certain' : 'likely', form: PARTED };
	const { english, others } = MONTHS[month - 1] as (typeof MONTHS)[number];
	const ordinal = `${day}${['th', 'st', 'nd', 'rd'][/(?<!1)[123]$/.test(d) ? day % 10 : 0]}`;
	for (const number of new Set([String(day), d, ordinal])) {
		for (const name of english) {
			yield { letters: number + name + year, certainty: 'certain' };
			yield { letters: name + number + year, certainty: 'certain' };
		}
	}
	for (const number of new Set([String(day), d])) {
		for (const name of others) yield { letters: number + name + year, certainty: 'certain' };
	}
}

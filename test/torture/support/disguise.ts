import type { Random } from '../random.ts';

/** Ways to write one character that docs/protection.md says make no difference. */
const LETTERS: readonly ((letter: string) => string)[] = [
	(letter) => letter.toUpperCase(),
	(letter) => letter.toLowerCase(),
	(letter) => letter.normalize('NFD'),
	(letter) => letter.normalize('NFC'),
	(letter) => letter.normalize('NFKC'),
	(letter) => letter.replace(/[!-~]/g, (ascii) => String.fromCharCode(ascii.charCodeAt(0) + 0xfee0)),
	(letter) => letter.replace(/[A-Z]/g, (ascii) => String.fromCodePoint(ascii.charCodeAt(0) - 0x41 + 0x1d400)),
	(letter) => letter.replace(/[0-9]/g, (ascii) => String.fromCodePoint(ascii.charCodeAt(0) - 0x30 + 0x1d7ce)),
	(letter) => letter.replace(/\p{Script=Latin}/u, '$&\u0301'),
	(letter) => letter.replace(/\p{Script=Latin}/u, '$&\u0308\u0323'),
	(letter) => `&#x${(letter.codePointAt(0) ?? 0).toString(16)};`,
	(letter) => `&#${letter.codePointAt(0) ?? 0};`,
];

const INVISIBLE = ['\u200b', '\u00ad', '\u2060', '\ufeff', '\u200c', '\u200d', '\u200e', '\ufe0f', '\u{e0020}'];

const BETWEEN_WORDS = [
	...[
		' ',
		'  ',
		'\t',
		'\n',
		'\r\n',
		'\n\n',
		' \n- ',
		'\n> ',
		'\u00a0',
		'\u2009',
		'\u3000',
		'_',
		'\\_',
		'-',
		'\u2011',
		'–',
	],
	...['.', '/', ', ', ': ', '** **', '* _', '` `', '&nbsp;', '<br>', '</b> <i>', '" "', '’ ', '~~', '('],
];

const AROUND: readonly (readonly [string, string])[] = [
	...([
		['', ''],
		['**', '**'],
		['*', '*'],
		['_', '_'],
		['~~', '~~'],
		['`', '`'],
		['"', '"'],
		['“', '”'],
		['„', '“'],
		['«', '»'],
		['(', ')'],
		['<b>', '</b>'],
		['\n> ', '\n'],
		['\n- ', '\n'],
		['\n```\n', '\n```\n'],
		['[', '](docs/elsewhere.html)'],
	] as const),
];

/** How strongly something is disguised. */
type Disguise = (words: readonly string[], random: Random) => string;

const DISGUISES: Readonly<Record<string, Disguise>> = {
	'as it is, other separators': (words, random) => joined(words, () => random.pick(BETWEEN_WORDS)),
	joined: (words, random) => random.pick([words.join(''), words.join('').toLowerCase(), words.join('').toUpperCase()]),
	'snake case': (words) => words.join('_').toLowerCase(),
	'camel case': (words) => words.map(capital).join(''),
	'one word a line': (words, random) => words.join(random.pick(['\n', '\n- ', '\r\n', '\n> '])),
	spaced: (words, random) => joined([...words.join('')], () => random.pick([' ', '-', '.', '\n', ' \n'])),
	'one way for all letters': (words, random) => {
		const write = random.pick(LETTERS);
		return joined(
			words.map((word) => letters(word, () => write)),
			() => random.pick([' ', '_', '\n']),
		);
	},
	'all ways': (words, random) => {
		const disguised = words.map((word) =>
			letters(word, () => (random.chance(0.5) ? String : random.pick(LETTERS)), random),
		);
		return joined(disguised, () => random.pick(BETWEEN_WORDS));
	},
};

/** What a disguise may not be used for: there a separator belongs to each word. */
const JOINING = ['joined', 'camel case', 'spaced'];

/** Writes words in one of the ways that count as the same. @param isRun whether it is found as words in a row only */
export function disguised(words: readonly string[], isRun: boolean, random: Random): { text: string; how: string } {
	const names = Object.keys(DISGUISES).filter((name) => !isRun || !JOINING.includes(name));
	const how = random.pick(names);
	const [before, after] = random.pick(AROUND);
	return { text: `${before}${DISGUISES[how]?.(words, random) ?? ''}${after}`, how };
}

/** The letters and digits of a text in one case, without accents: another way than that of the code under test. */
export function plain(text: string): string {
	const decoded = text
		.replace(/&nbsp;/g, ' ')
		.replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
		.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 10)))
		.replace(/<\/?(?:b|i|br)>/g, ' ');
	const letters = decoded.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
	return letters.toLowerCase().toUpperCase().toLowerCase().replace(/ς/g, 'σ').normalize('NFKD').replace(/\p{M}/gu, '');
}

function letters(word: string, way: () => (letter: string) => string, invisible?: Random): string {
	return [...word]
		.map((letter, at) => {
			const hidden = at > 0 && invisible?.chance(0.2) === true ? invisible.pick(INVISIBLE) : '';
			return hidden + (/\p{M}/u.test(letter) ? letter : way()(letter));
		})
		.join('');
}

function joined(parts: readonly string[], joint: () => string): string {
	return parts.reduce((text, part) => (text === '' ? part : text + joint() + part), '');
}

function capital(word: string): string {
	return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

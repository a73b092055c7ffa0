import type { Random } from '../random.ts';

const FIRST = [
	...[
		'Ottilie',
		'Casimir',
		'Perpetua',
		'Zoë',
		'Łukasz',
		'Søren',
		'François',
		'Ágnes',
		'Jürgen',
		'Bartholomew',
		'Sunniva',
	],
	...['Rosamund', 'Þórunn', 'Ståle', 'Ioana', 'Ngọc', 'Şebnem', 'Iñaki', 'Øyvind', 'Clementine', 'Evander', 'İlkay'],
];
const LAST = [
	...['Brandvold', 'Thornquist', 'Achterberg', 'Müßiggang', 'Köpenick', 'Øvergård', 'Dvořák', 'Haugland', 'Eckersley'],
	...['Çelikkol', 'Nguyễn', 'Marchetti', 'Dunmarrow', 'Falkenrath', 'Quennell', 'Strauß', 'Ibañez', 'Szczepański'],
];
const STREETS = [
	'Quillfeather Lane',
	'Larkspur Mews',
	'Veilchenpfad',
	'Hagebuttenweg',
	'Rue Bergougnoux',
	'Ulica Żurawia',
];
const TOWNS = ['Nether Wobbling', 'Upper Snodsbury', 'Oberammerwil', 'Wexcombe', 'Niederfinow', 'Kirkjubæjarklaustur'];
const OTHER_SCRIPTS = [
	...[
		'Анастасия Воронцова',
		'Юрий Щербаков',
		'Ελένη Παπαδοπούλου',
		'Γιώργος Στυλιανός',
		'فاطمة الزهراء',
		'יעקב רוזנבלום',
	],
	...[
		'王秀英',
		'歐陽文華',
		'佐藤花子',
		'タナカ ハルト',
		'김민준',
		'남궁 서연',
		'สมชาย ใจดีมาก',
		'अनीता शर्मा',
		'მარიამ გელაშვილი',
		'Արամ Հակոբյան',
	],
];

/** Parts of made-up words; a word of three of them is none of any language. */
const SYLLABLES = ['zok', 'bre', 'dixa', 'tugi', 'kefa', 'raß', 'gat', 'ñi', 'vym', 'oku'];

/** Words that anybody writes, between those. */
const COMMON = ['the', 'of', 'and', 'with', 'address', 'on', 'for', 'a', 'number', 'from', 'in', 'at'];

/** What somebody keeps private, each kind in many shapes. */
export const PRIVATE_WORDS = {
	name: (random: Random) => `${random.pick(FIRST)} ${random.pick(LAST)}`,
	'street address': (random: Random) => `${2 + random.below(97)} ${random.pick(STREETS)}, ${random.pick(TOWNS)}`,
	number: (random: Random) =>
		random.pick([
			() => `+49 30 ${digits(random, 4)} ${digits(random, 4)}`,
			() => `(0171) 555-${digits(random, 4)}`,
			() => `${digits(random, 4)} ${digits(random, 4)} ${digits(random, 4)} ${digits(random, 4)}`,
			() => `DE${digits(random, 2)} ${digits(random, 4)} ${digits(random, 4)} ${digits(random, 4)}`,
			() => `KD-${digits(random, 4)}-${digits(random, 3)}`,
			() => `205/${digits(random, 4)}/${digits(random, 4)}`,
			() => digits(random, 8),
		])(),
	host: (random: Random) =>
		random.pick([
			() => `${ascii(random.pick(LAST))}-${digits(random, 3)}.haugland.example`,
			() => `${ascii(random.pick(FIRST))}.${ascii(random.pick(LAST))}@mail-${digits(random, 3)}.example`,
			() => `https://wiki.${ascii(random.pick(LAST))}.example/plans/${digits(random, 4)}`,
			() => `192.168.${100 + random.below(156)}.${100 + random.below(156)}`,
		])(),
	'other script': (random: Random) => random.pick(OTHER_SCRIPTS),
} as const satisfies Readonly<Record<string, (random: Random) => string>>;

export type Kind = keyof typeof PRIVATE_WORDS;

/** A text of so many words; of any five in a row at least one is made up. */
export function prose(random: Random, count: number): string[] {
	return Array.from({ length: count }, (_, at) =>
		at % 3 === 0
			? `${random.pick(SYLLABLES)}${random.pick(SYLLABLES)}${random.pick(SYLLABLES)}${digits(random, 2)}`
			: random.pick(COMMON),
	);
}

/** The words of a text: what stands between other characters than letters, digits, and the marks that go with them. */
export function wordsOf(text: string): string[] {
	return text.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');
}

function digits(random: Random, count: number): string {
	return Array.from({ length: count }, () => random.below(10)).join('');
}

function ascii(word: string): string {
	return word
		.normalize('NFKD')
		.replace(/[^\p{L}]/gu, '')
		.replace(/ß/g, 'ss')
		.replace(/[^a-z]/gi, 'x')
		.toLowerCase();
}

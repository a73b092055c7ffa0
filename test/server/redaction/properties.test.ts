import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prepareFile } from '../../../server/redaction/passages.ts';
import { redact } from '../../../server/redaction/redact.ts';
import { catalogsByHand } from '../../support/catalogs.ts';
import { random } from '../../support/random.ts';
import { runs } from '../../support/runs.ts';
import { writeReport } from './reports/report.ts';

/** Words of a catalog and words around it are made of different syllables, so they share nothing. */
function wordsOf(...syllables: string[]) {
	return fc.array(fc.constantFrom(...syllables), { minLength: 3, maxLength: 4 }).map((parts) => parts.join(''));
}
const privateWord = wordsOf('zok', 'bré', 'dixa', 'tügi', 'kefa', 'raß', 'gat', 'ñi', '77');
const otherWord = wordsOf('lom', 'pus', 'wyn', 'hul', 'mov', 'sop', '5');

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

type Kind = (entry: string, other: string) => string;

/** How an entry stands in a catalog beside something else that a comma or a bracket parts from it. */
const PARTED: readonly Kind[] = [
	(entry, other) => `  1. [ ] ${entry} (${other})`,
	(entry, other) => `> ${other}, ${entry}; ${other}`,
];

/** How an entry stands in a catalog; each takes one line. */
const KINDS: readonly Kind[] = [
	...PARTED,
	(entry) => `- ${entry}`,
	(entry, other) => `| ${other} | ${entry} |`,
	(entry, other) => `**${other}**: ${entry}`,
	(entry, other) => `and ${other} of \`${entry}\` then ${other}`,
	(entry, other) => `and ${other} of "${entry}" then ${other}`,
	(entry, other) => `and ${other} of “${entry}” then ${other}`,
	(entry, other) => `and ${other} of **${entry}** then ${other}`,
	(entry, other) => `- ${other}: \`${entry}\``,
	(entry, other) => `see [${entry}](https://${other}.example)`,
	(entry) => entry,
];

/** The same over several lines. */
const MORE_KINDS: readonly Kind[] = [
	(entry, other) => `\n| nr | ${other} |\n|---|---|\n| 1 | ${entry} |\n`,
	(entry, other) => `\n| ${other} | nr |\n|:---|---:|\n| **${entry}** | 1 |\n`,
	(entry) => `\n${entry}\n`,
	(entry) => `\n\`\`\`\n${entry}\n\`\`\`\n`,
];

interface Catalog {
	readonly text: string;
	/** The words of each entry, and its line. */
	readonly entries: readonly { readonly words: readonly string[]; readonly line: number }[];
}

const catalog: fc.Arbitrary<Catalog> = fc
	.record({
		words: fc.uniqueArray(privateWord, { minLength: 12, maxLength: 40, selector: plain }),
		others: fc.uniqueArray(wordsOf('jeq', 'cux', 'vic'), { minLength: 40, maxLength: 40 }),
		kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 12, maxLength: 12 }),
		blanks: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
	})
	.map(({ words, others, kinds, blanks }) => {
		const lines = ['# jeqjeqjeq'];
		const entries = [];
		for (let n = 0; n < words.length / 3; n++) {
			const own = words.slice(n * 3, n * 3 + 1 + (n % 3)).map(capital);
			if (blanks[n] === true) lines.push('');
			lines.push(kinds[n % 12]?.(own.join(' '), others[n] ?? '') ?? '');
			entries.push({ words: own, line: lines.length });
		}
		return { text: lines.join('\n'), entries };
	});

/** The letters and digits of a text in one case, without accents: another way than that of the code under test. */
function plain(text: string): string {
	const decoded = text
		.replace(/&nbsp;/g, ' ')
		.replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
		.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 10)))
		.replace(/<\/?(?:b|i|br)>/g, ' ');
	const letters = decoded.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '');
	return letters.toLowerCase().toUpperCase().toLowerCase().replace(/ς/g, 'σ').normalize('NFKD').replace(/\p{M}/gu, '');
}

/** Ways to write one character that docs/protection.md says make no difference. */
const LETTERS: readonly ((letter: string) => string)[] = [
	(letter) => letter,
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
	...(['', '**', '*', '_', '~~', '`', '"'] as const).map((mark) => [mark, mark] as const),
	...([
		['“', '”'],
		['„', '“'],
		['«', '»'],
		['(', ')'],
		['<b>', '</b>'],
		['\n> ', '\n'],
		['\n- ', '\n'],
	] as const),
	...([
		['\n```\n', '\n```\n'],
		['[', '](docs/elsewhere.html)'],
	] as const),
];

/** How the words of a unit can stand too, since it is found without its blanks. */
const WHOLE: readonly ((words: readonly string[]) => string)[] = [
	(words) => words.map(capital).join(''),
	(words) => words.join('').toLowerCase(),
	(words) => words.join('').toUpperCase(),
	...[' ', '-', '.', '\n', ' \n'].map((joint) => (words: readonly string[]) => [...words.join('')].join(joint)),
];

const written = fc.constantFrom(...LETTERS);
const disguise = fc.record({
	letters: fc.oneof(
		fc.array(written, { minLength: 30, maxLength: 30 }),
		fc.tuple(written),
		fc.constant([(letter: string) => letter]),
	),
	/** What stands before a letter within a word. */
	hidden: fc.oneof(
		fc.constant(['']),
		fc.array(fc.constantFrom('', '', '', ...INVISIBLE), { minLength: 30, maxLength: 30 }),
	),
	joints: fc.array(fc.constantFrom(...BETWEEN_WORDS), { minLength: 10, maxLength: 10 }),
	whole: fc.option(fc.constantFrom(...WHOLE), { freq: 4, nil: undefined }),
	around: fc.constantFrom(...AROUND),
});
type Disguise = typeof disguise extends fc.Arbitrary<infer Value> ? Value : never;

/** Whatever stands between the first letter and the last one belongs to the passage. */
function disguised(words: readonly string[], { letters, hidden, joints, whole }: Disguise, isRun = false): string {
	if (whole !== undefined && !isRun) return whole(words);
	let text = '';
	let count = 0;
	for (const [at, word] of words.entries()) {
		if (at > 0) text += joints[at % joints.length];
		for (const [index, letter] of [...word].entries()) {
			const write = /\p{M}/u.test(letter) ? String : (letters[count % letters.length] ?? String);
			text += (index > 0 ? hidden[count % hidden.length] : '') + write(letter);
			count++;
		}
	}
	return text;
}

const around = fc
	.array(fc.tuple(otherWord, fc.constantFrom(' ', '. ', '\n', ', ', '\n- ', ' | ', '"', '&amp;', '😀 ')), {
		maxLength: 30,
	})
	.map((pieces) => pieces.map((piece) => piece.join('')).join(''));

describe('a planted passage is replaced, and nothing else', () => {
	test('a unit of any kind', () => {
		fc.assert(
			fc.property(catalog, fc.nat(), disguise, around, around, ({ text, entries }, pick, how, before, after) => {
				const entry = entries[pick % entries.length];
				if (entry === undefined) return;
				const [open, close] = how.around;
				const answer = `${before} ${open}${disguised(entry.words, how)}${close} ${after}`;
				const redaction = redact(answer, [prepareFile(text)]);
				expect(redaction.text).toBe(`${before} ${open}[context:L${entry.line}]${close} ${after}`);
				expect(redaction).toMatchObject({ passages: 1, lines: [entry.line] });
				expect(plain(redaction.text)).not.toContain(plain(entry.words.join('')));
			}),
			{ numRuns: runs(500) },
		);
	});

	test('a run of five words and more', () => {
		const prose = fc.uniqueArray(privateWord, { minLength: 10, maxLength: 30, selector: plain });
		const pick = fc.record({
			start: fc.nat(),
			length: fc.integer({ min: 5, max: 9 }),
			perLine: fc.integer({ min: 1, max: 9 }),
		});
		fc.assert(
			fc.property(
				prose,
				pick,
				disguise,
				around,
				around,
				(words, { start: any, length, perLine }, how, before, after) => {
					const start = any % (words.length - length + 1);
					let text = '# ';
					for (const [at, word] of words.entries()) text += word + (at % perLine === perLine - 1 ? '\n' : ' ');
					const [open, close] = how.around;
					const run = words.slice(start, start + length);
					const answer = `${before} ${open}${disguised(run, how, true)}${close} ${after}`;
					const redaction = redact(answer, [prepareFile(text)]);
					const line = Math.floor(start / perLine) + 1;
					expect(redaction.text).toBe(`${before} ${open}[context:L${line}]${close} ${after}`);
					expect(plain(redaction.text)).not.toContain(plain(run.join('')));
				},
			),
			{ numRuns: runs(500) },
		);
	});
});

/** What people keep private; a digit stands for each `#`, and a name of each list for FIRST, LAST and TOWN. */
const PRIVATE = [
	...['FIRST LAST', 'FIRST LAST', '## Quillfeather Lane, TOWN', '# Veilchenpfad, TOWN', '## Ulica Żurawia, TOWN'],
	...[
		'+49 30 #### ####',
		'(0171) 555-####',
		'#### #### #### ####',
		'DE## #### #### ####',
		'KD-####-###',
		'205/####/####',
	],
	...['########', 'thornquist-###.haugland.example', 'ottilie.mark@mail-###.example', '192.168.1##.1##'],
	...['https://wiki.eckersley.example/plans/####', 'Анастасия Воронцова', 'Юрий Щербаков', 'Ελένη Παπαδοπούλου'],
	...[
		'Γιώργος Στυλιανός',
		'فاطمة الزهراء',
		'יעקב רוזנבלום',
		'王秀英',
		'歐陽文華',
		'佐藤花子',
		'タナカ ハルト',
		'김민준',
	],
	...['남궁 서연', 'สมชาย ใจดีมาก', 'अनीता शर्मा', 'მარიამ გელაშვილი', 'Արամ Հակոբյան'],
];
const NAMES: Readonly<Record<string, readonly string[]>> = {
	FIRST: 'Ottilie Zoë Łukasz Søren François Ágnes Jürgen Sunniva Þórunn Ngọc Şebnem Iñaki Øyvind İlkay'.split(' '),
	LAST: 'Brandvold Müßiggang Köpenick Øvergård Dvořák Çelikkol Nguyễn Quennell Strauß Ibañez Szczepański'.split(' '),
	TOWN: ['Nether Wobbling', 'Upper Snodsbury', 'Oberammerwil', 'Wexcombe', 'Niederfinow', 'Kirkjubæjarklaustur'],
};
const privateText = fc
	.tuple(fc.constantFrom(...PRIVATE), fc.array(fc.nat(999), { minLength: 20, maxLength: 20 }))
	.map(([pattern, numbers]) => {
		let at = 0;
		return pattern.replace(/#|FIRST|LAST|TOWN/g, (what) => {
			const number = numbers[at++] ?? 0;
			return NAMES[what]?.[number % NAMES[what].length] ?? String(number % 10);
		});
	});
const SENTENCES = readFileSync(join(import.meta.dirname, 'reports', 'sentences.md'), 'utf8');
const report = fc.nat().map((seed) => writeReport(random(seed), SENTENCES));

const made = fc
	.array(fc.tuple(privateText, fc.constantFrom(...KINDS, ...MORE_KINDS)), { minLength: 1, maxLength: 30 })
	.map((all) => {
		// What has a comma of its own is whole if no other one stands there.
		const lines = all.map(([entry, kind]) => {
			return /[,(]/.test(entry) && PARTED.includes(kind) ? `- ${entry}` : kind(entry, 'jeqcux');
		});
		return { text: lines.join('\n'), identifiers: all.map(([entry]) => entry) };
	});
/** Catalogs as people write them, with the identifiers that stand in lines, items and cells of their own. */
const byHand = catalogsByHand().flatMap(({ text }) => {
	const lines = [...text.matchAll(/^(?:- |\d+\. |\| )?([^|\n`":#]{7,60})$/gm)].map(([, line = '']) => line);
	const identifiers = lines.filter((line) => /^[^a-z]*\d{4}[^a-z]*$|^[A-Z][a-z]+ [A-Z][a-z]+$/.test(line));
	return identifiers.length > 2 ? [{ text, identifiers }] : [];
});

test('what people keep private is replaced in reports, and nothing else', () => {
	const catalogs = fc.oneof({ arbitrary: made, weight: 9 }, fc.constantFrom(...byHand));
	fc.assert(
		fc.property(catalogs, fc.nat(), disguise, report, fc.nat(), ({ text, identifiers }, pick, how, report, place) => {
			const file = prepareFile(text);
			const words = wordsIn(identifiers[pick % identifiers.length] ?? '');
			const at = report.indexOf(' ', place % report.length);
			const [before, after] = at < 0 ? [report, ''] : [report.slice(0, at), report.slice(at)];
			const [open, close] = how.around;
			const answer = redact(`${before} qqx ${open}${disguised(words, how)}${close} qqy ${after}`, [file]).text;
			const pieces = answer.split(/\[context:L\d+\]/).map(plain);
			for (const piece of pieces) expect(piece).not.toContain(plain(words.join('')));
			// One report of a thousand loses text anyway.
			if (redact(report, [file]).passages > 0) return;
			expect(pieces.join('')).toBe(plain(`${before} qqx ${close.includes('docs') ? close : ''} qqy ${after}`));
		}),
		{ numRuns: runs(500) },
	);
});

/** What stands between other characters than letters, digits, and the marks that go with them. */
function wordsIn(text: string): string[] {
	return text.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');
}

test('text that shares nothing stays as it is', () => {
	fc.assert(
		fc.property(catalog, around, ({ text }, answer) => {
			expect(redact(answer, [prepareFile(text)])).toEqual({ text: answer, passages: 0, lines: [] });
		}),
	);
});

describe('redacting once more changes nothing', () => {
	const piece = fc.oneof(
		fc.constantFrom(
			'[context:L1]',
			'[context:L',
			']',
			'context',
			':',
			'L12',
			' ',
			'\n',
			'&',
			'#',
			'74;',
			'\u0301',
			'\u200b',
		),
		fc.constantFrom(
			'Jane',
			'Doe',
			'Samuel ',
			'L. ',
			' Jackson',
			'Quackenbush, ',
			'Zebulon ',
			'1984',
			'-03-07',
			'\\n',
			'%20',
			'&quot;',
			'jane',
			'doe',
			'x',
			'B',
			'mill',
			'by',
			'river',
			'字',
			'한',
			'\u1161',
			'<b>',
			'<',
			'[',
		),
		fc.string({ unit: 'grapheme', maxLength: 4 }),
	);
	const mixed = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

	test('whatever the file and the answer are', () => {
		fc.assert(
			fc.property(mixed, mixed, mixed, (first, second, answer) => {
				const files = [
					first,
					`- ${second}\n\n- Jane Doe\n- Samuel Jackson\n- Zebulon Quackenbush\n- 1984-03-07\n- context L12\n- [context:L12]\n- 字한`,
				].map(prepareFile);
				const { text } = redact(answer + second, files);
				expect(redact(text, files)).toEqual({ text, passages: 0, lines: [] });
			}),
			{ numRuns: runs(1000) },
		);
	});
});

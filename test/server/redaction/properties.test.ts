import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prepareFile } from '../../../server/redaction/passages.ts';
import { redact } from '../../../server/redaction/redact.ts';
import { runs } from '../../support/runs.ts';

/** Words of a catalog and words around it are made of different syllables, so they share nothing. */
function wordsOf(...syllables: string[]) {
	return fc.array(fc.constantFrom(...syllables), { minLength: 3, maxLength: 4 }).map((parts) => parts.join(''));
}
const privateWord = wordsOf('zok', 'bré', 'dixa', 'tügi', 'kefa', 'raß', 'gat', 'ñi', '77');
const otherWord = wordsOf('lom', 'pus', 'wyn', 'hul', 'mov', 'sop', '5');

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** How an entry stands in a catalog; each takes one line. */
const KINDS: readonly ((entry: string, other: string) => string)[] = [
	(entry) => `- ${entry}`,
	(entry, other) => `  1. [ ] ${entry} (${other})`,
	(entry, other) => `| ${other} | ${entry} |`,
	(entry, other) => `**${other}**: ${entry}`,
	(entry, other) => `and ${other} of \`${entry}\` then ${other}`,
	(entry, other) => `and ${other} of "${entry}" then ${other}`,
	(entry, other) => `> ${other}, ${entry}; ${other}`,
	(entry, other) => `see [${entry}](https://${other}.example)`,
	(entry) => entry,
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
	const decoded = text.replace(/&#x([0-9a-f]+);/g, (_, code: string) =>
		String.fromCodePoint(Number.parseInt(code, 16)),
	);
	const letters = decoded
		.replace(/&nbsp;/g, '')
		.normalize('NFKD')
		.replace(/[^\p{L}\p{N}]/gu, '');
	return letters.toUpperCase().toLowerCase();
}

const BETWEEN_LETTERS = ['', '', '', '', '\u200b', '\u00ad', '\u2060'];
const BETWEEN_WORDS = [
	' ',
	'  ',
	'\n',
	'\r\n',
	' \n- ',
	'_',
	'-',
	'.',
	'** **',
	'&nbsp;',
	'\u00a0',
	', ',
	'/',
	'\n> ',
	'\\_',
];
const AROUND: readonly [string, string][] = [
	...([
		['', ''],
		['**', '**'],
		['`', '`'],
		['"', '"'],
		['“', '”'],
		['_', '_'],
		['(', ')'],
		['> ', ''],
		['- ', '\n'],
	] as const),
].map(([before, after]) => [before, after]);

const disguiseOfLetter = fc.record({
	write: fc.constantFrom(
		(letter: string) => letter,
		(letter: string) => letter.toUpperCase(),
		(letter: string) => letter.toLowerCase(),
		(letter: string) => letter.normalize('NFD'),
		(letter: string) => letter.replace(/[!-~]/g, (ascii) => String.fromCharCode(ascii.charCodeAt(0) + 0xfee0)),
		(letter: string) => `&#x${(letter.codePointAt(0) ?? 0).toString(16)};`,
	),
	before: fc.constantFrom(...BETWEEN_LETTERS),
});
const disguise = fc.record({
	letters: fc.array(disguiseOfLetter, { minLength: 30, maxLength: 30 }),
	joints: fc.array(fc.constantFrom(...BETWEEN_WORDS), { minLength: 10, maxLength: 10 }),
	around: fc.constantFrom(...AROUND),
});
type Disguise = typeof disguise extends fc.Arbitrary<infer Value> ? Value : never;

/** Whatever stands between the first letter and the last one belongs to the passage. */
function disguised(words: readonly string[], { letters, joints }: Disguise): string {
	let text = '';
	let count = 0;
	for (const [at, word] of words.entries()) {
		if (at > 0) text += joints[at % joints.length];
		for (const letter of word) {
			const { write, before } = letters[count % letters.length] ?? { write: String, before: '' };
			text += (count > 0 ? before : '') + write(letter);
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
					const answer = `${before} ${open}${disguised(run, how)}${close} ${after}`;
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

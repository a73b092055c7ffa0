import fc from 'fast-check';
import { expect, test } from 'vitest';
import { occurrencesIn, prepareEntries, unsearchableLines } from '../../../server/redaction/occurrences.ts';
import { linesIn } from '../../../server/redaction/redact.ts';
import { placesIn } from '../../../server/search/search-text.ts';
import { runs } from '../../support/runs.ts';

const CATALOG = `# Names

- Zebulon Quux-Marker
- Aloysia Brandenburgh
- Jürgen Łukaszewski

| what | value |
|---|---|
| telephone | +1 555 0199 |
| customer | QX-7781-MARK |
`;

const ENTRIES = prepareEntries(CATALOG);

test.each([
	['It is Zebulon Quux-Marker.', 'Zebulon Quux-Marker', 3, 'exact'],
	['const zebulon_quux_marker = 1;', 'zebulon_quux_marker', 3, 'spelling'],
	['see ZebulonQuuxMarker', 'ZebulonQuuxMarker', 3, 'spelling'],
	['userAloysiaBrandenburgh', 'AloysiaBrandenburgh', 4, 'part'],
	['Ju\u0308rgen Łukaszewski', 'Ju\u0308rgen Łukaszewski', 5, 'spelling'],
	['J&#252;rgen&nbsp;LUKASZEWSKI', 'J&#252;rgen&nbsp;LUKASZEWSKI', 5, 'spelling'],
	['call +1-555-0199 now', '1-555-0199', 9, 'spelling'],
	['qx7781mark', 'qx7781mark', 10, 'spelling'],
	['ask Ms Brandenburgh', 'Brandenburgh', 4, 'likely'],
	['Brandenburgh, Aloysia', 'Brandenburgh, Aloysia', 4, 'spelling'],
])('%j holds %j, line %d: %s', (text, found, line, certainty) => {
	const start = text.indexOf(found);
	expect(occurrencesIn(text, ENTRIES)).toEqual([{ start, end: start + found.length, line, certainty }]);
});

test.each(['', 'Aloysia', 'a marker of customers', 'telephone value', 'Aloysia Brandenburghs'])(
	'%j holds nothing',
	(text) => {
		expect(occurrencesIn(text, ENTRIES)).toEqual([]);
	},
);

test('each line of a copy of the file is told, though runs of words go over them', () => {
	const lines = occurrencesIn(CATALOG, ENTRIES).map(({ line }) => line);
	expect(lines).toEqual(expect.arrayContaining([3, 4, 5, 9, 10]));
	expect(new Set(lines).size).toBe(lines.length);
});

test('a name that stands in each line is told in each', () => {
	const places = [...placesIn(Buffer.from('Aloysia Brandenburgh\n'.repeat(5)), ENTRIES)];
	expect(places.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
});

test('a number that only looks like a date is found with other marks in it', () => {
	const entries = prepareEntries('- 205-0455-5324\n');
	for (const text of ['205-0455-5324', '205\n0455_5324', '~~205\n0455 5324~~']) {
		expect(occurrencesIn(text, entries)).toHaveLength(1);
	}
});

test('entries side by side stay apart', () => {
	const text = 'Zebulon Quux-Marker, Aloysia Brandenburgh';
	expect(occurrencesIn(text, ENTRIES).map(({ line }) => line)).toEqual([3, 4]);
});

test.each([
	['- Jane Doe', []],
	['- **Jane Doe**', []],
	['- tel: +1 555 0100', []],
	['- Jane Doe (accounting), jane.doe@mail.example', []],
	['- Contact:', []],
	['| name | value |\n|---|---|\n| host | build.internal.example |', []],
	['```\nAPI_KEY=qx7781mark\n```', []],
	['## Projects and hosts', []],
	['- any address at mail.example', [1]],
	['- *@mail.example', [1]],
	['- EX-\\d{4}', [1]],
	['- EX-*', [1]],
	['- [A-Z]{2}-1234', [1]],
	['## Jane Doe', [1]],
	['## Jane Doe\n\n- Zebulon Quux\n- Aloysia Brandenburgh', [1]],
	['- ab\n- Zebulon Quux\n- Aloysia Brandenburgh', [1]],
	['- project', [1]],
	['- ab', [1]],
	['Never write that she has moved to the coast.', [1]],
	['Never write that she has moved to the coast.\n---', [1]],
	['- Zebulon Quux, of whom nobody knows a thing', [1]],
	['- Zebulon Quux, keep this secret', []],
	['- a.quux@mail.example b.quux@mail.example c.quux@mail.example d.quux@mail.example', []],
	['- kd-4711 kd-4712 kd-4713 kd-4714', []],
	['- Anna Maria Zebulon Quux', []],
	['- Contact:  ', []],
])('of %j the lines that a search does not cover are %j', (text, lines) => {
	expect(unsearchableLines(text)).toEqual(lines);
});

const words = fc
	.array(fc.constantFrom('zo', 'kel', 'ma', 'tü', 'łi', 'qua', 'ря', '7', '99', 'ß', '東', 'é'), {
		minLength: 2,
		maxLength: 5,
	})
	.map((parts) => parts.join(''));
const phrase = fc.array(words, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(' '));
const capitalised = fc.stringMatching(/^[A-Z][a-z]{1,9}$/);
const name = fc.array(capitalised, { minLength: 2, maxLength: 3 }).map((parts) => parts.join(' '));
const date = fc
	.date({ min: new Date('1900-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
	.map((day) => day.toISOString().slice(0, 10));
const telephone = fc.integer({ min: 10_000_000, max: 999_999_999 }).map((number) => `+49 ${number}`);
const short = fc.constantFrom('王小明', '高林', 'X7Q', '4k7', 'кот');
const entry = fc.oneof(phrase, name, date, telephone, short);
const noise = fc.stringMatching(/^[a-z0-9 .,<>&;=%\\"'\n\t[\]{}é東-]{0,40}$/);
const separator = fc.constantFrom(
	' ',
	'',
	'-',
	'_',
	'\n',
	'&nbsp;',
	'<b>',
	'</b> ',
	', ',
	'\t\t',
	'\u00ad',
	'\\n',
	'\\n  ',
	'\\r\\n\\t',
	'%20',
	'" "',
	' Q. ',
	' "Zeb" ',
	' R.S. ',
	' Maria ',
);

/** Another writing of the same letters. */
const writing = fc.constantFrom<(text: string) => string>(
	(text) => text,
	(text) => text.toUpperCase(),
	(text) => text.toLowerCase(),
	(text) => text.normalize('NFD'),
	(text) => Array.from(text, (letter) => (letter > '~' ? `&#${letter.codePointAt(0)};` : letter)).join(''),
	(text) => Array.from(text, (letter) => `&#x${letter.codePointAt(0)?.toString(16)};`).join(''),
	(text) => Array.from(text).join(' '),
);

test('in the bytes of a text the same is found, where it stands', () => {
	let found = 0;
	fc.assert(
		fc.property(
			fc.array(entry, { minLength: 1, maxLength: 8 }),
			fc.array(fc.tuple(noise, fc.nat(), writing, separator), { minLength: 1, maxLength: 12 }),
			(catalog, parts) => {
				const entries = prepareEntries(catalog.map((text) => `- ${text}`).join('\n'));
				const text = parts
					.map(([before, at, write, between]) => {
						const planted = (catalog[at % catalog.length] ?? '').split(' ').map(write).join(between);
						return `${before}${planted}`;
					})
					.join(' ');
				const expected = occurrencesIn(text, entries).map(({ start, line: inFile, certainty }) => {
					const before = text.slice(0, start).split('\n');
					return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, entry: inFile, certainty };
				});
				expect(expected).toHaveLength(linesIn(text, entries.file).length);
				found += expected.length;
				expect([...placesIn(Buffer.from(text), entries)]).toEqual(expected);
			},
		),
		{ numRuns: runs(2_000) },
	);
	expect(found).toBeGreaterThan(runs(2_000) / 2);
});

test('an entry is found in bytes whatever escapes stand between its words, and whatever letters around them', () => {
	const parts = ['zebulon', 'quackenbush', 'xq7', 'kzo', 'brandenburgh', 'Vexby', 'jz', 'tük'];
	const separators = ['\\n', '\\t', '\\n\\n', '\\s+', ' \\n ', '\\r\\n', '<b>', '&nbsp;', '%20'];
	const missed: string[] = [];
	for (const [first, second, third] of parts.flatMap((a) => parts.flatMap((b) => parts.map((c) => [a, b, c])))) {
		const entries = prepareEntries(`- ${first} ${second} ${third}\n`);
		for (const between of separators) {
			const texts = [`"${first}${between}${second} ${third}"`, `"${first} ${second}${between}${third}"`];
			missed.push(...texts.filter((text) => placesIn(Buffer.from(text), entries).next().done === true));
		}
	}
	expect(missed).toEqual([]);
});

test.each([
	['Neumüller', 'D:\\neumüller'],
	['Tomić', '"\\tomić"'],
	['Björn Fuchs', 'D:\\björn\\fuchs'],
	['Nuñez Roth', 'D:\\nuñez\\roth'],
	['Robert Nuñez', 'D:\\robert\\nuñez'],
	['nb-4471', 'é\\nb-4471'],
	['bnt-202', '\\bnt202'],
	['tuv-990-x', '\\tuv-990-x'],
	['ruv-990-x', '\n\\ruv-990-x'],
])('%s is found in the bytes of %j, where an escape is the first letter of a word', (entry, text) => {
	expect([...placesIn(Buffer.from(text), prepareEntries(`- ${entry}\n`))]).toHaveLength(1);
});

/** That took minutes: each blank behind a name was looked at as its end, and all of them were folded for each. */
test('a table with wide columns takes no long time', () => {
	const rows = Buffer.from(`Aloysia Brandenburgh${' '.repeat(6_000)}|${'-'.repeat(6_000)}\n`.repeat(500));
	expect([...placesIn(rows, ENTRIES)]).toHaveLength(500);
	const lines = Buffer.from(`${'-'.repeat(4_000)}\n`.repeat(5_000));
	const far = Buffer.concat([Buffer.from('Aloysia Brandenburgh\n'), lines, Buffer.from('Aloysia Brandenburgh')]);
	const lengths = Array.from(ENTRIES.byteFilter().stretches(far), ([start, end]) => end - start);
	expect(lengths).toHaveLength(2);
	expect(Math.max(...lengths)).toBeLessThan(10_000);
});

test('in a long text of which much is found, each place is told once', () => {
	const text = 'x Zebulon Quux-Marker; and zebulon quux marker\n'.repeat(20_000);
	let count = 0;
	for (const { line, column } of placesIn(Buffer.from(text), ENTRIES)) {
		expect([line, column]).toEqual([Math.floor(count / 2) + 1, count % 2 === 0 ? 3 : 28]);
		count++;
	}
	expect(count).toBe(40_000);
});

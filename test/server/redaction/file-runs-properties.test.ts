import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareRuns, repeatedFile } from '../../../server/redaction/file-runs.ts';
import { runs } from '../../support/runs.ts';

const prepared = (text: string) => prepareRuns([{ path: 'catalog', text }]);

const word = fc.stringMatching(/^[A-Z][a-z]{4,9}$/);
const name = fc.tuple(word, word).map((words) => words.join(' '));
const number = fc.integer({ min: 10_000, max: 99_999 });

/** An entry, as its owner writes it. */
const ENTRIES: readonly ((name: string, number: number) => string)[] = [
	(name) => `- ${name}`,
	(name, number) => `* ${name} (${number})`,
	(name, number) => `| ${name} | ${number} | a.${number}@corp.example |`,
	(name, number) => `- ${name}, +49 228 ${number}`,
	(name) => `- [ ] ${name}`,
	(name, number) => `- ${name}: ${number}`,
];

const people = fc.uniqueArray(fc.tuple(name, number), { minLength: 10, maxLength: 40, selector: ([name]) => name });
const catalog = fc
	.tuple(people, fc.constantFrom(...ENTRIES))
	.map(([all, entry]) => `# Customers\n\n${all.map(([name, number]) => entry(name, number)).join('\n')}\n`);

const each = (write: (line: string, index: number) => string) => (text: string) =>
	text.split('\n').map(write).join('\n');

/** What programs make of a text without changing its order. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
	'as it is': (text) => text,
	'lines numbered': each((line, n) => `${String(n + 1).padStart(6)}\t${line}`),
	'lines with arrows': each((line, n) => `${n + 1}→${line}`),
	'matches of a search': each((line, n) => `../private/catalog.md:${n + 1}:${line}`),
	indented: each((line) => `\t    ${line}`),
	quoted: each((line) => `> ${line}`),
	added: each((line) => `+${line}`),
	removed: each((line) => `< ${line}`),
	'CR LF': (text) => text.replaceAll('\n', '\r\n'),
	JSON: (text) => JSON.stringify({ text }),
	'JSON in JSON': (text) => JSON.stringify(JSON.stringify({ text })),
	'JSON lines': (text) => JSON.stringify(text.split('\n'), undefined, 1),
	'lines in JSON lines': (text) => JSON.stringify(JSON.stringify(text.split('\n'))),
	'joined by blanks': (text) => text.replaceAll('\n', ' '),
	'in capitals': (text) => text.toUpperCase(),
	'in a long text': (text) => `${'Some other text. '.repeat(50)}\n${text}\nand more`,
	'the later half': (text) => text.split('\n').slice(-9).join('\n'),
};

test.each(Object.entries(FORMS))('a catalog is found: %s', (_, form) => {
	fc.assert(
		fc.property(catalog, (text) => {
			expect(repeatedFile(form(text), prepared(text))).toMatchObject({ path: 'catalog' });
		}),
		{ numRuns: runs(60) },
	);
});

/** How code and data hold a name. */
const USES: readonly ((name: string, number: number) => string)[] = [
	(name) => `\t'${name}',`,
	(name, number) => `\t{ name: '${name}', id: ${number} },`,
	(name, number) => `${number},${name}`,
	(name) => `  - "${name}"`,
	(name, number) => `send('${name}', ${number});`,
	(name, number) => `- assert greet("${name}") == ${number}`,
];

test('names of a catalog in code are not the file, in whatever order', () => {
	fc.assert(
		fc.property(
			people,
			fc.constantFrom(...ENTRIES),
			fc.constantFrom(...USES),
			fc.infiniteStream(fc.nat()),
			fc.boolean(),
			(all, entry, use, order, isShuffled) => {
				const text = `# Customers\n\n${all.map(([name, number]) => entry(name, number)).join('\n')}\n`;
				const places = all.map((one) => ({ one, place: isShuffled ? (order.next().value as number) : 0 }));
				const some = places.sort((a, b) => a.place - b.place).map(({ one: [name, number] }) => use(name, number));
				expect(repeatedFile(some.join('\n'), prepared(text))).toBeUndefined();
			},
		),
		{ numRuns: runs(1000) },
	);
});

test('no text of a megabyte takes time that grows with its square', () => {
	const line = `- aaaaaaaaaa${'b'.repeat(20)}`;
	const runs = prepared(`${line}\n- ab\n- aaaaaaaaaaaa\n`.repeat(3000));
	const texts = ['\\', 'a', '- ', `-${' '.repeat(1000)}\\`, `${line.slice(2, -1)} `, `${line}${'./'.repeat(60)}`];
	for (const text of texts) repeatedFile(text.repeat(1_000_000 / text.length), runs);
});

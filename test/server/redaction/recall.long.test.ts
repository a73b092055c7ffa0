import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mayHold, prepareEntries } from '../../../server/redaction/occurrences.ts';
import { passagesIn } from '../../../server/redaction/redact.ts';
import { PLUGIN_ROOT } from '../../support/paths.ts';
import { random, shuffled } from '../../support/random.ts';
import { ESCAPES, makeEntries } from './writings/entries.ts';

const ENTRIES = makeEntries(1000, random(7));
const entries = prepareEntries(`# Private\n\n${ENTRIES.map(({ text }) => `- ${text}`).join('\n')}\n`);
/** Shuffled: else neighbours of the file would be neighbours in the text. */
const WRITINGS = shuffled(
	ENTRIES.flatMap((entry, at) =>
		entry.writings.map(([text, certainty]) => ({ kind: entry.kind, of: entry.text, line: at + 3, text, certainty })),
	),
	random(8),
);
/** Some mean several entries, as `S. Smith`. */
const linesOf = new Map<string, number[]>();
for (const { text, line } of WRITINGS) linesOf.set(text, [...(linesOf.get(text) ?? []), line]);

const SOURCES = /\.(?:[cm]?[jt]sx?|md|json|ya?ml|css|html|txt)$|LICENSE/;

/** Source files of packages, as far as a number of characters goes. */
function* sources(characters: number): Generator<string> {
	const modules = join(PLUGIN_ROOT, 'test', 'node_modules');
	let left = characters;
	for (const name of readdirSync(modules, { recursive: true, encoding: 'utf8' }).sort()) {
		const path = join(modules, name);
		if (!SOURCES.test(name) || !statSync(path).isFile() || statSync(path).size > 300_000) continue;
		const text = readFileSync(path, 'utf8');
		yield text;
		left -= text.length;
		if (left < 0) return;
	}
}

describe('a thousand entries of twelve kinds in source files', () => {
	test.each(Object.keys(ESCAPES))('are all found, each at its place, in every writing: %s', (name) => {
		const escaped = ESCAPES[name] as (text: string) => string;
		const texts = sources(Number.POSITIVE_INFINITY);
		const missed: string[] = [];
		const left = [...WRITINGS];
		while (left.length > 0) {
			let text = '';
			const places = [];
			for (const line of (texts.next().value as string).split('\n').slice(0, 2000)) {
				const blank = line.indexOf(' ', line.length / 2);
				const writing = blank < 0 || /[\\%=&]/.test(line) ? undefined : left.pop();
				if (writing !== undefined) {
					const start = text.length + blank + 6;
					const written = escaped(writing.text);
					places.push({ ...writing, start, end: start + written.length });
					text += `${line.slice(0, blank)} see "${written}" and${line.slice(blank)}\n`;
				} else text += `${line}\n`;
			}
			const found = passagesIn(text, [entries.file]);
			expect(places.length === 0 || mayHold(text, entries)).toBe(true);
			for (const { start, end, line, certainty, ...writing } of places) {
				const passage = found.find((passage) => passage.start < end && passage.end > start);
				const [before = ''] = /^(?:[+(]|%2B|%28|&#x?\w+;|\\)*/.exec(text.slice(start, end)) ?? [];
				const isThere = passage && passage.start - start <= before.length && Math.abs(end - passage.end) < 5;
				if (!isThere || !linesOf.get(writing.text)?.includes(passage.line) || passage.certainty !== certainty) {
					missed.push(`${Object.values(writing).join(', ')}, as ${text.slice(start, end)}: ${JSON.stringify(passage)}`);
				}
			}
		}
		expect(WRITINGS.length).toBeGreaterThan(5000);
		expect(missed).toEqual([]);
	});

	test('are found nowhere in files without them, but for one place in ten million characters', () => {
		const wrong = { certain: [] as string[], likely: [] as string[] };
		let characters = 0;
		for (const text of sources(40_000_000)) {
			characters += text.length;
			if (!mayHold(text, entries)) continue;
			for (const { start, end, certainty } of passagesIn(text, [entries.file]))
				wrong[certainty].push(text.slice(start, end));
		}
		expect(characters).toBeGreaterThan(20_000_000);
		expect(wrong.certain.length, wrong.certain.join('\n')).toBeLessThan(characters / 10_000_000);
		expect(wrong.likely.length, wrong.likely.join('\n')).toBeLessThan(characters / 10_000_000);
	});
});

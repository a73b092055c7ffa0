import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type PreparedRuns, prepareRuns, repeatedFile } from '../../../server/redaction/file-runs.ts';
import { type Catalog, catalogs, catalogsByHand } from '../../support/catalogs.ts';
import { PLUGIN_ROOT } from '../../support/paths.ts';
import { LISTS, RECORDS } from '../../support/project-files.ts';
import { random, shuffled } from '../../support/random.ts';

const CATALOGS = [...catalogs(12), ...catalogs(60), ...catalogsByHand()];

const prepared = (text: string): PreparedRuns => prepareRuns([{ path: 'catalog', text }]);

/** A list that is the copy by its look: the same entries with the same marks in the file's own order. */
const COPIES: readonly (readonly [catalog: RegExp, file: RegExp])[] = [
	[/^(?:bullets of names|nested)/, /^(?:YAML list|Markdown dashes)(?: of \w+)?$/],
	[
		/^(?:one a line|mails, one a line|names and mails, mixed|one-per-line)/,
		/^(?:CSV of one column|quoted CSV|plain list|plain list with blank lines|diff of a plain list|matches in a plain list)(?: of \w+)?$/,
	],
	[/^comma-separated/, /^CSV$/],
];

const ORDERS: Readonly<Record<string, <T>(all: readonly T[], next: () => number) => readonly T[]>> = {
	'the same': (all) => all,
	'with gaps': (all) => all.filter((_, n) => n % 4 !== 3),
	sorted: (all) => [...all].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
	backwards: (all) => [...all].reverse(),
	'any (1)': shuffled,
	'any (2)': shuffled,
	'any (3)': shuffled,
};

/** What a project may hold of a catalog: a third, half, or all of it, in any order. */
function* projectFiles({ identifiers, customers = [] }: Catalog) {
	const next = random(7);
	for (const share of [1 / 3, 1 / 2, 1]) {
		for (const [order, ordered] of Object.entries(ORDERS)) {
			const some = <T>(all: readonly T[]) => ordered(all, next).slice(0, Math.ceil(all.length * share));
			const records = some(customers);
			const lists = {
				'': some(identifiers),
				' of names': records.map(({ name }) => name),
				' of mails': records.map(({ mail }) => mail),
			};
			for (const [of, list] of Object.entries(lists)) {
				if (list.length === 0) continue;
				for (const [kind, write] of Object.entries(LISTS)) yield { kind: `${kind}${of}`, order, text: write(list) };
			}
			if (records.length === 0) continue;
			for (const [kind, write] of Object.entries(RECORDS)) yield { kind, order, text: write(records) };
		}
	}
}

test.each(CATALOGS)('$kind: project files with the same identifiers are left alone', (catalog) => {
	const runs = prepared(catalog.text);
	const withheld = new Set<string>();
	for (const { kind, order, text } of projectFiles(catalog)) {
		const isCopy = COPIES.some(([of, file]) => of.test(catalog.kind) && file.test(kind));
		if (isCopy && (order === 'the same' || order === 'with gaps')) continue;
		if (repeatedFile(text, runs) !== undefined) withheld.add(`${kind}, order: ${order}`);
	}
	expect([...withheld]).toEqual([]);
});

test('files of packages are left alone by every catalog', () => {
	const runs = prepareRuns(CATALOGS.map(({ kind, text }) => ({ path: kind, text })));
	const files = packageFiles(2000, 30_000);
	const withheld = files.flatMap(({ name, text }) => repeatedFile(text, runs)?.path.concat(': ', name) ?? []);
	expect(files.length).toBeGreaterThan(1500);
	expect(withheld).toEqual([]);
});

test.each(CATALOGS)('$kind: other catalogs are left alone', ({ kind, text }) => {
	const runs = prepared(text);
	const others = CATALOGS.filter((other) => other.customers === undefined && other.kind !== kind);
	expect(others.filter((other) => repeatedFile(other.text, runs) !== undefined)).toEqual([]);
});

test('files that begin alike are told apart, and each is found', () => {
	const files = Array.from({ length: 20 }, (_, n) => {
		const lines = ['Aloysia Brandenburgh', 'Casimir Novotny', 'Customer No.', 'Wendelin', 'Isidor'];
		return { path: String(n), text: lines.map((line) => `- ${line} ${n}x${n}\n`).join('') };
	});
	const runs = prepareRuns(files);
	expect(files.map(({ text }) => repeatedFile(text, runs)?.path)).toEqual(files.map(({ path }) => path));
});

/** So many text files of the packages of the tests, evenly spread, so many letters of each. */
function packageFiles(count: number, letters: number) {
	const modules = join(PLUGIN_ROOT, 'test', 'node_modules');
	const names = readdirSync(modules, { recursive: true, encoding: 'utf8' })
		.filter((name) => /\.(?:md|json|[cm]?[jt]s|txt|ya?ml|css|html)$|(?:^|\/)[A-Z]+$/.test(name))
		.sort();
	const step = Math.max(1, Math.floor(names.length / count));
	const sample = names.filter((_, n) => n % step === 0).filter((name) => statSync(join(modules, name)).isFile());
	return sample.map((name) => ({ name, text: readFileSync(join(modules, name), 'utf8').slice(0, letters) }));
}

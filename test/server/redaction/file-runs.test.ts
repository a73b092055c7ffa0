import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type PreparedRuns, prepareRuns, repeatedFile } from '../../../server/redaction/file-runs.ts';
import { type Catalog, type Customer, catalogs, catalogsByHand, customers } from '../../support/catalogs.ts';
import { PLUGIN_ROOT } from '../../support/paths.ts';
import { LISTS, RECORDS } from '../../support/project-files.ts';
import { random, shuffled } from '../../support/random.ts';
import { timesOf } from '../../support/wine.ts';

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
	const files = packageFiles(timesOf(2000), 30_000);
	const withheld = files.flatMap(({ name, text }) => repeatedFile(text, runs)?.path.concat(': ', name) ?? []);
	expect(files.length).toBeGreaterThan(timesOf(1500));
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

const SHORT: Readonly<Record<string, string>> = {
	'Chinese names': list('- ', [
		'王小明',
		'李四',
		'张伟',
		'欧阳娜娜',
		'赵敏',
		'孙立人',
		'周杰',
		'吴京',
		'郑爽',
		'冯小刚',
	]),
	'Japanese names, one a line': list('', [
		'佐藤健太',
		'鈴木一郎',
		'高橋美咲',
		'田中裕子',
		'伊藤翔太',
		'渡辺直美',
		'山本太郎',
		'中村獅童',
		'小林薫',
		'加藤茶',
	]),
	'Arabic names': list('* ', [
		'سلمى',
		'حسن علي',
		'ليلى',
		'عمر',
		'نور الدين',
		'ياسمين',
		'طارق',
		'هدى',
		'كريم',
		'ريم',
		'سامي',
		'جميلة',
		'وليد',
		'فاطمة',
	]),
	'first names': list('- ', [
		'Ann',
		'Bob',
		'Cleo',
		'Dora',
		'Emil',
		'Finn',
		'Gero',
		'Hal',
		'Ida',
		'Jo',
		'Kaja',
		'Lou',
		'Mia',
		'Ned',
		'Ole',
		'Pia',
		'Ria',
		'Sam',
		'Tom',
		'Una',
	]),
};

const SHOWN: Readonly<Record<string, (text: string) => string>> = {
	'as it is': (text) => text,
	numbered: (text) => text.replace(/^/gm, () => '   12\t'),
	'in JSON': (text) => JSON.stringify({ text }),
	'as matches': (text) => text.replace(/^(?=.)/gm, '\u001b[35mprivate/catalog.md\u001b[m:12:'),
};

describe.each(Object.entries(SHORT))('a list of short entries is found: %s', (_, text) => {
	test.each(Object.entries(SHOWN))('%s', (_, show) => {
		expect(repeatedFile(show(text), prepared(text))).toBeDefined();
	});
	test('and is left alone in code, in whatever order', () => {
		const code = text.replace(/^\W{0,2}(.+)$/gmu, "\t'$1',").split('\n');
		expect(repeatedFile(code.join('\n'), prepared(text))).toBeUndefined();
		expect(repeatedFile(shuffled(code, random(3)).join('\n'), prepared(text))).toBeUndefined();
	});
});

test.each(['+', '-', '> ', '< '])('blank lines behind the mark "%s" are still blank', (mark) => {
	const records = customers(12).map(({ name, mail, phone }) => `Name: ${name}\nMail: ${mail}\nPhone: ${phone}\n`);
	const text = records.join('\n');
	expect(repeatedFile(list(mark, text.split('\n')), prepared(text))).toBeDefined();
});

const people = customers(12);

test.each([
	['records of JSON', `\`\`\`json\n${JSON.stringify(people, undefined, 2)}\n\`\`\`\n`],
	[
		'lines that end in a bracket',
		list(
			'',
			people.map(({ name, city }) => `${name} (${city})`),
		),
	],
	[
		'lines that end in a full stop',
		list(
			'',
			people.map(({ name }) => `Call ${name}.`),
		),
	],
])('a file is found: %s', (_, text) => {
	expect(repeatedFile(text, prepared(text))).toBeDefined();
	expect(repeatedFile(SHOWN.numbered?.(text) as string, prepared(text))).toBeDefined();
	expect(repeatedFile(list('+', text.split('\n')), prepared(text))).toBeDefined();
	const sorted = shuffled(text.split('\n'), random(3)).join('\n');
	expect(repeatedFile(sorted, prepared(text))).toBeUndefined();
});

test('what a terminal is told, and other ways to write a letter, hide nothing', () => {
	const names = ['Zoë Ångström', 'Søren Kærgaard', 'Jürgen Müller', 'Łukasz Żółć', 'Renée Béjart', 'Žofie Dvořák'];
	const text = list('- ', names);
	expect(repeatedFile(text.normalize('NFD'), prepared(text))).toBeDefined();
	expect(repeatedFile(text.replaceAll('ö', '\u001b[01;31mö\u001b[m'), prepared(text))).toBeDefined();
	expect(repeatedFile(text.replaceAll(' ', '\u200b '), prepared(text))).toBeDefined();
});

test('a sentence counts as much in a script without spaces', () => {
	const text =
		'客户王小明住在北京市朝阳区，任何地方都不得写出他的名字。\n他的电话号码必须在分享之前替换成虚构的号码。\n旧系统中的客户编号仍然出现在一些测试里。\n';
	expect(repeatedFile(`x\n${text.replaceAll('\n', '')}y`, prepared(`# 规则\n\n${text}${text}`))).toBeDefined();
	expect(repeatedFile(text.slice(0, 20), prepared(text))).toBeUndefined();
});

/** Sentences and records in which all but an identifier is always the same. */
const TEMPLATES: Readonly<Record<string, (customer: Customer) => string>> = {
	sentences: ({ name }) => `Never mention in any comment the name of ${name}.`,
	numbers: ({ id }) => `- the customer in the old system has number ${id}`,
	tasks: ({ name }) => `- [ ] check that nothing is left of ${name}`,
	statements: ({ id, name }) => `insert into customers (id, name, city) values ('${id}', '${name}', 'bad orb');`,
	'log lines': ({ id }) => `2026-11-29T10:00:00Z INFO sent the invoice of customer ${id}`,
	'rows of a table': ({ name }) => `| an ordinary customer since 2020 | active | ${name} |`,
	commands: ({ id }) => `curl -s https://api.corp.example/v1/customers/${id} -H 'Accept: application/json'`,
	'labels of names': ({ name }) => `Name of the customer in the system: ${name}`,
};

describe.each(Object.entries(TEMPLATES))('of lines that begin alike, %s', (_, write) => {
	const own = list('', customers(40).map(write));
	const others = customers(40).map((customer, n) => write({ ...customer, name: `Ada Xu${n}`, id: `AB-${900 + n}` }));

	test('those of others are left alone', () => {
		expect(repeatedFile(list('', others), prepared(own))).toBeUndefined();
	});
	test('the later half of the file is found', () => {
		expect(repeatedFile(list('12:', own.split('\n').slice(20)), prepared(own))).toBeDefined();
	});
});

test.each(['name: ', 'Author: ', 'c1: ', '// '])('names behind "%s" are not a list of names, one a line', (label) => {
	const names = customers(40).map(({ name }) => name);
	expect(repeatedFile(list(label, names), prepared(list('', names)))).toBeUndefined();
});

function list(mark: string, entries: readonly string[]): string {
	return entries.map((entry) => `${mark}${entry}\n`).join('');
}

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

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A customer in a catalog and in a project. */
export interface Customer {
	readonly name: string;
	readonly mail: string;
	readonly phone: string;
	readonly id: string;
	readonly city: string;
}

/** A private file, and the entries that a project may contain too. */
export interface Catalog {
	readonly kind: string;
	readonly text: string;
	/** In the file's order. */
	readonly identifiers: readonly string[];
	/** In the file's order; undefined if the file does not hold them all. */
	readonly customers?: readonly Customer[];
}

const FIRST =
	'Merle Bruno Quirin Ada Jorun Finn Runa Edda Kasper Cleo Pelle Hilla Nils Dario Ottilie Gero Lioba Ivo'.split(' ');
const LAST =
	'Abendroth Brixen Castellan Dornquist Ehrenfels Falkenrath Grimaldi Haverkamp Isenburg Jagow Kestrel'.split(' ');
const CITIES = ['Niederfinow', 'Wexcombe', 'Bad Orb', 'Upper Snodsbury', 'Saint-Cirq', 'Tarvisio'];

/** This many customers with different names. */
export function customers(count: number): Customer[] {
	return Array.from({ length: count }, (_, n) => {
		const first = FIRST[n % FIRST.length] as string;
		const last = LAST[(n * 3 + Math.floor(n / FIRST.length) * 5) % LAST.length] as string;
		return {
			name: `${first} ${last}`,
			mail: `${first}.${last}@corp.example`.toLowerCase(),
			phone: `+49 228 555 ${1000 + n * 7}`,
			id: `KD-${4711 + n * 13}`,
			city: CITIES[n % CITIES.length] as string,
		};
	});
}

const SENTENCES: readonly ((customer: Customer) => string)[] = [
	({ name, city }) => `Never write that ${name} of ${city} is a customer of ours, not even in a comment.`,
	({ name, mail }) =>
		`The address ${mail} belongs to ${name} and must be replaced by a made-up one before anything is shared.`,
	({ name, phone }) => `Whoever calls ${phone} gets ${name} at home; that number stays out of tickets.`,
	({ id, name }) => `In the old system ${name} has the number ${id}, which still stands in some tests.`,
];

/** Formats in which people write such files. */
const KINDS: Readonly<Record<string, (people: readonly Customer[]) => string>> = {
	'bullets with numbers': (people) =>
		lines('# Customers', '', ...people.map(({ name, id, phone }) => `- ${name} (${id}), ${phone}`)),
	'bullets of names': (people) => lines('# Customers', '', ...people.map(({ name }) => `- ${name}`)),
	labels: (people) =>
		people.map(({ name, mail, phone }) => lines(`Name: ${name}`, `E-mail: ${mail}`, `Phone: ${phone}`)).join('\n'),
	'headings with lists': (people) =>
		lines(
			'# Customers',
			'',
			...people.map(({ name, mail, phone, id }) =>
				lines(`## ${name}`, '', `- Mail: ${mail}`, `- Phone: ${phone}`, `- Number: ${id}`),
			),
		),
	numbered: (people) => lines('Customers', '', ...people.map(({ name, mail }, n) => `${n + 1}. ${name}, ${mail}`)),
	table: (people) =>
		lines(
			'# Customers',
			'',
			'| Name | Mail | Phone | Number |',
			'|---|---|---|---|',
			...people.map(({ name, mail, phone, id }) => `| ${name} | ${mail} | ${phone} | ${id} |`),
		),
	'prose rules': (people) =>
		lines(
			'# Rules',
			'',
			...people.map((customer, n) => (SENTENCES[n % SENTENCES.length] as (typeof SENTENCES)[0])(customer)),
		),
	tasks: (people) =>
		lines('# To look for', '', ...people.map(({ name, city }, n) => `- [${n % 3 === 0 ? 'x' : ' '}] ${name}, ${city}`)),
	nested: (people) =>
		lines(
			'# Customers',
			'',
			...CITIES.map((city) =>
				lines(
					`- ${city}`,
					...people.filter((each) => each.city === city).flatMap(({ name, mail }) => [`  - ${name}`, `    - ${mail}`]),
				),
			),
		),
	'one a line': (people) => lines(...people.map(({ name }) => name)),
	'mails, one a line': (people) => lines(...people.map(({ mail }) => mail)),
	'code terms': (people) =>
		lines(
			'# Code names',
			'',
			...people.map(({ name, id }) => `- \`${name.toLowerCase().replace(' ', '_')}_token\`, \`${id}\``),
		),
	'code terms alone': (people) => lines('# Code names', '', ...people.map(({ name }) => `* \`${codeName(name)}\``)),
	'names and mails, mixed': (people) => lines(...people.flatMap(({ name, mail, id }) => [name, mail, id])),
	fields: (people) =>
		people
			.map(({ id, name, mail, phone, city }) =>
				lines(`id: ${id}`, `name: ${name}`, `mail: ${mail}`, `phone: ${phone}`, `city: ${city}`),
			)
			.join('\n'),
	'headings alone': (people) => lines('# Customers', '', ...people.map(({ name }) => `## ${name}\n`)),
	'comma-separated': (people) =>
		lines('# name,mail,phone', ...people.map(({ name, mail, phone }) => `${name},${mail},${phone}`)),
};

const MIXED = join(import.meta.dirname, '../server/redaction/catalogs');

/** A catalog in every format with this many customers, and catalogs written by hand. */
export function catalogs(count: number): Catalog[] {
	const people = customers(count);
	const made = Object.entries(KINDS).map(([kind, write]) => {
		const text = write(people);
		const byLine = [...people].sort((a, b) => placeIn(text, a) - placeIn(text, b));
		const wanted = byLine.flatMap((each) => [each.name, each.mail, each.id, codeName(each.name)]);
		const identifiers = wanted.filter((each) => text.includes(each));
		return { kind: `${kind} (${count})`, text, identifiers, customers: byLine };
	});
	return made;
}

export function catalogsByHand(): Catalog[] {
	return readdirSync(MIXED).map((kind) => {
		const text = readFileSync(join(MIXED, kind), 'utf8');
		return { kind, text, identifiers: identifiersIn(text) };
	});
}

function placeIn(text: string, { name, mail }: Customer): number {
	return Math.max(text.indexOf(name), text.indexOf(mail), text.indexOf(codeName(name)));
}

function codeName(name: string): string {
	return `${name.toLowerCase().replace(' ', '_')}_token`;
}

/** The short pieces between marks, labels, cells and commas. */
export function identifiersIn(text: string): string[] {
	const pieces = text
		.split('\n')
		.flatMap((line) => line.replace(/^\s*(?:(?:[-*+>#]+|\d+\.|\[.\])\s+)*/, '').split(/[|,;]|:\s|\s[-–(]/))
		.map((piece) => piece.replace(/[`*"()]/g, '').trim());
	return [...new Set(pieces)].filter(
		(piece) => piece.length > 3 && piece.length < 45 && piece.split(' ').length < 5 && /\w/.test(piece),
	);
}

function lines(...all: readonly string[]): string {
	return `${all.join('\n')}\n`;
}

import type { Customer } from './catalogs.ts';

/** Forms in which an agent can see project files that contain some identifiers. */
export const LISTS: Readonly<Record<string, (identifiers: readonly string[]) => string>> = {
	'JSON array': (all) => JSON.stringify(all, undefined, 2),
	'JSON array in one line': (all) => JSON.stringify(all),
	'JSON objects': (all) =>
		JSON.stringify(
			all.map((name, id) => ({ id, name, active: true })),
			undefined,
			2,
		),
	'JSON objects in one line': (all) => JSON.stringify(all.map((name, id) => ({ id, name }))),
	'JSON lines': (all) => each(all, (name, id) => JSON.stringify({ time: 1_700_000_000 + id, name })),
	'CSV of one column': (all) => `name\n${all.join('\n')}\n`,
	'CSV with ids': (all) => `id,name\n${each(all, (name, id) => `${id},"${name}"`)}`,
	'quoted CSV': (all) => `"name"\n${each(all, (name) => `"${name}"`)}`,
	TypeScript: (all) => `export const NAMES = [\n${each(all, (name) => `\t'${name}',`)}\n];\n`,
	'TypeScript in one line': (all) => `export const NAMES = ['${all.join("', '")}'];\n`,
	'TypeScript objects': (all) =>
		`const CUSTOMERS = [\n${each(all, (name, n) => `\t{ name: '${name}', rank: ${n} },`)}\n];\n`,
	'TypeScript switch': (all) => each(all, (name, n) => `\t\tcase '${name}':\n\t\t\treturn ${n};`),
	Python: (all) => `NAMES = [\n${each(all, (name) => `    "${name}",`)}\n]\n`,
	'Python set': (all) => `NAMES = {"${all.join('", "')}"}\n`,
	Go: (all) => `var names = []string{\n${each(all, (name) => `\t"${name}",`)}\n}\n`,
	'Go map': (all) => `var ids = map[string]int{\n${each(all, (name, n) => `\t"${name}": ${n},`)}\n}\n`,
	'SQL inserts': (all) => each(all, (name, n) => `INSERT INTO customers (id, name) VALUES (${n}, '${name}');`),
	'SQL in one insert': (all) =>
		`INSERT INTO customers (name) VALUES\n${all.map((name) => `('${name}')`).join(',\n')};\n`,
	'YAML list': (all) => `customers:\n${each(all, (name) => `  - ${name}`)}`,
	'YAML quoted list': (all) => `customers:\n${each(all, (name) => `  - "${name}"`)}`,
	'YAML maps': (all) => `customers:\n${each(all, (name, n) => `  - name: ${name}\n    rank: ${n}`)}`,
	env: (all) => each(all, (name, n) => `CUSTOMER_${n}=${name}`),
	properties: (all) => each(all, (name, n) => `customer.${n}.name = ${name}`),
	'TOML array': (all) => `names = [\n${each(all, (name) => `  "${name}",`)}\n]\n`,
	'plain list': (all) => `${all.join('\n')}\n`,
	'plain list with blank lines': (all) => `${all.join('\n\n')}\n`,
	'one line': (all) => `${all.join(', ')}\n`,
	'Markdown dashes': (all) => `# Clients\n\n${each(all, (name) => `- ${name}`)}`,
	'Markdown stars': (all) => `# Clients\n\n${each(all, (name) => `* ${name}`)}`,
	'Markdown numbers': (all) => each(all, (name, n) => `${n + 1}. ${name}`),
	'Markdown headings': (all) => each(all, (name) => `## ${name}\n\nSee the tests.\n`),
	'Markdown table': (all) => `| Client | Tests |\n|---|---|\n${each(all, (name, n) => `| ${name} | ${n} |`)}`,
	HTML: (all) => `<ul>\n${each(all, (name) => `\t<li>${name}</li>`)}\n</ul>\n`,
	'HTML options': (all) => each(all, (name, n) => `<option value="${n}">${name}</option>`),
	XML: (all) =>
		`<customers>\n${each(all, (name, n) => `  <customer id="${n}"><name>${name}</name></customer>`)}\n</customers>\n`,
	'log lines': (all) =>
		each(all, (name, n) => `2026-11-${10 + (n % 20)}T08:0${n % 10}:00Z INFO sent invoice ${n} to ${name}`),
	'test cases': (all) =>
		each(all, (name) => `test('greets', () => {\n\texpect(greet('${name}')).toBe('Hello, ${name}!');\n});`),
	'test table': (all) => `test.each([\n${each(all, (name, n) => `\t['${name}', ${n}],`)}\n])('%s', () => {});\n`,
	'diff of a fix': (all) =>
		`--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,${all.length} +1,${all.length} @@\n${each(all, (name, n) => `-\t'${name}',\n+\t'Customer ${n}',`)}`,
	'diff of a plain list': (all) =>
		`--- a/names\n+++ b/names\n@@ -1,${all.length} +0,0 @@\n${each(all, (name) => `-${name}`)}`,
	'matches of a search': (all) => each(all, (name, n) => `src/a.ts:${n * 3 + 10}:  const x = '${name}';`),
	'matches in a plain list': (all) => each(all, (name, n) => `${n + 1}:${name}`),
	'matches in a CSV': (all) => each(all, (name, n) => `data/customers.csv:${n + 2}:${n},${name}`),
	'numbered lines': (all) => each(all, (name, n) => `${String(n + 1).padStart(6)}\t\t'${name}',`),
	'names of files': (all) => each(all, (name) => `${name.toLowerCase().replaceAll(/\W+/g, '-')}.json`),
	'long names of files': (all) => each(all, (name) => `-rw-r--r-- 1 u u 120 Nov 29 06:00 ${name}.json`),
	'comments in code': (all) => each(all, (name, n) => `// ${name} has rule ${n}\nrules.push(${n});`),
};

/** The same for files that contain whole records. */
export const RECORDS: Readonly<Record<string, (records: readonly Customer[]) => string>> = {
	CSV: (all) => `name,mail,phone\n${each(all, ({ name, mail, phone }) => `${name},${mail},${phone}`)}`,
	'CSV with other columns': (all) =>
		`id,name,city,mail\n${each(all, ({ id, name, city, mail }) => `${id},${name},${city},${mail}`)}`,
	TSV: (all) => each(all, ({ name, mail, phone, id }) => [name, mail, phone, id].join('\t')),
	'JSON objects': (all) => JSON.stringify(all, undefined, 2),
	'JSON objects in one line': (all) => JSON.stringify(all),
	'JSON arrays': (all) =>
		JSON.stringify(
			all.map(({ name, mail, phone }) => [name, mail, phone]),
			undefined,
			1,
		),
	'SQL inserts': (all) =>
		each(all, ({ id, name, mail, phone }) => `INSERT INTO c VALUES ('${id}', '${name}', '${mail}', '${phone}');`),
	'YAML maps': (all) => each(all, ({ name, mail, phone }) => `- name: ${name}\n  mail: ${mail}\n  phone: ${phone}`),
	'YAML with all fields': (all) =>
		each(
			all,
			(one) =>
				`- ${Object.entries(one)
					.map(([key, value]) => `${key}: ${value}`)
					.join('\n  ')}`,
		),
	'YAML with the same fields': (all) =>
		each(
			all,
			({ id, name, mail, phone, city }) =>
				`- id: ${id}\n  name: ${name}\n  mail: ${mail}\n  phone: ${phone}\n  city: ${city}`,
		),
	'YAML with other words': (all) =>
		each(all, ({ name, mail, phone, id }) => `- id: ${id}\n  fullName: ${name}\n  e_mail: ${mail}\n  tel: ${phone}`),
	env: (all) => each(all, ({ name, mail, phone }, n) => `NAME_${n}=${name}\nMAIL_${n}=${mail}\nPHONE_${n}=${phone}`),
	TypeScript: (all) =>
		each(all, ({ name, mail, phone, id }) => `\t{ id: '${id}', name: '${name}', mail: '${mail}', phone: '${phone}' },`),
	'TypeScript tests': (all) =>
		each(all, ({ name, mail }) => `test('sends', () => {\n\tsend('${mail}', 'Dear ${name}');\n});`),
	Python: (all) => each(all, ({ name, mail, phone }) => `    Customer("${name}", mail="${mail}", phone="${phone}"),`),
	XML: (all) =>
		each(
			all,
			({ name, mail, phone, id }) =>
				`<customer id="${id}">\n  <name>${name}</name>\n  <mail>${mail}</mail>\n  <phone>${phone}</phone>\n</customer>`,
		),
	HTML: (all) => each(all, ({ name, mail, phone }) => `<tr><td>${name}</td><td>${mail}</td><td>${phone}</td></tr>`),
	vCard: (all) =>
		each(all, ({ name, mail, phone }) => `BEGIN:VCARD\nFN:${name}\nEMAIL:${mail}\nTEL:${phone}\nEND:VCARD`),
	'log lines': (all) =>
		each(all, ({ name, mail, id }, n) => `[${n}] user=${id} name="${name}" mail=${mail} status=200`),
	'git log': (all) =>
		each(all, ({ name, mail }, n) => `commit ${n}0af\nAuthor: ${name} <${mail}>\nDate:   Mon Nov 3\n\n    Fix ${n}\n`),
	'matches of a search': (all) => each(all, ({ name, mail }, n) => `src/seed.ts:${n + 9}: add('${name}', '${mail}');`),
	'diff of a fix': (all) =>
		each(all, ({ name, mail }, n) => `-\tadd('${name}', '${mail}');\n+\tadd('Customer ${n}', 'c${n}@mail.example');`),
};

function each<T>(all: readonly T[], write: (one: T, index: number) => string): string {
	return all.map(write).join('\n');
}

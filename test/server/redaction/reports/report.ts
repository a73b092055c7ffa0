const FOLDERS = [
	'src',
	'test/fixtures',
	'docs',
	'scripts',
	'packages/core',
	'examples',
	'.github/workflows',
	'data/seed',
];
const FILES = [
	'users.ts',
	'README.md',
	'seed.sql',
	'config.json',
	'people.test.ts',
	'import.py',
	'invoice.html',
	'app.tsx',
];
const CERTAINTIES = ['certain', 'likely', 'unclear'];
const HEADINGS = ['Names', 'Addresses', 'Numbers', 'Accounts', 'People', 'Phones', 'Customers', 'Projects and hosts'];

/**
 * A report such as subagents write: a title, sentences, a table, what was skipped, a summary.
 *
 * @param next the next random number, from 0 up to but not 1
 * @param text what stands in sentences.md
 */
export function writeReport(next: () => number, text: string): string {
	const sentences = new Map(
		text
			.split(/^# /m)
			.slice(1)
			.map((section) => [section.split('\n')[0], section.split('\n- ').slice(1)]),
	);
	const below = (limit: number) => Math.floor(next() * limit);
	const oneOf = (list: readonly string[] = []) => list[below(list.length)]?.trim() ?? '';
	const file = () => `${oneOf(FOLDERS)}/${oneOf(FILES)}`;
	const day = () => `2026-${String(1 + below(12)).padStart(2, '0')}-${String(1 + below(28)).padStart(2, '0')}`;
	const fill = (sentence: string) =>
		sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
			if (name === 'file') return file();
			if (name === 'folder') return oneOf(FOLDERS);
			if (name.startsWith('date')) return day();
			if (name === 'hash') return Math.floor(next() * 0xfffffff).toString(16);
			return String(name === 'n' ? 1 + below(400) : name === 'big' ? 500 + below(30_000) : 1 + below(30));
		});
	const some = (section: string, most: number) =>
		Array.from({ length: 1 + below(most) }, () => fill(oneOf(sentences.get(section))));
	const rows = Array.from(
		{ length: below(12) },
		() => `| ${file()} | ${1 + below(900)} | ${oneOf(HEADINGS)}, entry ${1 + below(20)} | ${oneOf(CERTAINTIES)} |`,
	);
	return [
		`# ${oneOf(['Findings', 'Privacy scan', 'Report', 'Review', `Status ${day()}`])}`,
		...some('opening', 2),
		['| file | line | catalog entry | certainty |', '|---|---|---|---|', ...rows].join('\n'),
		...some('findings', 4).map((sentence) => `- ${sentence}`),
		some('work', 10).join(' '),
		'## Not scanned',
		...some('skipped', 3),
		'## Summary',
		...some('closing', 3),
	].join('\n\n');
}

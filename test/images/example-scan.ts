import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { FIND_CONTEXT } from '../../server/claude-code/tools.ts';
import type { Script } from '../claude/harness/model.ts';
import { toolResults } from '../claude/harness/request.ts';
import { reportIn } from './session-lines.ts';

const CONFIG = new URL('../demo/config/context-broker/', import.meta.url);

/** The map and the catalog of the demonstration. */
export const MAP = readFileSync(new URL('context-map.toml', CONFIG), 'utf8');
export const CATALOG = readFileSync(new URL('example-catalog.md', CONFIG), 'utf8');

/** A project in which some of the catalog's entries occur. */
export const PROJECT = {
	'docs/contact.md': '# Contact\n\nWrite to Rául Ejemplo, with your number (EX-000-123).\n',
	'deploy/hosts.txt': 'build.internal.example\n',
	'src/seed.ts': "export const customers = [\n\t'Jane Example',\n\t'A. N. Other',\n];\n",
};

/** The entries of the catalog: its list items, and what stands in the second column of its table. */
export const ENTRIES = [...CATALOG.matchAll(/^(?:- |\| (?!what ).+? \| )(.+?)(?: \|)?$/gm)].map(([, entry = '']) =>
	entry.replaceAll('`', ''),
);

/** What the scanner looks for, and nobody else may know: the entries in each of their spellings. */
export const SPELLINGS = ENTRIES.flatMap((entry) => entry.split(/, also written | or /));

/** A model that scans the project, and quotes what it has found although it was told not to. */
export const scanAndQuote: Script = (request) => {
	const [first, ...read] = toolResults(request);
	if (request.agent === 'main') return first ? { text: lastWords(first.text) } : START;
	if (!first) return { tool: FIND_CONTEXT, input: { key: Object.keys(parse(MAP).keys as object)[0] } };
	const places = placesIn(first.text);
	const files = [...new Set(places.map(({ file }) => file))];
	if (read.length === 0) return files.map((file) => ({ tool: 'Read', input: { file_path: file } }));
	return { text: report(places) };
};

const START = {
	tool: 'Agent',
	input: {
		description: 'Privacy scan',
		prompt: 'Scan the project.',
		subagent_type: 'context-broker:privacy-scanner',
		run_in_background: false,
	},
};

interface Place {
	readonly file: keyof typeof PROJECT;
	readonly line: number;
	/** The line of the catalog. */
	readonly entry: number;
}

/** The places of a search, as the broker gives them. */
function placesIn(found: string): Place[] {
	const files = found.matchAll(/^(\S.*)\n((?: {2}\d+:\d+ .+\n)+)/gm);
	return [...files].flatMap(([, file = '', lines = '']) =>
		[...lines.matchAll(/^ {2}(\d+):\d+ \[context:L(\d+)\]/gm)].map(([, line, entry]) => {
			return { file: file as keyof typeof PROJECT, line: Number(line), entry: Number(entry) };
		}),
	);
}

function report(places: readonly Place[]): string {
	const rows = places.map(({ file, line, entry }) => {
		const read = PROJECT[file].split('\n')[line - 1] ?? '';
		const own = CATALOG.split('\n')[entry - 1] ?? '';
		const spelling = SPELLINGS.find((each) => read.includes(each) && own.includes(each)) ?? '';
		return `| ${file} | ${line} | ${headingOf(spelling)}, ${spelling} | certain |`;
	});
	const files = Object.keys(PROJECT).length;
	return [
		'| file | line | catalog entry | certainty |',
		'|---|---|---|---|',
		...rows.sort(),
		'\n**Not scanned**: nothing',
		`\n**Summary**: ${files} files scanned, ${rows.length} findings.`,
	].join('\n');
}

/** The heading of the catalog below which something stands. */
function headingOf(spelling: string): string {
	const before = CATALOG.slice(0, CATALOG.indexOf(spelling));
	return [...before.matchAll(/^## (.+)$/gm)].at(-1)?.[1] ?? '';
}

function lastWords(result: string): string {
	const summary = reportIn(result).at(-1)?.replace('**Summary**: ', '');
	const [reference = '', line] = /\[context:L(\d+)\]/.exec(result) ?? [];
	return `Done: ${summary} Look up ${reference} in line ${line} of your catalog: I was not told what it says.`;
}

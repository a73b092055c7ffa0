import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareFile, redact } from '../../../server/redaction/quoting.ts';
import { writeReport } from '../../server/redaction/reports/report.ts';
import type { Random } from '../random.ts';
import type { Row } from '../row.ts';
import { disguised, plain } from '../support/disguise.ts';
import { type Kind, PRIVATE_WORDS, prose, wordsOf } from '../support/private-words.ts';
import { ROOT } from '../support/root.ts';

/** So many passages are planted of one catalog. */
const OF_ONE = 25;

/** The share of reports that may lose text though they share nothing with the catalog. */
const MOST_WRONG = 0.01;

const QUOTING = join(ROOT, 'test', 'server', 'redaction');

/** How an entry can stand in a catalog. */
const FORMS: readonly ((entry: string) => string)[] = [
	(entry) => `- ${entry}`,
	(entry) => `* [ ] ${entry}`,
	(entry) => `  1. ${entry}`,
	(entry) => `\n| nr | value |\n|---|---|\n| 1 | ${entry} |\n`,
	(entry) => `\n| value | nr |\n|:---|---:|\n| **${entry}** | 1 |\n`,
	(entry) => `contact: ${entry}`,
	(entry) => `**contact**: ${entry}`,
	(entry) => `- contact: \`${entry}\``,
	(entry) => `They wrote \`${entry}\` there.`,
	(entry) => `They wrote "${entry}" there.`,
	(entry) => `They wrote “${entry}” there.`,
	(entry) => `They wrote **${entry}** there.`,
	(entry) => `- [${entry}](https://site.example)`,
	(entry) => `\n${entry}\n`,
	(entry) => `> ${entry}`,
	// Whole, where nothing within it parts it.
	(entry) => (/[,()]/.test(entry) ? `- ${entry}` : `- ${entry} (since spring)`),
	(entry) => `\n\`\`\`\n${entry}\n\`\`\`\n`,
];

/** In sentences names and numbers are found without any mark. */
const IN_SENTENCE: readonly Kind[] = ['name', 'host'];

interface Catalog {
	readonly text: string;
	/** What is private, in words. */
	readonly passages: readonly { readonly kind: string; readonly words: readonly string[] }[];
	/** Words of which any five in a row are private. */
	readonly prose: readonly string[];
}

export const redaction: Row = {
	name: 'redaction',
	holds: 'no planted passage survives; below 1 % of other reports lose text',
	full: 10_000,
	short: 1_500,
	seconds: [120, 20],
	run: async (run) => {
		const sentences = readFileSync(join(QUOTING, 'reports', 'sentences.md'), 'utf8');
		const others = otherCatalogs();
		const known = others.map(linesOf).filter(({ passages }) => passages.length > 2);
		let [reports, wrong] = [0, 0];
		for (let at = 0; at * OF_ONE < run.count && !run.isLate(); at++) {
			const random = run.random(at);
			const report = () => writeReport(() => random.next(), sentences);
			const catalog = random.chance(0.1) ? random.pick(known) : writeCatalog(random);
			const file = prepareFile(catalog.text);
			const other = random.chance(0.5) ? file : prepareFile(random.pick(others));
			for (let n = 0; n < OF_ONE; n++) {
				const text = report();
				reports += 1;
				if (redact(text, [other]).passages > 0) wrong += 1;
				const fault = plantOne(catalog, report(), (answer) => redact(answer, [file]).text, random);
				if (fault !== undefined) run.fail(at, fault);
				run.tried();
			}
		}
		if (wrong > reports * MOST_WRONG)
			run.fail(0, `${wrong} of ${reports} reports lost text that is not of the catalog`);
	},
};

/** Plants a passage into a report. @returns what did not hold */
function plantOne(
	catalog: Catalog,
	report: string,
	redacted: (answer: string) => string,
	random: Random,
): string | undefined {
	const isRun = catalog.prose.length > 0 && (catalog.passages.length === 0 || random.chance(0.25));
	const start = random.below(catalog.prose.length - 9);
	const run = catalog.prose.slice(start, start + 5 + random.below(5));
	const { kind, words } = isRun ? { kind: 'run', words: run } : random.pick(catalog.passages);
	const { text, how } = disguised(words, isRun, random);
	const at = report.indexOf(' ', random.below(report.length - 20));
	const place = at < 0 ? report.length : at;
	const answer = `${report.slice(0, place)} qqx ${text} qqy ${report.slice(place)}`;
	const result = redacted(answer);
	const [private_, pieces] = [plain(words.join('')), result.split(/\[context:L\d+\]/)];
	const told = () => `${kind}, ${how}: ${JSON.stringify(text).slice(0, 120)}`;
	if (pieces.some((piece) => plain(piece).includes(private_))) return `missed: ${told()}`;
	// All of it went, and nothing else, unless the report is one of the few that lose text anyway.
	const around = text.endsWith('](docs/elsewhere.html)') ? 'docs/elsewhere.html' : '';
	const rest = plain(`${report.slice(0, place)}qqx${around}qqy${report.slice(place)}`);
	if (plain(pieces.join(' ')) === rest || redacted(report) !== report) return undefined;
	return `more or less than the passage went: ${told()}`;
}

function writeCatalog(random: Random): Catalog {
	const kinds = random.chance(0.3)
		? (Object.keys(PRIVATE_WORDS) as Kind[])
		: [random.pick(Object.keys(PRIVATE_WORDS) as Kind[])];
	const lines = ['# What is private', ''];
	const passages: { kind: string; words: string[] }[] = [];
	for (let n = 0; n < 30; n++) {
		const kind = random.pick(kinds);
		const entry = PRIVATE_WORDS[kind](random);
		const inSentence = IN_SENTENCE.includes(kind) && random.chance(0.2);
		lines.push(inSentence ? `\nwe know ${entry} from the time before.\n` : random.pick(FORMS)(entry));
		passages.push({ kind, words: wordsOf(entry) });
	}
	const words = random.chance(0.5) ? prose(random, 40) : [];
	const perLine = 1 + random.below(12);
	const text = words.map((word, at) => word + (at % perLine === perLine - 1 ? '\n' : ' ')).join('');
	return { text: `${lines.join('\n')}\n\n${text}\n`, passages, prose: words };
}

/** Those of the tests, as people write them. */
function otherCatalogs(): string[] {
	const folder = join(QUOTING, 'catalogs');
	return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** The identifiers that stand in lines, list items and cells of their own in a catalog of which only the text is known. */
function linesOf(text: string): Catalog {
	const entries = [...text.matchAll(/^(?:- |\d+\. |\| )?([^|\n`":#]{7,60})$/gm)].map(([, entry = '']) => entry);
	const isIdentifier = (entry: string) => /^[^a-z]*\d{4}[^a-z]*$|^[A-Z][a-z]+ [A-Z][a-z]+$/.test(entry);
	return {
		text,
		passages: entries.filter(isIdentifier).map((entry) => ({ kind: 'line', words: wordsOf(entry) })),
		prose: [],
	};
}

import { expect, onTestFinished, test } from 'vitest';
import { FIND_CONTEXT, LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { markedPart } from '../support/marked-part.mjs';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { random } from '../support/random.ts';
import { addAgent, homeForTest, PROMPT, SCANNER } from './broker-session.ts';
import { runClient } from './harness/client.ts';
import { delegate, type ToolCall } from './harness/delegation.ts';
import { writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { startModel } from './harness/model.ts';
import { markdownTable } from './markdown-table.ts';

/** Of the subagent's requests to the model: how many, the characters of them all, and from the first to the last. */
interface Cost {
	readonly requests: number;
	readonly characters: number;
	readonly seconds: number;
}

const SEARCH = 'one search';
const ONE_BY_ONE = 'a Grep for each entry';
const JOINED = 'a Grep for thirty entries';

/** What docs/search.md shows. A Grep for each of 5,000 entries is more than a model's window holds. */
const ROWS: readonly (readonly [way: string, entries: number])[] = [
	[SEARCH, 20],
	[SEARCH, 300],
	[ONE_BY_ONE, 300],
	[SEARCH, 5000],
	[JOINED, 5000],
];

/** Compared with the table in each run; the others take minutes. */
const QUICK = ROWS.filter(([way]) => way === SEARCH);

const FILES = 2000;

const [version = ''] = clientVersions();

test('what a scan costs with the search and without is as docs/search.md says', async () => {
	const isUpdate = process.env.UPDATE_COSTS !== undefined;
	const part = markedPart('scan-cost', 'docs/search.md');
	const measured: (readonly [way: string, entries: number, cost: Cost])[] = [];
	for (const [way, entries] of isUpdate ? ROWS : QUICK) measured.push([way, entries, await costOf(way, entries)]);
	if (isUpdate) return part.write(tableOf(measured));

	const rows = part.text.split('\n').map((line) => line.split(' | '));
	for (const [way, entries, { requests, characters }] of measured) {
		const row = rows.find(([first]) => first === `| ${entries.toLocaleString('en')} entries, ${way}`);
		const [, saidRequests, saidCharacters] = row ?? [];
		expect(String(requests), `${way}, ${entries}`).toBe(saidRequests);
		// Paths of the machine are in them.
		expect(Math.abs(characters / Number(saidCharacters?.replaceAll(',', '')) - 1), `${characters}`).toBeLessThan(0.1);
	}
});

/** A session in which a scanner does as it is told. */
async function costOf(way: string, count: number): Promise<Cost> {
	const entries = namesFor(count);
	const { home, project } = await homeForTest(projectWith(entries));
	await writePrivate(home, 'catalog.md', `# Names\n\n${entries.map((entry) => `- ${entry}\n`).join('')}`);
	await writeMap(home, `[keys]\nk = "catalog.md"\n[keys.g]\npath = "catalog.md"\nagents = ["grepping"]\n`);
	await addAgent(home, 'grepping', `Read, Grep, ${LOAD_CONTEXT}`);
	const times: number[] = [];
	const scan = delegate({
		type: way === SEARCH ? SCANNER : 'grepping',
		background: false,
		calls:
			way === SEARCH
				? [{ tool: FIND_CONTEXT, input: { key: 'k' } }]
				: [{ tool: LOAD_CONTEXT, input: { key: 'g' } }, ...searchesFor(entries, way === JOINED ? 30 : 1)],
		answer: () => 'Privacy scan: done.',
	});
	const model = await startModel((request) => {
		if (request.agent === 'subagent') times.push(performance.now());
		return scan.script(request);
	}, 1000);
	onTestFinished(() => model.close());
	const args = ['--plugin-dir', PLUGIN_ROOT];
	const client = { version, home, cwd: project, model, prompt: PROMPT, args, timeoutMs: 900_000 };
	expect((await runClient(client)).result).toBe('All done.');
	const requests = scan.requestsOf();
	return {
		requests: requests.length,
		characters: requests.reduce((sum, { raw }) => sum + raw.length, 0),
		seconds: ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000,
	};
}

function searchesFor(entries: readonly string[], at: number): ToolCall[] {
	const patterns = entries.flatMap((_, n) => (n % at === 0 ? [entries.slice(n, n + at).join('|')] : []));
	return patterns.map((pattern) => ({
		tool: 'Grep',
		input: { pattern, '-i': true, output_mode: 'content', '-n': true },
	}));
}

const SYLLABLES = 'bo quen dri lor mak neth os pell rif sto thur vex wyn yor zel'.split(' ');

/** Different names of two words. */
function namesFor(count: number): string[] {
	const word = (n: number) => {
		const text = [n % 15, Math.floor(n / 15) % 15, Math.floor(n / 225) % 15].map((at) => SYLLABLES[at]).join('');
		return text.charAt(0).toUpperCase() + text.slice(1);
	};
	return Array.from({ length: count }, (_, n) => `${word(n * 7 + 3)} ${word(n * 13 + 1000)}`);
}

/** A name in every hundredth of its files. */
function projectWith(entries: readonly string[]): Record<string, string> {
	const next = random(1);
	const line = (n: number) => `export const value${n} = compute(${Math.floor(next() * 1000)}, 'setting-${n % 17}');\n`;
	const files = Array.from({ length: FILES }, (_, n) => {
		const found = n % 100 === 0 ? `// asked for by ${entries[n % entries.length]}\n` : '';
		return [`src/part${n % 40}/file${n}.ts`, found + Array.from({ length: 40 }, (_, each) => line(each)).join('')];
	});
	return Object.fromEntries(files);
}

function tableOf(measured: readonly (readonly [string, number, Cost])[]): string {
	const date = new Date().toISOString().slice(0, 10);
	const rows = measured.map(([way, entries, { requests, characters, seconds }]) => [
		`${entries.toLocaleString('en')} entries, ${way}`,
		String(requests),
		characters.toLocaleString('en'),
		seconds.toFixed(1),
	]);
	const head = [`a scan (${date}, Claude Code ${version})`, 'requests', 'characters sent to the model', 'seconds'];
	return `${markdownTable(head, rows).join('\n')}\n`;
}

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIND_CONTEXT, LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { addAgent, brokerSession, homeForTest, SCANNER } from './broker-session.ts';
import { delegate, type ToolCall } from './harness/delegation.ts';
import { writeMap, writePrivate } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';

const [version = ''] = clientVersions();

const FILES = 1_000;

/** So many entries are joined to one pattern. */
const JOINED = 30;

const FIRST = 'Merle Bruno Quirin Ada Jorun Finn Runa Edda Kasper Cleo Pelle Hilla Nils Dario Ottilie Gero'.split(' ');
const LAST = 'Abendroth Brixen Castellan Dornquist Ehrenfels Falkenrath Grimaldi Haverkamp Isenburg Jagow'.split(' ');

/** Names that are nobody's. */
function entries(count: number): string[] {
	return Array.from({ length: count }, (_, n) => {
		const [first, last] = [FIRST[n % FIRST.length], LAST[Math.floor(n / FIRST.length) % LAST.length]];
		return `${first} ${last}-Q${String(n).padStart(4, '0')}`;
	});
}

interface Cost {
	readonly requests: number;
	readonly characters: number;
	readonly seconds: number;
}

/** A scan in a project of which each hundredth file has an entry: the requests of the scanner. */
async function cost(count: number, isSearch: boolean): Promise<Cost> {
	const { home, project } = await homeForTest();
	const list = entries(count);
	await writePrivate(home, 'catalog.md', `# Names\n\n- ${list.join('\n- ')}\n`);
	await writeMap(home, `[keys.k]\npath = "catalog.md"\nagents = ["${SCANNER}", "grepper"]\n`);
	await addAgent(project, 'grepper', `Grep, ${LOAD_CONTEXT}`);
	await mkdir(join(project, 'src'));
	for (let n = 0; n < FILES; n++) {
		const text = `export const value = ${n};\n${n % 100 === 0 ? `// ${list[(n / 100) % count]}\n` : ''}`.repeat(20);
		await writeFile(join(project, 'src', `${n}.ts`), text);
	}
	const greps: ToolCall[] = [];
	for (let n = 0; n < count; n += JOINED) {
		const pattern = list.slice(n, n + JOINED).join('|');
		greps.push({ tool: 'Grep', input: { pattern, '-i': true, output_mode: 'content', '-n': true } });
	}
	const load = { tool: LOAD_CONTEXT, input: { key: 'k' } };
	const scan = delegate({
		type: isSearch ? SCANNER : 'grepper',
		background: false,
		calls: isSearch ? [{ tool: FIND_CONTEXT, input: { key: 'k' } }] : [load, ...greps],
	});
	const before = performance.now();
	const { session } = await brokerSession({ version, home, project }, scan.script);
	expect(session.result).toBe('All done.');
	expect(scan.resultsOf().filter(({ isError }) => isError)).toEqual([]);
	const found = scan.resultsOf().map(({ text }) => text);
	expect(found.join('\n')).toContain(isSearch ? '200 places in 10 files' : list[0]);
	const lengths = scan.requestsOf().map(({ raw }) => raw.length);
	const characters = lengths.reduce((sum, length) => sum + length, 0);
	return { requests: lengths.length, characters, seconds: (performance.now() - before) / 1_000 };
}

/** What the README says of a catalog: with the search, or without. */
async function documented(count: number, isSearch: boolean): Promise<Omit<Cost, 'seconds'>> {
	const text = await readFile(join(PLUGIN_ROOT, 'README.md'), 'utf8');
	const way = isSearch ? 'find_context' : 'loads, and searches with patterns';
	const row = text.split('\n').find((line) => line.startsWith(`| ${count.toLocaleString('en')} | ${way} |`));
	const cells = (row ?? '').split('|').slice(3, 5);
	const [requests = 0, characters = 0] = cells.map((cell) => Number(cell.replaceAll(',', '')));
	return { requests, characters };
}

test.each(
	[20, 300, 5_000].flatMap((count) => [
		{ count, isSearch: true },
		{ count, isSearch: false },
	]),
)('what a scan for $count entries costs is as the README says, by find_context: $isSearch', async (way) => {
	const measured = await cost(way.count, way.isSearch);
	const said = await documented(way.count, way.isSearch);
	expect(measured.requests, JSON.stringify(measured)).toBe(said.requests);
	// Paths and names of the machine are in them.
	expect(Math.abs(measured.characters / said.characters - 1), JSON.stringify(measured)).toBeLessThan(0.1);
});

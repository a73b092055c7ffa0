import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { markedPart } from '../../support/marked-part.mjs';
import { clientVersions } from '../harness/installed-clients.ts';
import { markdownTable } from '../markdown-table.ts';
import { FILE_ACCESSES, OBJECTS } from './file-accesses.ts';
import { WAYS, type Way } from './ways.ts';

/** What a run came to in one test of sessions. */
export interface SessionTest {
	/** In the folder of the sessions. */
	readonly file: string;
	readonly name: string;
	/** With the names of its suites: they tell the version. */
	readonly fullName: string;
	readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
	/** As `reportOutcome` gave it. */
	readonly outcome?: string | undefined;
}

/** A way, and what came of it in each version, the oldest first. */
type Row = [way: string, ...cells: string[]];

const [FAILED, SKIPPED, NOT_RUN, NOT_TRIED] = ['fails', 'skipped', 'not run', 'not tried'] as const;

/**
 * The rows of the ways that a run has to say something of: those of the files that it ran.
 *
 * @param isNarrowed whether a name was asked for (`-t`), so that a test can be missing for a good reason
 */
export function rowsOf(
	ways: readonly Way[],
	tests: readonly SessionTest[],
	versions: readonly string[],
	isNarrowed: boolean,
): Row[] {
	return ways.flatMap((way): Row[] => {
		const own = tests.filter(({ file }) => file === way.file);
		const isLeftOut = own.length === 0 && existsSync(new URL(`../${way.file}`, import.meta.url));
		const cells = versions.map((version) => {
			const ofVersion = own.filter(({ fullName }) => fullName.includes(version));
			if (way.unless?.of(version)) return way.unless.cell;
			const cell = cellOf(way, ofVersion);
			return way.mayBeSkipped && cell === SKIPPED ? NOT_TRIED : cell;
		});
		return isLeftOut || (isNarrowed && hasAny(cells, [SKIPPED, NOT_RUN, NOT_TRIED])) ? [] : [[way.way, ...cells]];
	});
}

/** @param tests those of its file in one version */
function cellOf({ titles, outcome = 'closed' }: Way, tests: readonly SessionTest[]): string {
	const outcomes = titles.flatMap((title) => {
		const parts = title.split('%s').map((part) => part.replace(/[^\w\s]/g, '\\$&'));
		const pattern = new RegExp(`^${parts.join('.+')}$`);
		const found = tests.filter(({ name }) => pattern.test(name)).map((test) => outcomeOf(test, outcome));
		return found.length > 0 ? found : [NOT_RUN];
	});
	return [...new Set(outcomes)].join(', ');
}

function outcomeOf({ state, outcome }: SessionTest, usual: string): string {
	return { passed: outcome ?? usual, failed: FAILED, skipped: SKIPPED, pending: NOT_RUN }[state];
}

/** The rows that are not as they have to be. @param documented the table in the documents */
export function wrongRows(rows: readonly Row[], versions: readonly string[], documented: string): Row[] {
	const said = cellsIn(documented);
	const isSaid = ([way, ...cells]: Row) =>
		versions.every((version, index) => [said.get(version)?.get(way), NOT_TRIED].includes(cells[index]));
	return rows.filter((row) => isIncomplete(row) || !isSaid(row));
}

function isIncomplete([, ...cells]: Row): boolean {
	return hasAny(cells, [FAILED, SKIPPED, NOT_RUN]);
}

function hasAny(cells: readonly string[], outcomes: readonly string[]): boolean {
	return cells.some((cell) => outcomes.some((outcome) => cell.includes(outcome)));
}

const [FIRST_COLUMN, DATES] = ['Claude Code', 'tried on'];

/** What a table says, by version and way. */
function cellsIn(table: string): Map<string, Map<string, string>> {
	const lines = table.split('\n').filter((line) => line.startsWith('| '));
	const [[, ...versions] = [], , ...rows] = lines.map((line) => line.slice(2, -2).split(' | '));
	return new Map(
		versions.map((version, index) => [version, new Map(rows.map(([way = '', ...cells]) => [way, cells[index] ?? '']))]),
	);
}

/** The table with what a run of all ways came to in some versions; of others, it says what it said. */
export function updatedTable(
	rows: readonly Row[],
	versions: readonly string[],
	date: string,
	documented: string,
): string {
	const cells = cellsIn(documented);
	for (const [index, version] of versions.entries()) {
		const before = cells.get(version);
		const now = rows.map(([way, ...own]): [string, string] => {
			const cell = own[index] ?? NOT_RUN;
			return [way, cell === NOT_TRIED ? (before?.get(way) ?? cell) : cell];
		});
		cells.set(version, new Map([[DATES, date], ...now]));
	}
	const all = [...cells.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
	const row = (way: string) => [way, ...all.map((version) => cells.get(version)?.get(way) ?? NOT_RUN)];
	return [
		...markdownTable([FIRST_COLUMN, ...all], [DATES, ...rows.map(([way]) => way)].map(row)),
		'',
		'The file accesses:',
		'',
		...OBJECTS.map((object) => {
			const ways = FILE_ACCESSES.filter((access) => access.object === object).map(({ way }) => way);
			return `- ${object}: ${ways.join('; ')}`;
		}),
		'',
	].join('\n');
}

/** Compares the table of ways with what a run came to, or writes it (UPDATE_WAYS) if the run was of all of them. */
export const waysReporter: Reporter = {
	onTestRunEnd(modules) {
		const sessions = modules.filter(({ project }) => project.name === 'claude');
		const versions = clientVersions().reverse();
		const isNarrowed = sessions.some(({ project }) => project.globalConfig.testNamePattern !== undefined);
		const rows = rowsOf(WAYS, sessions.flatMap(testsOf), versions, isNarrowed);
		if (sessions.length === 0 || rows.length === 0) return;
		const part = markedPart('sessions');
		const isWhole = rows.length === WAYS.length;
		const today = new Date().toISOString().slice(0, 10);
		const table = isWhole ? updatedTable(rows, versions, today, part.text) : part.text;
		const isUpdate = process.env.UPDATE_WAYS !== undefined;
		const wrong = wrongRows(rows, versions, isUpdate ? table : part.text);
		const isSame = !isWhole || isUpdate || withoutDates(table) === withoutDates(part.text);
		const isRight = wrong.length === 0 && isSame;
		if (isUpdate && isWhole && isRight) part.write(table);
		const right = `${rows.length - wrong.length} of ${rows.length} that ran, of ${WAYS.length} in all`;
		process.stdout.write(`\nWays as docs/protection.md says: ${right}.\n`);
		for (const row of wrong) process.stdout.write(`Not as there: | ${row.join(' | ')} |\n`);
		if (isRight && (isWhole || !isUpdate)) return;
		process.stdout.write('UPDATE_WAYS=1 npm run test:claude writes the table, if no way fails or is left out.\n');
		process.exitCode = 1;
	},
};

function withoutDates(table: string): string {
	return table.replace(new RegExp(`^\\| ${DATES} .*$`, 'm'), '');
}

function testsOf({ moduleId, children }: TestModule): SessionTest[] {
	return [...children.allTests()].map((test) => {
		const { state } = test.result();
		const { outcome } = test.meta() as { outcome?: string };
		return { file: basename(moduleId), name: test.name, fullName: test.fullName, state, outcome };
	});
}

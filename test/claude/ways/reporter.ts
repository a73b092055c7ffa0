import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { markedPart } from '../../support/marked-part.ts';
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

const [FAILED, SKIPPED, NOT_RUN] = ['fails', 'skipped', 'not run'] as const;

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
		const cells = versions.map((version) =>
			cellOf(
				way,
				own.filter(({ fullName }) => fullName.includes(version)),
			),
		);
		const mayBe = isNarrowed ? [SKIPPED, NOT_RUN] : way.mayBeSkipped ? [SKIPPED] : [];
		return isLeftOut || hasAny(cells, mayBe) ? [] : [[way.way, ...cells]];
	});
}

/** @param tests those of its file in one version */
function cellOf({ titles }: Way, tests: readonly SessionTest[]): string {
	const outcomes = titles.flatMap((title) => {
		const parts = title.split('%s').map((part) => part.replace(/[^\w\s]/g, '\\$&'));
		const pattern = new RegExp(`^${parts.join('.+')}$`);
		const found = tests.filter(({ name }) => pattern.test(name)).map(outcomeOf);
		return found.length > 0 ? found : [NOT_RUN];
	});
	return [...new Set(outcomes)].join(', ');
}

function outcomeOf({ state, outcome = 'closed' }: SessionTest): string {
	return { passed: outcome, failed: FAILED, skipped: SKIPPED, pending: NOT_RUN }[state];
}

/** The rows that are not as they have to be. @param documented the table in the documents */
export function wrongRows(rows: readonly Row[], documented: string): Row[] {
	return rows.filter((row) => isIncomplete(row) || !documented.includes(`| ${row.join(' | ')} |\n`));
}

function isIncomplete([, ...cells]: Row): boolean {
	return hasAny(cells, [FAILED, SKIPPED, NOT_RUN]);
}

function hasAny(cells: readonly string[], outcomes: readonly string[]): boolean {
	return cells.some((cell) => outcomes.some((outcome) => cell.includes(outcome)));
}

function tableOf(rows: readonly Row[], versions: readonly string[]): string {
	const date = new Date().toISOString().slice(0, 10);
	return [
		...markdownTable([`way (${date})`, ...versions.map((version) => `Claude Code ${version}`)], rows),
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

function withoutDate(table: string): string {
	return table.replace(/\d{4}-\d\d-\d\d/, '');
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
		const table = tableOf(rows, versions);
		const isWhole = rows.length === WAYS.length;
		const isUpdate = process.env.UPDATE_WAYS !== undefined;
		const documented = isUpdate ? table : part.text;
		const wrong = wrongRows(rows, documented);
		const isSame = isWhole ? withoutDate(table) === withoutDate(documented) : !isUpdate;
		const isRight = wrong.length === 0 && isSame;
		if (isUpdate && isRight) part.write(table);
		const right = `${rows.length - wrong.length} of ${rows.length} that ran, of ${WAYS.length} in all`;
		process.stdout.write(`\nWays as docs/protection.md says: ${right}.\n`);
		for (const row of wrong) process.stdout.write(`Not as there: | ${row.join(' | ')} |\n`);
		if (isRight) return;
		process.stdout.write('UPDATE_WAYS=1 npm run test:claude writes the table, if no way fails or is left out.\n');
		process.exitCode = 1;
	},
};

function testsOf({ moduleId, children }: TestModule): SessionTest[] {
	return [...children.allTests()].map((test) => {
		const { state } = test.result();
		const { outcome } = test.meta() as { outcome?: string };
		return { file: basename(moduleId), name: test.name, fullName: test.fullName, state, outcome };
	});
}

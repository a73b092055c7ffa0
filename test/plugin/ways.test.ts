import { describe, expect, test } from 'vitest';
import { rowsOf, type SessionTest, updatedTable, wrongRows } from '../claude/ways/reporter.ts';
import type { Way } from '../claude/ways/ways.ts';

const VERSIONS = ['2.1.126', '2.1.332'];

const WAYS: readonly Way[] = [
	{ way: 'it asks', file: 'identity.test.ts', titles: ['it asks (%s)', 'it asks again'] },
	{ way: 'it reads', file: 'quoting.test.ts', titles: ['it reads'] },
	{ way: 'off', file: 'hooks-off.test.ts', titles: ['when it is off'], mayBeSkipped: true },
];

const DOCUMENTED = `| Claude Code | 2.1.126 | 2.1.332 |
| --- | --- | --- |
| tried on | 2026-11-28 | 2026-11-29 |
| it asks | closed | closed |
| it reads | no such tool | closed |
| off | closed | closed |
`;

function testOf(file: string, name: string, version: string, fields: Partial<SessionTest> = {}): SessionTest {
	return { file, name, fullName: `Claude Code ${version}: x > ${name}`, state: 'passed', ...fields };
}

/** All is as it is documented. */
const ASKS = VERSIONS.flatMap((version) =>
	['it asks (once)', 'it asks (twice)', 'it asks again'].map((name) => testOf('identity.test.ts', name, version)),
);
const READS = [
	testOf('quoting.test.ts', 'it reads', '2.1.126', { outcome: 'no such tool' }),
	testOf('quoting.test.ts', 'it reads', '2.1.332'),
];
const OFF = VERSIONS.map((version) => testOf('hooks-off.test.ts', 'when it is off', version));

function wrongOf(tests: readonly SessionTest[], isNarrowed = false, ways = WAYS): string[][] {
	return wrongRows(rowsOf(ways, tests, VERSIONS, isNarrowed), VERSIONS, DOCUMENTED);
}

test('a run of all ways says what the documents say', () => {
	expect(rowsOf(WAYS, [...ASKS, ...READS, ...OFF], VERSIONS, false)).toEqual([
		['it asks', 'closed', 'closed'],
		['it reads', 'no such tool', 'closed'],
		['off', 'closed', 'closed'],
	]);
	expect(wrongOf([...ASKS, ...READS, ...OFF])).toEqual([]);
});

describe('a run fails', () => {
	const [first, second, ...others] = ASKS as [SessionTest, SessionTest, ...SessionTest[]];

	test.each<[string, readonly SessionTest[], string]>([
		[
			'if one of the sessions of a way is skipped',
			[{ ...first, state: 'skipped' }, second, ...others],
			'skipped, closed',
		],
		['if one fails', [first, { ...second, state: 'failed' }, ...others], 'closed, fails'],
		['if one has another outcome', [first, { ...second, outcome: 'open' }, ...others], 'closed, open'],
		[
			'if a title has changed',
			[first, second, { ...(others[0] as SessionTest), name: 'it asks anew' }, ...others.slice(1)],
			'closed, not run',
		],
		['if a version is left out', ASKS.filter(({ fullName }) => !fullName.includes('2.1.126')), 'not run'],
	])('%s', (_, tests, cell) => {
		expect(wrongOf(tests)).toEqual([['it asks', cell, 'closed']]);
	});

	test('if a file is there no more', () => {
		const gone = { way: 'it asks', file: 'gone.test.ts', titles: ['it asks'] };
		expect(wrongOf(READS, false, [gone])).toEqual([['it asks', 'not run', 'not run']]);
	});

	test('also if the documents say the same', () => {
		const rows = rowsOf(WAYS, [{ ...first, state: 'skipped' }, ...ASKS.slice(1)], VERSIONS, false);
		expect(wrongRows(rows, VERSIONS, DOCUMENTED.replace('it asks |', 'it asks | skipped,'))).toHaveLength(1);
	});
});

describe('a run says nothing', () => {
	test('of files that it was not asked for', () => {
		expect(rowsOf(WAYS, READS, VERSIONS, false)).toEqual([['it reads', 'no such tool', 'closed']]);
	});

	test('of titles that it was not asked for', () => {
		const others = READS.map((each): SessionTest => ({ ...each, state: 'skipped' }));
		expect(rowsOf(WAYS, [...ASKS, ...others], VERSIONS, true)).toEqual([['it asks', 'closed', 'closed']]);
	});

	test('of what the machine cannot try, if the way allows for that', () => {
		const skipped = OFF.map((each): SessionTest => ({ ...each, state: 'skipped' }));
		expect(wrongOf([...ASKS, ...READS, ...skipped])).toEqual([]);
	});
});

test('a run in another version adds a column, or replaces its own', () => {
	const [version, date] = ['2.1.229', '2026-12-01'];
	const tests = [...ASKS, ...READS, ...OFF].map((each) => ({
		...each,
		fullName: each.fullName.replace(/2\.1\.\d+/, version),
	}));
	const rows = rowsOf(WAYS, tests, [version], false);
	const added = updatedTable(rows, [version], date, DOCUMENTED);
	expect(added).toContain(`| Claude Code | 2.1.126 | 2.1.229 | 2.1.332 |
| --- | --- | --- | --- |
| tried on | 2026-11-28 | 2026-12-01 | 2026-11-29 |
| it asks | closed | closed | closed |
| it reads | no such tool | no such tool, closed | closed |
| off | closed | closed | closed |
`);
	expect(updatedTable(rows, [version], date, added)).toBe(added);
});

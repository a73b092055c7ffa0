import { expect, test } from 'vitest';
import { markdownTable } from '../claude/markdown-table.ts';
import { markedPart } from '../support/marked-part.mjs';
import { temporaryFolder } from '../support/temporary.ts';
import { CATALOG, NAMES } from './catalog.ts';
import { type Outcome, runWays } from './run-ways.ts';
import { WAYS } from './ways.ts';

const IN_ORDER = ['a program that prints', 'the shell', 'a program that finds files by itself', 'a script'];

/** What neither look sees: scripts that find the file by themselves and print it in another form or order. */
const KNOWN_GAPS = [/urllib\.parse\.quote/, /random\.shuffle/, /re\.findall/, /sorted\(set/];

/** Of a file of names alone: without their marks, in whatever text, they are what any project holds. */
const KNOWN_GAPS_OF_NAMES = ["sed 's/^- //' ~/private/catalog.md"];

/** Failing commands that find the file by themselves: what they print can't be replaced. */
const KNOWN_FAILURES = [
	/Makefile; make$/,
	/\.rglob\(.*sys\.exit/,
	/os\.walk\(.*SystemExit/,
	/raise Exception/,
	/throw new Error/,
	/^du -a/,
];

test('what commands print of the file is seen in the call or in the result, and the documents say how often', async ({
	skip,
}) => {
	const outcomes = await runWays(await temporaryFolder(), CATALOG);
	const printed = outcomes.filter(({ printsFile, exitCode }) => printsFile && exitCode === 0);
	const failed = outcomes.filter(({ printsFile, exitCode }) => printsFile && exitCode !== 0);
	const ways = (list: readonly Outcome[]) => list.map(({ way }) => way);
	expect(printed.length).toBeGreaterThan(150);
	expect(ways(printed.filter(({ kind, inResult }) => IN_ORDER.includes(kind) && !inResult))).toEqual([]);
	expect(ways(printed.filter(isUnseen).filter(({ way }) => !KNOWN_GAPS.some((gap) => gap.test(way))))).toEqual([]);
	const unseen = failed.filter(({ inCall }) => !inCall);
	expect(ways(unseen.filter(({ way }) => !KNOWN_FAILURES.some((gap) => gap.test(way))))).toEqual([]);

	const missing = [...new Set(outcomes.flatMap(({ missing }) => missing ?? []))].sort();
	const part = markedPart('ways');
	const table = tableOf(outcomes, missing);
	if (process.env.UPDATE_WAYS !== undefined) part.write(table);
	else if (table.split('\n').at(-2) === part.text.split('\n').at(-2)) expect(part.text).toBe(table);
	else skip('other programs are installed here than the figures are of');
});

test('of a file that is a list of names, the result is seen too if the list has its marks', async () => {
	const ways = Object.fromEntries(IN_ORDER.map((kind) => [kind, WAYS[kind] ?? []]));
	const outcomes = await runWays(await temporaryFolder(), NAMES, ways);
	const unseen = outcomes.filter(({ printsFile, inResult }) => printsFile && !inResult);
	expect(unseen.map(({ way }) => way)).toEqual(KNOWN_GAPS_OF_NAMES);
});

function isUnseen({ inCall, inResult }: Outcome): boolean {
	return !inCall && !inResult;
}

/** What the run came to, as Markdown. */
function tableOf(outcomes: readonly Outcome[], missing: readonly string[]): string {
	const rows = Object.keys(WAYS).map((kind) => {
		const ran = outcomes.filter((outcome) => outcome.kind === kind && outcome.missing === undefined);
		const printed = ran.filter(({ printsFile, exitCode }) => printsFile && exitCode === 0);
		const failed = ran.filter(({ printsFile, exitCode }) => printsFile && exitCode !== 0);
		return [
			kind,
			ran.length,
			printed.length,
			printed.filter(({ inCall }) => inCall).length,
			printed.filter(({ inResult }) => inResult).length,
			printed.filter(isUnseen).length,
			failed.length,
			failed.filter(({ inCall }) => !inCall).length,
		];
	});
	const sums = rows[0]?.slice(1).map((_, column) => rows.reduce((sum, row) => sum + Number(row[column + 1]), 0)) ?? [];
	const head = ['commands', 'ran', 'printed the file', 'seen in the call', 'seen in the result', 'in neither'];
	return [
		...markdownTable(
			[...head, 'failed, and printed it', 'of these not seen in the call'],
			[...rows, ['all', ...sums]].map((row) => row.map(String)),
		),
		'',
		`Left out, since not installed: ${missing.join(', ')}.`,
		'',
	].join('\n');
}

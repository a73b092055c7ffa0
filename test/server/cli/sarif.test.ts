import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { toSarif } from '../../../server/cli/sarif.ts';
import type { Findings, FoundFile } from '../../../server/search/findings.ts';

/*
 * What the schema of SARIF 2.1.0 (OASIS, errata 01) says of the objects that are written: all of them take no further
 * properties. The whole schema accepts the same logs.
 */
const text = z.strictObject({ text: z.string() });
const level = z.enum(['none', 'note', 'warning', 'error']);
const positive = z.int().check(z.positive());
const location = z.strictObject({
	physicalLocation: z.strictObject({
		artifactLocation: z.strictObject({ uri: z.string().check(z.regex(/^[\w.~!*'()%/-]+$/)), uriBaseId: z.string() }),
		region: z.strictObject({ startLine: positive, startColumn: z.optional(positive) }),
	}),
});
const rule = z.strictObject({
	id: z.string(),
	name: z.string(),
	...{ shortDescription: text, fullDescription: text, help: text },
	defaultConfiguration: z.strictObject({ level }),
	properties: z.looseObject({ tags: z.array(z.string()) }),
});
const log = z.strictObject({
	$schema: z.url(),
	version: z.literal('2.1.0'),
	runs: z.array(
		z.strictObject({
			tool: z.strictObject({
				driver: z.strictObject({ name: z.string(), semanticVersion: z.string(), rules: z.array(rule) }),
			}),
			columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
			invocations: z.array(
				z.strictObject({
					executionSuccessful: z.boolean(),
					toolExecutionNotifications: z.array(z.strictObject({ level, message: text })),
				}),
			),
			results: z.array(
				z.strictObject({
					ruleId: z.string(),
					ruleIndex: z.int(),
					level,
					message: text,
					locations: z.array(location),
				}),
			),
		}),
	),
});

function sarifOf(files: readonly FoundFile[], total = files.reduce((sum, { count }) => sum + count, 0)) {
	const findings: Findings = {
		...{ files, total, moreFiles: 0, entries: new Map(), unsearchable: [8] },
		searched: { files: 7, versions: 2, bytes: 70 },
		unsearched: new Map([['binary', { count: 1, paths: ['a.png'] }]]),
	};
	const [run] = log.parse(JSON.parse(toSarif(findings, '1.2.3'))).runs;
	if (run === undefined) throw new Error('there is no run');
	return run;
}

const PLACE = { line: 3, column: 14, entry: 5, certainty: 'exact' } as const;

test('each place is a result at its location, with the line of the private file', () => {
	const { results, tool } = sarifOf([
		{ path: 'docs/[context:L4]/', inName: [{ entry: 4, certainty: 'spelling' }], places: [], count: 1 },
		{ path: 'src/a b#ü.ts', inName: [], places: [PLACE, { ...PLACE, certainty: 'part' }], count: 2 },
	]);
	expect(
		results.map(({ ruleId, message, locations }) => [ruleId, message.text, locations[0]?.physicalLocation]),
	).toEqual([
		[
			'private-entry/spelling',
			'[context:L4] of the private file occurs in this name, in another spelling.',
			{
				artifactLocation: { uri: 'docs/%5Bcontext%3AL4%5D/', uriBaseId: '%SRCROOT%' },
				region: { startLine: 1 },
			},
		],
		[
			'private-entry/exact',
			'[context:L5] of the private file occurs here, as written.',
			{
				artifactLocation: { uri: 'src/a%20b%23%C3%BC.ts', uriBaseId: '%SRCROOT%' },
				region: { startLine: 3, startColumn: 14 },
			},
		],
		['private-entry/part', expect.any(String), expect.any(Object)],
	]);
	for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
});

test('a place in the history names its commit', () => {
	const commit = 'a'.repeat(40);
	const { results } = sarifOf([
		{ path: 'old.ts', commit, inName: [], places: [PLACE], count: 1 },
		{ path: '', of: 'message', commit, inName: [], places: [PLACE], count: 1 },
	]);
	for (const { message } of results) expect(message.text).toContain(`in commit ${commit}`);
	expect(results.map(({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri)).toEqual([
		'old.ts',
		'commit%20aaaaaaaaaaaa%20message',
	]);
});

test('what was not searched is a notification, and so are places that are too many', () => {
	const notes = (run: ReturnType<typeof sarifOf>) =>
		run.invocations[0]?.toolExecutionNotifications.map(({ message }) => message.text);
	expect(notes(sarifOf([]))).toEqual([
		'Not searched: binary, no text: 1 (a.png).',
		'Rules, prose or ordinary words, for which a search is not enough: [context:L8].',
	]);
	const files = Array.from({ length: 30 }, (_, n) => ({
		...{ path: `${n}.ts`, inName: [], count: 1_200 },
		places: Array.from({ length: 1_000 }, () => PLACE),
	}));
	const cut = sarifOf(files);
	expect(cut.results).toHaveLength(25_000);
	expect(notes(cut)?.[0]).toBe('11000 more places were found.');
});

import { expect, test } from 'vitest';
import type { Findings, FoundFile } from '../../../server/search/findings.ts';
import { quoted, reportOf } from '../../../server/search/report.ts';

function findings(files: readonly FoundFile[], more: Partial<Findings> = {}): Findings {
	const total = files.reduce((sum, { count }) => sum + count, 0);
	const searched = { files: 9, versions: 0, bytes: 90 };
	return { searched, files, moreFiles: 0, total, entries: new Map(), unsearched: new Map(), unsearchable: [], ...more };
}

const place = (line: number) => ({ line, column: 2, entry: 5, certainty: 'exact' }) as const;

test('a report says what was found, what was not searched and why, and what a search does not cover', () => {
	const report = reportOf(
		findings(
			[
				{ path: '[context:L7]/', inName: [{ entry: 7, certainty: 'spelling' }], places: [], count: 1 },
				{ path: 'src/a.ts', inName: [], places: [place(3), { ...place(4), certainty: 'part' }], count: 2 },
				{ path: 'a.ts', commit: 'a'.repeat(40), inName: [], places: [place(1)], count: 1 },
				{ path: '', of: 'message', commit: 'b'.repeat(40), inName: [], places: [place(1)], count: 1 },
			],
			{
				searched: { files: 9, versions: 3, bytes: 90 },
				entries: new Map([
					[5, 4],
					[7, 1],
				]),
				unsearched: new Map([
					['binary', { count: 30, paths: ['a.png', 'b.png'] }],
					['ignored', { count: 1, paths: ['out/'] }],
				]),
				unsearchable: [2, 4, 5, 6],
			},
		),
	);
	expect(report).toBe(
		[
			'5 places in 4 files and folders; 9 files and 3 versions in the history searched.',
			'',
			'[context:L7]/',
			'  name [context:L7] in another spelling',
			'src/a.ts',
			'  3:2 [context:L5] as written',
			'  4:2 [context:L5] in part of a longer word',
			'commit aaaaaaaaaaaa a.ts',
			'  1:2 [context:L5] as written',
			'commit bbbbbbbbbbbb message',
			'  1:2 [context:L5] as written',
			'',
			'Places for each line of the private file: [context:L5] 4, [context:L7] 1.',
			'Not searched: binary, no text: 30 (a.png, b.png, and 28 more); ignored by git: 1 (out/).',
			'Rules, prose or ordinary words, for which a search is not enough: [context:L2], [context:L4] to [context:L6].',
		].join('\n'),
	);
});

test('a report of nothing says so plainly', () => {
	expect(reportOf(findings([]))).toBe(
		'No places; 9 files searched.\nNot searched: nothing.\nEach line of the private file was searched for.',
	);
});

test('a long report is cut, and what is cut is counted', () => {
	const files = Array.from({ length: 3_000 }, (_, n) => {
		const places = Array.from({ length: 100 }, (_, line) => place(line + 1));
		return { path: `src/file-${String(n).padStart(5, '0')}.ts`, inName: [], places, count: 120 };
	});
	const entries = new Map(Array.from({ length: 5_000 }, (_, n) => [n + 1, 72]));
	const unsearchable = Array.from({ length: 2_000 }, (_, n) => 2 * n + 1);
	const report = reportOf(findings(files, { entries, unsearchable, moreFiles: 4 }));
	expect(report.length).toBeLessThan(42_000);
	expect(report).toContain('360000 places in 3004 files and folders');
	expect(report).toContain('  … and 70 more places');
	const shown = report.match(/^src\//gm)?.length ?? 0;
	expect(shown).toBeGreaterThan(10);
	expect(report).toContain(`… and ${(3_000 - shown) * 120} more places in ${3_000 - shown} more files`);
	expect(report).toContain('and 4 more files, with their places counted but not listed');
	expect(report).toContain('and 4800 more lines');
	expect(report).toContain('and 1800 more ranges');
});

test.each([
	['src/a b.ts', 'src/a b.ts'],
	['a\nb', '"a\\nb"'],
	['say "hi"', '"say \\"hi\\""'],
	['\u202eabc', '"\\u202eabc"'],
	[' a', '" a"'],
])('the path %j is written %s', (path, written) => {
	expect(quoted(path)).toBe(written);
});

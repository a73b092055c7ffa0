import { expect, test } from 'vitest';
import { Collector } from '../../../server/search/findings.ts';
import type { SearchedFile } from '../../../server/search/search-files.ts';

function file(path: string, places: number): SearchedFile {
	const found = Array.from(
		{ length: places },
		(_, at) => ({ line: at + 1, column: 1, entry: 3, certainty: 'exact' }) as const,
	);
	return { path, places: found, counts: new Map([[3, places]]), inName: [], reason: undefined };
}

test('at most 10,000 files are listed, and the counts go on', () => {
	const collector = new Collector();
	const files = Array.from({ length: 10_002 }, (_, at) => file(`${at}.txt`, 1));
	collector.add({ count: files.length, bytes: 0, files });
	const { files: listed, moreFiles, total, entries } = collector.result([]);
	expect([listed.length, moreFiles, total, entries.get(3)]).toEqual([10_000, 2, 10_002, 10_002]);
});

test('at most 100,000 places in all are listed, and the counts go on', () => {
	const collector = new Collector();
	const files = Array.from({ length: 102 }, (_, at) => file(`${at}.txt`, 1_000));
	collector.add({ count: files.length, bytes: 0, files });
	const { files: listed, total } = collector.result([]);
	expect(listed.reduce((sum, { places }) => sum + places.length, 0)).toBe(100_000);
	expect([listed.length, total]).toEqual([102, 102_000]);
	expect(listed.reduce((sum, { count }) => sum + count, 0)).toBe(102_000);
});

import { expect, test } from 'vitest';
import { type ScanLine, type ScanRequest, scan } from '../../../server/cli/scan.ts';
import { styleFor } from '../../../server/cli/style.ts';
import { BrokerError } from '../../../server/errors.ts';
import type { Findings } from '../../../server/search/findings.ts';

const FOUND: Findings = {
	searched: { files: 7, versions: 2, bytes: 70 },
	files: [
		{ path: 'docs/[context:L4]/', inName: [{ entry: 4, certainty: 'spelling' }], places: [], count: 1 },
		{
			path: 'src/a b#.ts',
			inName: [],
			places: [
				{ line: 3, column: 14, entry: 5, certainty: 'exact' },
				{ line: 4, column: 1, entry: 6, certainty: 'part' },
			],
			count: 9,
		},
		{
			...{ path: 'old.ts', commit: 'a'.repeat(40), inName: [], count: 1 },
			places: [{ line: 1, column: 2, entry: 5, certainty: 'exact' }],
		},
		{
			...{ path: '', of: 'message', commit: 'b'.repeat(40), inName: [], count: 1 },
			places: [{ line: 1, column: 2, entry: 5, certainty: 'exact' }],
		},
	],
	moreFiles: 3,
	total: 15,
	entries: new Map([[5, 11]]),
	unsearched: new Map([['binary', { count: 1, paths: ['a\u001b[31m.png'] }]]),
	unsearchable: [8],
};

/** @param terminal what standard error is, if it is one */
async function run(options: readonly string[], find: ScanLine['scan'], terminal?: { columns?: number; TERM?: string }) {
	const said = { stdout: '', stderr: '' };
	const stream = (name: keyof typeof said) => ({
		isTTY: terminal !== undefined,
		columns: terminal?.columns,
		write: (text: string) => {
			said[name] += text;
		},
	});
	const environment = { TERM: terminal?.TERM };
	const line = { scan: find, environment, version: '1.2.3', stdout: stream('stdout'), stderr: stream('stderr') };
	const status = await scan('src', 'k', options, line, styleFor({}, {}));
	return { status, ...said };
}

const found = async () => await Promise.resolve(FOUND);

test('places are printed one a line, with what was not searched, and the status is 1', async () => {
	expect(await run([], found)).toEqual({
		status: 1,
		stdout: `docs/[context:L4]/: name [context:L4] in another spelling
src/a b#.ts:3:14: [context:L5] as written
src/a b#.ts:4:1: [context:L6] in part of a longer word
src/a b#.ts: 7 more places
commit aaaaaaaaaaaa old.ts:1:2: [context:L5] as written
commit bbbbbbbbbbbb message:1:2: [context:L5] as written
… and 3 more files with places
not searched: binary, no text: 1 ("a\\u001b[31m.png")
Rules, prose or ordinary words, for which a search is not enough: [context:L8].
15 places; 7 files and 2 versions in the history searched.
`,
		stderr: '',
	});
});

test('nothing found is status 0, and what could not be searched status 2 with the reason', async () => {
	const none = { ...FOUND, files: [], total: 0, moreFiles: 0 };
	expect((await run([], async () => await Promise.resolve(none))).status).toBe(0);
	const failing = async () => await Promise.reject(new BrokerError('config_missing'));
	expect(await run([], failing)).toEqual({
		status: 2,
		stdout: '',
		stderr: expect.stringMatching(
			/^context-broker: Nothing was searched \(config_missing\): There is no context map\. Create /,
		),
	});
	const unknown = async () => await Promise.reject(new BrokerError('unknown_key'));
	expect((await run([], unknown)).stderr).toMatch(
		/ Add it to the \[keys\] table of context-map\.toml, or give another /,
	);
});

test('the options reach the search', async () => {
	const requests: ScanRequest[] = [];
	const find = async (request: ScanRequest) => {
		requests.push(request);
		return await found();
	};
	await run([], find);
	await run(['--history', '--ignored', '--json'], find);
	expect(requests).toMatchObject([
		{ path: 'src', key: 'k', history: false, ignored: false },
		{ path: 'src', key: 'k', history: true, ignored: true },
	]);
});

test('how far it is stands on a terminal only, and is gone at the end', async () => {
	const find: ScanLine['scan'] = async ({ onProgress }) => {
		onProgress?.({ files: 1, places: 2, done: 1, total: undefined });
		onProgress?.({ files: 3, places: 4, done: 5, total: 20 });
		onProgress?.({ files: 20, places: 4, done: 21, total: 20 });
		return await found();
	};
	expect((await run([], find)).stderr).toBe('');
	expect((await run([], find, { TERM: 'dumb' })).stderr).toBe('');
	const clear = '\r\u001b[K';
	expect((await run([], find, {})).stderr.split(clear)).toEqual([
		'',
		'1 file searched, 2 places found …',
		'[#####---------------]  25 %  3 files searched, 4 places found …',
		'[####################] 100 %  20 files searched, 4 places found …',
		'',
	]);
	// A line that goes on below could not be taken back.
	expect((await run([], find, { columns: 20 })).stderr.split(clear)[2]).toBe('[#####-------------');
});

test('for programs, all of it is in the JSON', async () => {
	const { status, stdout } = await run(['--json'], found);
	expect(status).toBe(1);
	expect(JSON.parse(stdout)).toEqual({
		version: '1.2.3',
		total: 15,
		searched: FOUND.searched,
		files: FOUND.files,
		moreFiles: 3,
		entries: { 5: 11 },
		notSearched: { binary: { count: 1, paths: ['a\u001b[31m.png'] } },
		unsearchableLines: [8],
	});
});

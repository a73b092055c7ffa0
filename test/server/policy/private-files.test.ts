import { expect, test } from 'vitest';
import { MAX_FILES, MAX_LENGTH, PrivateFiles } from '../../../server/policy/private-files.ts';

const CATALOG =
	'# Names\n\n- Zebulon Quux-Marker\n- Aloysia Brandenburgh\n- Wendelin Oberholtzer\n- Isidor Vandergelder\n';

/** A folder of files in memory, and which of them were read. */
function folder(files: Record<string, string | Promise<string>>, platform: NodeJS.Platform = 'linux') {
	const read: string[] = [];
	const clock = { now: 0, isBroken: false };
	const privateFiles = new PrivateFiles({
		map: {
			resolve({ path }) {
				if (clock.isBroken) throw new RangeError('private');
				return `/p/${path}`;
			},
		},
		readMarkdown: async (path) => {
			read.push(path);
			const text = await files[path];
			if (text === undefined) throw new Error('There is no such file.');
			return text;
		},
		files: { platform },
		now: () => clock.now,
	});
	const paths = Object.keys(files).map((path) => path.replace('/p/', ''));
	const content = {
		entries: new Map(paths.map((path) => [path, { path, agents: undefined }])),
		paths: [],
		off: [],
	};
	return { privateFiles, files, read, clock, content };
}

test('files are read once, and looked at again a second later', async () => {
	const { privateFiles, files, read, clock, content } = folder({ '/p/a.md': CATALOG });
	for (let turn = 0; turn < 3; turn++) privateFiles.refresh(content);
	expect(await privateFiles.repeatedIn(CATALOG, [])).toBe('/p/a.md');
	expect(read).toEqual(['/p/a.md']);
	files['/p/a.md'] = CATALOG.replaceAll(/[aeiou]/g, 'y');
	clock.now = 1_001;
	privateFiles.refresh(content);
	expect(await privateFiles.repeatedIn(CATALOG, [])).toBeUndefined();
	expect(await privateFiles.repeatedIn(files['/p/a.md'], [])).toBe('/p/a.md');
});

test('a map that names another file is looked at at once', async () => {
	const { privateFiles, files, content } = folder({ '/p/a.md': 'One line.' });
	privateFiles.refresh(content);
	files['/p/b.md'] = CATALOG;
	privateFiles.refresh({ ...content, paths: ['b.md'] });
	expect(await privateFiles.repeatedIn(CATALOG, [])).toBe('/p/b.md');
});

test('a file that the map does not name any more, or that nobody compares, is no matter', async () => {
	const { privateFiles, content } = folder({ '/p/a.md': CATALOG, '/p/b.md': 'One line.' });
	privateFiles.refresh(content);
	expect(await privateFiles.repeatedIn(CATALOG, [])).toBe('/p/a.md');
	privateFiles.refresh({ ...content, entries: new Map([['b', { path: 'b.md', agents: undefined }]]) });
	expect(await privateFiles.repeatedIn(CATALOG, [])).toBeUndefined();
	privateFiles.refresh(content);
	privateFiles.refresh({ ...content, off: ['results'] });
	expect(await privateFiles.repeatedIn(CATALOG, [])).toBeUndefined();
	expect(privateFiles.isEmpty).toBe(true);
});

test('what can not be read for a moment stays as it was, and others do not suffer', async () => {
	const { privateFiles, files, clock, content } = folder({ '/p/a.md': CATALOG, '/p/b.md': 'One line.' });
	privateFiles.refresh(content);
	await privateFiles.repeatedIn('', []);
	delete files['/p/a.md'];
	files['/p/b.md'] = CATALOG.toUpperCase().replaceAll('E', 'O');
	clock.now = 2_000;
	privateFiles.refresh(content);
	expect(await privateFiles.repeatedIn(CATALOG, [])).toBe('/p/a.md');
	expect(await privateFiles.repeatedIn(String(files['/p/b.md']), [])).toBe('/p/b.md');
});

test('nothing passes as long as files can not be prepared', async () => {
	const { privateFiles, clock, content } = folder({ '/p/a.md': CATALOG });
	clock.isBroken = true;
	privateFiles.refresh(content);
	await expect(privateFiles.repeatedIn('', [])).rejects.toMatchObject({ code: 'internal_error' });
	expect(privateFiles.isEmpty).toBe(false);
	clock.isBroken = false;
	clock.now = 2_000;
	privateFiles.refresh(content);
	expect(await privateFiles.repeatedIn(CATALOG, [])).toBe('/p/a.md');
});

test('a file that is never read holds nobody up', async () => {
	const { privateFiles, content } = folder({ '/p/a.md': new Promise(() => {}), '/p/b.md': CATALOG });
	privateFiles.refresh(content);
	expect(await privateFiles.repeatedIn(CATALOG, [])).toBe('/p/b.md');
});

test('who may have a file may have a copy of it', async () => {
	const { privateFiles, content } = folder({ '/p/a.md': CATALOG, '/p/b.md': CATALOG });
	privateFiles.refresh(content);
	expect(await privateFiles.repeatedIn(CATALOG, ['/p/b.md'])).toBeUndefined();
	expect(await privateFiles.repeatedIn(CATALOG, ['/p/c.md'])).toBe('/p/a.md');
});

test('so many files are compared, and so much of them', async () => {
	const many = Object.fromEntries(Array.from({ length: MAX_FILES + 1 }, (_, index) => [`/p/${index}.md`, `${index}`]));
	const first = folder(many);
	first.privateFiles.refresh(first.content);
	await first.privateFiles.repeatedIn('', []);
	expect(first.read).toHaveLength(MAX_FILES);
	const second = folder({ '/p/long.md': 'a '.repeat(MAX_LENGTH / 2), '/p/a.md': CATALOG });
	second.privateFiles.refresh(second.content);
	expect(await second.privateFiles.repeatedIn(CATALOG, [])).toBeUndefined();
});

test.each([
	['win32', '/p/a.md'],
	['linux', undefined],
] as const)('on %s, a file is found as Windows PowerShell 5.1 reads it: %s', async (platform, expected) => {
	const text = CATALOG.replaceAll('e', 'é').replaceAll('a', '“ä”').replaceAll('o', '\u{1F600}');
	const { privateFiles, content } = folder({ '/p/a.md': text }, platform);
	privateFiles.refresh(content);
	const misread = new TextDecoder('windows-1252').decode(Buffer.from(text));
	expect(await privateFiles.repeatedIn(misread, [])).toBe(expected);
	expect(await privateFiles.repeatedIn(misread, ['/p/a.md'])).toBeUndefined();
	expect(await privateFiles.repeatedIn([...text].join('\0'), [])).toBe(expected);
	expect(await privateFiles.repeatedIn(text, [])).toBe('/p/a.md');
});

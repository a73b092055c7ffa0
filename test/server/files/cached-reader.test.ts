import { rmSync, statSync, writeFileSync } from 'node:fs';
import { chmod, link as hardLink, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { cachedReader } from '../../../server/files/cached-reader.ts';
import { readMarkdown } from '../../../server/files/read-markdown.ts';
import type { ReadFile } from '../../../server/files/read-stable.ts';
import { IS_ROOT, NOT_FOR_ROOT } from '../../support/account.ts';
import { temporaryFolder } from '../../support/temporary.ts';

let folder: string;
let file: string;
let readFile: ReadFile;

beforeEach(async () => {
	folder = await temporaryFolder();
	file = join(folder, 'a.md');
	readFile = cachedReader();
	await writeFile(file, 'one');
});

/** What a read gives: the text, or the code of the error. */
const read = async (reader?: ReadFile) =>
	await readMarkdown(file, reader).catch((error: { code: string }) => error.code);

/** With the memory of the reads before, and without any. */
const both = async () => [await read(readFile), await read()];

/** Two files that differ in name and content alone, where both can be made within one tick of the clock that stamps them. */
function twins(): [string, string] {
	const names = ['1', '2'] as const;
	for (let attempt = 0; attempt < 1_000; attempt++) {
		for (const name of names) rmSync(join(folder, name), { force: true });
		for (const name of names) writeFileSync(join(folder, name), name);
		const [one, two] = names.map((name) => statSync(join(folder, name), { bigint: true }));
		if (one?.ctimeNs === two?.ctimeNs && one?.mtimeNs === two?.mtimeNs) break;
	}
	return [...names];
}

test('a file that is as it was is not read again', async () => {
	const options = { limit: 10 };
	const first = await readFile(file, options);
	expect(await readFile(file, options)).toBe(first);
	await writeFile(file, 'two');
	expect(await readFile(file, options)).not.toBe(first);
});

describe('what is done to a file between two reads counts', () => {
	test.each([
		['it is written anew', () => writeFile(file, 'two'), 'two'],
		[
			'so, with its old size and time',
			async () => {
				await writeFile(file, 'two');
				await utimes(file, new Date(0), new Date(0));
			},
			'two',
		],
		['it is emptied', () => truncate(file), ''],
		['it is removed', () => rm(file), 'file_missing'],
		[
			'another file takes its place',
			async () => {
				await writeFile(join(folder, 'b.md'), 'two');
				await rename(join(folder, 'b.md'), file);
			},
			'two',
		],
		[
			'a link takes its place, to a file of another kind',
			async () => {
				await rename(file, join(folder, 'a.txt'));
				await symlink('a.txt', file);
			},
			'not_markdown',
		],
		[
			'a folder takes its place',
			async () => {
				await rm(file);
				await mkdir(file);
			},
			'not_a_file',
		],
	])('%s', async (_, change, expected) => {
		await utimes(file, new Date(0), new Date(0));
		expect(await both()).toEqual(['one', 'one']);
		await change();
		expect(await both()).toEqual([expected, expected]);
	});

	test('the link to it leads elsewhere, also to the same file under another name', async () => {
		const link = join(folder, 'link.md');
		await symlink('a.md', link);
		// A second name leaves the stamps of the file alone, once it is there.
		await hardLink(file, join(folder, 'a.txt'));
		const through = async () => await readMarkdown(link, readFile).catch((error: { code: string }) => error.code);
		expect(await through()).toBe('one');
		await rm(link);
		await symlink('a.txt', link);
		expect(await through()).toBe('not_markdown');
	});

	test('the link to it leads to another file of the same size and times', async () => {
		const link = join(folder, 'link');
		const content = async () => (await readFile(link, { limit: 10 })).toString();
		for (const name of twins()) {
			await symlink(name, link);
			expect(await content()).toBe(name);
			await rm(link);
		}
	});

	test('it may not be read any more', async ({ skip }) => {
		skip(IS_ROOT, NOT_FOR_ROOT);
		expect(await both()).toEqual(['one', 'one']);
		await chmod(file, 0o000);
		expect(await both()).toEqual(['file_unreadable', 'file_unreadable']);
	});

	test('in quick succession', async () => {
		for (let round = 0; round < 30; round++) {
			await writeFile(file, String(round % 10));
			expect(await read(readFile)).toBe(String(round % 10));
			if (round % 10 === 0) await delay(60);
		}
	});
});

test('a file that was not there is found when it is', async () => {
	await rm(file);
	expect(await both()).toEqual(['file_missing', 'file_missing']);
	await writeFile(file, 'two');
	expect(await both()).toEqual(['two', 'two']);
});

test('a name that is refused is refused before anything is looked for', async () => {
	file = join(folder, 'a.txt');
	expect(await both()).toEqual(['not_markdown', 'not_markdown']);
});

test('of many large files only the last are kept', async () => {
	const text = 'x'.repeat(1_000_000);
	const files = Array.from({ length: 12 }, (_, index) => join(folder, `${index}.md`));
	for (const path of files) await writeFile(path, text);
	const options = { limit: 2_000_000 };
	const first = await readFile(files[0] ?? '', options);
	for (const path of files.slice(1)) await readFile(path, options);
	const last = await readFile(files[11] ?? '', options);
	expect(await readFile(files[11] ?? '', options)).toBe(last);
	expect(await readFile(files[0] ?? '', options)).not.toBe(first);
});

test('a file system that does not answer is given up after 10 seconds', async () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const given = read(cachedReader(() => new Promise(() => {})));
	await vi.advanceTimersByTimeAsync(9_999);
	expect(await Promise.race([given, 'not yet'])).toBe('not yet');
	await vi.advanceTimersByTimeAsync(1);
	expect(await Promise.race([given, 'not yet'])).toBe('file_unreadable');
});

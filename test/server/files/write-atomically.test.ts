import { promises } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writeAtomically } from '../../../server/files/write-atomically.ts';
import { pretendPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('a file, and the folders to it, are for the account alone, and nothing else is left', async () => {
	const folder = await temporaryFolder();
	const path = join(folder, 'a', 'b', 'file');
	for (const text of ['one', 'two']) await writeAtomically(path, text);
	expect(await readFile(path, 'utf8')).toBe('two');
	const modes = [path, join(folder, 'a'), join(folder, 'a', 'b')].map(async (each) => (await stat(each)).mode & 0o777);
	// Windows has no modes: folders of the account are for it alone.
	if (process.platform !== 'win32') expect(await Promise.all(modes)).toEqual([0o600, 0o700, 0o700]);
	expect(await readdir(join(folder, 'a', 'b'))).toEqual(['file']);
});

test('on Windows a file that others replace at the same time is tried again', async () => {
	const folder = await temporaryFolder();
	const path = join(folder, 'file');
	const rename = vi.spyOn(promises, 'rename').mockRejectedValueOnce(Object.assign(new Error(), { code: 'EPERM' }));
	onTestFinished(() => rename.mockRestore());
	pretendPlatform('linux');
	await expect(writeAtomically(path, 'one')).rejects.toThrow();
	for (const code of ['EPERM', 'EBUSY']) rename.mockRejectedValueOnce(Object.assign(new Error(), { code }));
	pretendPlatform('win32');
	await writeAtomically(path, 'two');
	expect(await readFile(path, 'utf8')).toBe('two');
	expect(await readdir(folder)).toEqual(['file']);
});

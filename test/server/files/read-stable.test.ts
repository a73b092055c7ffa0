import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errnoText, isSameFile, realPath } from '../../../server/files/read-stable.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test.each([
	['EPERM', 'linux', 'permission denied'],
	['EPERM', 'win32', 'permission denied'],
	['EPERM', 'darwin', 'macOS denies the terminal app that folder: see Privacy & Security'],
	['EACCES', 'darwin', 'permission denied'],
	['EBUSY', 'win32', 'another program has it open'],
	['EWEIRD', 'linux', undefined],
] as const)('%s on %s is told as: %s', (code, platform, expected) => {
	expect(errnoText(code, platform)).toBe(expected);
});

test.each([
	['linux', { dev: 1n, ino: 2n }, true],
	['linux', { dev: 0n, ino: 2n }, false],
	['linux', { dev: 1n, ino: 3n }, false],
	// libuv 1.49 has no device for a path.
	['win32', { dev: 0n, ino: 2n }, true],
	['win32', { dev: 1n, ino: 3n }, false],
] as const)('on %s, the file %o is the one that is open: %s', (platform, named, expected) => {
	expect(isSameFile({ dev: 1n, ino: 2n }, named, platform)).toBe(expected);
});

test('where the system tells no real path, links are followed', async () => {
	const folder = await temporaryFolder();
	const refusing = async () => await Promise.reject(Object.assign(new Error(), { code: 'EISDIR' }));
	expect(await realPath(folder, refusing)).toBe(await realPath(folder));
	await expect(realPath(join(folder, 'none'))).rejects.toThrow('ENOENT');
});

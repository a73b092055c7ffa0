import { chmod, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { FileSystem } from '../../../server/protection/file-system.ts';
import { reachedBy } from '../../../server/protection/reached-by.ts';
import { temporaryFolder } from '../../support/temporary.ts';

let folder: string;
const realPath = (path: string) => new FileSystem(process.platform, () => 0).realPath(path);

beforeEach(async () => {
	folder = await realpath(await temporaryFolder());
	await mkdir(join(folder, 'private', 'sub'), { recursive: true });
	await mkdir(join(folder, 'project'));
	await writeFile(join(folder, 'private', 'catalog.md'), '');
	await symlink(join(folder, 'private', 'catalog.md'), join(folder, 'project', 'link.md'));
	await symlink(join('..', 'private'), join(folder, 'project', 'linked'));
	await symlink(join(folder, 'private', 'sub'), join(folder, 'project', 'deep'));
	await symlink('round', join(folder, 'project', 'round'));
});

test.each([
	['private/catalog.md', 'private/catalog.md'],
	['project/link.md', 'private/catalog.md'],
	['project/linked/catalog.md', 'private/catalog.md'],
	['project/linked/none/at/all', 'private/none/at/all'],
	['project/none', 'project/none'],
	['project/link.md/below-a-file', 'private/catalog.md/below-a-file'],
	['project/round', 'project/round'],
	['project/round/x', 'project/round/x'],
])('%s leads to %s', async (path, real) => {
	expect(await realPath(join(folder, path))).toBe(join(folder, real));
});

test('a folder that may not be looked into is no failure', async () => {
	await chmod(join(folder, 'private'), 0o000);
	expect(await realPath(join(folder, 'project', 'linked', 'x'))).toBe(join(folder, 'private', 'x'));
	await chmod(join(folder, 'private'), 0o700);
});

test.each(['/', '/none/at/all', `/${'a'.repeat(300)}`, `/${'a/'.repeat(5000)}b`, '/a\0b'])(
	'no path throws: %#',
	async (path) => {
		expect(await realPath(path)).toBe(path);
	},
);

test.each([
	'link.md',
	'linked/catalog.md',
	'deep/../catalog.md',
	'../private/catalog.md',
	'linked/../private/catalog.md',
])('with real links, %s is the protected file', async (path) => {
	const place = {
		cwd: join(folder, 'project'),
		home: folder,
		environment: {},
		platform: process.platform,
	};
	for (const written of ['private/catalog.md', 'project/link.md']) {
		const target = { path: join(folder, written), isFolder: false };
		expect((await reachedBy('Bash', { command: `cat ${path}` }, [target], place, realPath))?.target).toBe(target);
		expect((await reachedBy('Read', { file_path: path }, [target], place, realPath))?.target).toBe(target);
		expect(await reachedBy('Read', { file_path: 'other.md' }, [target], place, realPath)).toBeUndefined();
	}
});

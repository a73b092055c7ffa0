import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { scopeOf } from '../../../server/search/scope.ts';
import { temporaryFolder } from '../../support/temporary.ts';

let folder: string;
let project: string;

beforeEach(async () => {
	folder = await realpath(await temporaryFolder());
	project = join(folder, 'project');
	await mkdir(join(project, 'src', 'deep'), { recursive: true });
	await mkdir(join(folder, 'outside'));
	await writeFile(join(project, 'src', 'a.ts'), '');
	await writeFile(join(folder, 'outside', 'a.ts'), '');
});

const PATHS = [
	['', ''],
	['.', ''],
	['src', 'src/'],
	['./src/deep/..', 'src/'],
	['src/a.ts', 'src/a.ts'],
];

test.each(PATHS)('%j is %j from the root', async (path = '', expected) => {
	expect(await scopeOf(project, path)).toEqual({ root: project, path: expected });
	expect(await scopeOf(project, join(project, path))).toEqual({ root: project, path: expected });
});

test.each(['..', '../outside', '../none', '/etc', 'src/../../outside/a.ts'])('%j leads out', async (path) => {
	await expect(scopeOf(project, path)).rejects.toMatchObject({ code: 'path_outside' });
});

describe('with links', () => {
	beforeEach(async () => {
		await symlink(join(folder, 'outside'), join(project, 'out'));
		await symlink('src', join(project, 'in'));
		await symlink(project, join(folder, 'link'));
	});

	test.each([...PATHS, ['in/a.ts', 'src/a.ts']])('%j is %j from the root', async (path = '', expected) => {
		expect(await scopeOf(project, path)).toEqual({ root: project, path: expected });
		// The project can be named by a link, and the path be absolute.
		expect(await scopeOf(join(folder, 'link'), path)).toEqual({ root: project, path: expected });
		expect(await scopeOf(join(folder, 'link'), join(project, path))).toEqual({ root: project, path: expected });
	});

	test.each(['out', 'out/a.ts'])('%j leads out', async (path) => {
		await expect(scopeOf(project, path)).rejects.toMatchObject({ code: 'path_outside' });
	});
});

test.each(['none', 'src/none.ts', 'src/a.ts/b', 'a\0b'])('at %j is nothing', async (path) => {
	await expect(scopeOf(project, path)).rejects.toMatchObject({ code: 'path_missing' });
});

test('a caller that works outside of the project, as in a worktree, has that as its project', async () => {
	const outside = join(folder, 'outside');
	expect(await scopeOf(project, '', outside)).toEqual({ root: outside, path: '' });
	expect(await scopeOf(project, 'a.ts', outside)).toEqual({ root: outside, path: 'a.ts' });
	await expect(scopeOf(project, join(project, 'src'), outside)).rejects.toMatchObject({ code: 'path_outside' });
	for (const cwd of [project, join(project, 'src'), join(folder, 'gone'), '']) {
		expect(await scopeOf(project, 'src', cwd)).toEqual({ root: project, path: 'src/' });
	}
});

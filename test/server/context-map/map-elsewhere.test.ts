import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ContextMap } from '../../../server/context-map/context-map.ts';
import { findMap } from '../../../server/context-map/map-elsewhere.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function mapIn(text: string | undefined): Promise<ContextMap> {
	const file = join(await temporaryFolder(), 'context-map.toml');
	if (text !== undefined) await writeFile(file, text);
	return new ContextMap(file, '/home/jo');
}

test('the first that is there counts, and all that it protects', async () => {
	const folder = await mapIn(undefined);
	await mkdir(folder.file);
	const map = await mapIn('[keys]\na = "~/a.md"\nb = "b.md"\n[keys.c]\npth = "/c.md"\n');
	const inFolder = (path: string) => resolve(map.file, '..', path);
	const found = await findMap([await mapIn(undefined), folder, map, await mapIn('[keys]\n')]);
	expect(found?.file).toBe(map.file);
	expect([...(found?.paths ?? [])].sort()).toEqual(
		[map.file, inFolder('b.md'), inFolder('/c.md'), join('/home/jo', 'a.md')].sort(),
	);
});

test('one that is no TOML counts too', async () => {
	const map = await mapIn('[keys]\na = /a.md\n');
	expect((await findMap([map]))?.paths).toEqual(expect.arrayContaining([map.file, resolve(map.file, '/a.md')]));
});

test('there may be none', async () => {
	expect(await findMap([])).toBeUndefined();
	expect(await findMap([await mapIn(undefined)])).toBeUndefined();
});

import { renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeRoom } from '../../../server/decision-log/make-room.ts';
import { temporaryFolder } from '../../support/temporary.ts';

let folder: string;
let file: string;
let older: string;

beforeEach(async () => {
	folder = await temporaryFolder();
	[file, older] = [join(folder, 'log'), join(folder, 'older')];
});

test('whoever has seen a full file and comes late leaves the new one where it is', async () => {
	await writeFile(file, 'a full one');
	let looks = 0;
	await makeRoom(
		{
			get file() {
				looks += 1;
				// Its size is known by now; another process is quicker with all the rest.
				if (looks === 2) {
					renameSync(file, older);
					writeFileSync(file, 'new');
				}
				return file;
			},
			older,
			limit: 10,
		},
		1,
	);
	expect(looks).toBeGreaterThanOrEqual(2);
	expect(await readFile(older, 'utf8')).toBe('a full one');
	expect(await readFile(file, 'utf8')).toBe('new');
	expect((await readdir(folder)).sort()).toEqual(['log', 'older']);
});

test('a file without room is put aside only if there is something in it', async () => {
	const bounded = { file, older, limit: 10 };
	await makeRoom(bounded, 100);
	await writeFile(file, '');
	await makeRoom(bounded, 100);
	expect(await readdir(folder)).toEqual(['log']);
});

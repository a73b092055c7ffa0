import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changedFiles } from '../../../server/traces/changed-files.ts';
import { pretendNtfs } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('each file is found, by each of its names, also if numbers of files have 64 bits', async () => {
	const folder = await temporaryFolder();
	mkdirSync(join(folder, 'x'));
	const files = ['a', 'b', join('x', 'c')].map((name) => join(folder, name));
	for (const file of files) writeFileSync(file, '');
	const other = join(folder, 'x', 'd');
	linkSync(join(folder, 'a'), other);
	pretendNtfs();
	expect(changedFiles({ folders: [folder], linked: [], except: [] }, 0).sort()).toEqual([...files, other]);
});

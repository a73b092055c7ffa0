import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeLeftovers } from '../../../server/bootstrap/prepare.mjs';
import { failFor } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test.each(['EPERM', 'EACCES', 'EBUSY'])('on Windows, a folder that npm still works in is left (%s)', async (code) => {
	const data = await temporaryFolder();
	for (const name of ['.staging-one', '.staging-two']) await mkdir(join(data, name));
	failFor('rmSync', code, (path = '') => path.endsWith('one'));
	expect(() => removeLeftovers(data, 'linux')).toThrow();
	removeLeftovers(data, 'win32');
	expect(await readdir(data)).toEqual(['.staging-one']);
});

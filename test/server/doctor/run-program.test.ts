import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../../server/doctor/context.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('a program is run by its name, and tells its status and output', async () => {
	const folder = await temporaryFolder();
	const node = { platform: process.platform, env: { ...process.env, PATH: dirname(process.execPath) } };
	const code = 'console.log(process.cwd()); process.exitCode = 3;';
	expect(await runProgram('node', ['-e', code], folder, node)).toEqual({ status: 3, text: `${folder}\n` });
	expect(await runProgram('zz-none', [], folder)).toBeUndefined();
});

test('on Windows that of the project is not run', async () => {
	const folder = await temporaryFolder();
	for (const name of ['sh', 'sh.exe', 'sh.cmd']) {
		await writeFile(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
	}
	const windows = { platform: 'win32', env: { PATH: '.;/bin' } } as const;
	expect(await runProgram('sh', ['-c', 'true'], folder, windows)).toBeUndefined();
});

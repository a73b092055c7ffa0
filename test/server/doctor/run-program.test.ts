import { mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
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

test.each(['zz-tools', '.', '', './zz-tools'])(
	'a folder of PATH that depends on the working folder does not count: %j',
	async (relative) => {
		const folder = await temporaryFolder();
		const [project, first, second] = ['project', 'first', 'second'].map((name) => join(folder, name)) as [
			...[string, string, string],
		];
		for (const each of [project, join(project, 'zz-tools'), first, second]) {
			await mkdir(each);
			await writeFile(join(each, 'zz-claude'), `#!/bin/sh\necho ${basename(each)}\n`, { mode: 0o755 });
		}
		const run = (...folders: string[]) =>
			runProgram('zz-claude', [], project, { platform: 'linux', env: { PATH: folders.join(delimiter) } });
		expect(await run(relative, first, second)).toEqual({ status: 0, text: 'first\n' });
		expect(await run(relative)).toBeUndefined();
	},
);

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { systemProgram } from '../../../server/processes/system-program.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('a program is that of the system, else the first in the PATH that can be run; never from a relative folder', async () => {
	const folder = await temporaryFolder();
	const [own, first, second] = ['own', 'first', 'second'].map((name) => join(folder, name)) as [string, string, string];
	for (const each of [own, first, second]) {
		await mkdir(each);
		for (const name of ['sh', 'zz-only-here']) await writeFile(join(each, name), '', { mode: 0o755 });
	}
	await chmod(join(first, 'zz-only-here'), 0o644);
	await mkdir(join(own, 'zz-folder'));
	expect(systemProgram('sh', `${first}:${second}`)).toMatch(/^\/(usr\/|run\/current-system\/sw\/)?bin\/sh$/);
	expect(systemProgram('zz-only-here', `${relative('.', own)}:.:${first}:${second}`)).toBe(
		join(second, 'zz-only-here'),
	);
	expect(systemProgram('zz-only-here', relative('.', own))).toBeUndefined();
	expect(systemProgram('zz-folder', own)).toBeUndefined();
	expect(systemProgram('zz-only-here')).toBeUndefined();
});

test('on Windows it is looked for in PATH, where the working folder does not count', () => {
	expect(systemProgram('sh', '.;tools;/usr/bin', 'win32')).toBeUndefined();
});

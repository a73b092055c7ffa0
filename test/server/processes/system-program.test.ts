import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { NotAProgram, programOf, systemProgram } from '../../../server/processes/system-program.ts';
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

test.each([
	['npx', 'C:\\nodejs\\npx.cmd'],
	['npx.cmd', 'C:\\nodejs\\npx.cmd'],
	['.\\server.exe', '.\\server.exe'],
	['C:/tools/server.exe', 'C:/tools/server.exe'],
	['C:\\tools\\run', 'C:\\tools\\run.cmd'],
])('on Windows the program %s of the map is %s', (command, expected) => {
	const windows = { platform: 'win32', env: { PATH: '.;C:\\nodejs' } } as const;
	const files = ['C:\\nodejs\\npx.cmd', 'C:/tools/server.exe', 'C:\\tools\\run', 'C:\\tools\\run.cmd'];
	expect(programOf(command, windows, (file) => files.includes(file))).toBe(expected);
	expect(programOf(command, { ...windows, platform: 'linux' })).toBe(command);
});

test('a program of the map that is only in the working folder is not there', () => {
	const windows = { platform: 'win32', env: { PATH: '.;C:\\nodejs' } } as const;
	expect(() => programOf('npx', windows, (file) => !file.startsWith('C:'))).toThrow(
		expect.objectContaining({ code: 'ENOENT' }),
	);
});

test.each(['C:\\tools\\none.exe', 'C:/tools/none', '\\\\srv\\tools\\none'])(
	'on Windows a path of the map that leads to nothing is an error: %s',
	(command) => {
		const windows = { platform: 'win32', env: {} } as const;
		expect(() => programOf(command, windows, () => false)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
		expect(programOf(command, { ...windows, platform: 'linux' })).toBe(command);
	},
);

test.each(['C:\\tools\\server.js', 'C:/tools/server', '.\\server.js', './server'])(
	'on Windows a file of the map that is no program is an error: %s',
	(command) => {
		const windows = { platform: 'win32', env: {} } as const;
		expect(() => programOf(command, windows, (file) => file === command)).toThrow(NotAProgram);
		expect(programOf(command, { ...windows, platform: 'linux' })).toBe(command);
	},
);

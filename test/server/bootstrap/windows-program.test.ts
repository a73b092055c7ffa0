import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
	findOnWindows,
	isExistingFile,
	windowsCommand,
	windowsNpm,
	windowsProgram,
} from '../../../server/bootstrap/windows-program.mjs';
import { failFor } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const FILES = [
	'C:\\nodejs\\npm.cmd',
	'C:\\Program Files\\Git\\cmd\\git.exe',
	'C:\\volta\\npm.exe',
	'D:\\a;b\\bin\\git.exe',
	'.\\git.exe',
	'tools\\git.exe',
	'\\git.exe',
	'\\\\srv\\tools\\claude.exe',
];
const isFile = (file: string) => FILES.includes(file);

test('a part of Windows is started from the folder of Windows', () => {
	expect(windowsProgram('taskkill.exe', { SystemRoot: 'D:\\WINNT' })).toBe('D:\\WINNT\\System32\\taskkill.exe');
	expect(windowsProgram('WindowsPowerShell/v1.0/powershell.exe', {})).toBe(
		'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
	);
});

test.each([
	['git', '.;tools;\\;;"C:\\Program Files\\Git\\cmd"', 'C:\\Program Files\\Git\\cmd\\git.exe'],
	['git', 'C:\\a;"C:\\Program Files"\\Git\\cmd', 'C:\\Program Files\\Git\\cmd\\git.exe'],
	['git', '.;"D:\\a;b\\bin";C:\\volta', 'D:\\a;b\\bin\\git.exe'],
	['git', '"C:\\none;\\\\srv', undefined],
	['git', '.;tools;\\;', undefined],
	['claude', '\\\\srv\\tools\\', '\\\\srv\\tools\\claude.exe'],
	['npm', 'C:\\nodejs', undefined],
	['git', undefined, undefined],
])('%s in PATH %s is %s', (name, path, expected) => {
	expect(findOnWindows(name, path, undefined, isFile)).toBe(expected);
});

test('a script is run by the shell of Windows, as one string; neither finds a program in the working folder', () => {
	const environment = { PATH: 'C:\\nodejs;C:\\volta', SystemRoot: 'C:\\Windows' };
	const env = { ...environment, NoDefaultCurrentDirectoryInExePath: '1' };
	expect(windowsCommand('npm', ['ci', '--omit=dev'], environment, isFile)).toEqual({
		...{ file: '"C:\\nodejs\\npm.cmd" ci --omit=dev', args: [], env },
		shell: 'C:\\Windows\\System32\\cmd.exe',
	});
	// What the shell would read is for a program only.
	expect(windowsCommand('npm', ['a&b'], environment, isFile)).toEqual({
		...{ file: 'C:\\volta\\npm.exe', args: ['a&b'], shell: false, env },
	});
	expect(windowsCommand('claude', [], environment, isFile)).toBeUndefined();
});

test('npm runs without cmd.exe in a folder on a share, where that cannot work', () => {
	const environment = { PATH: 'C:\\nodejs' };
	const files = ['C:\\nodejs\\npm.cmd', 'C:\\nodejs\\node_modules\\npm\\bin\\npm-cli.js'];
	const start = (folder: string, count = 2) =>
		windowsNpm(folder, ['ci'], environment, (file) => files.slice(0, count).includes(file));
	for (const share of ['\\\\srv\\home\\data', '//srv/home/data']) {
		expect(start(share)).toEqual({ file: process.execPath, args: [files[1], 'ci'], shell: false, env: environment });
		expect(start(share, 1)).toMatchObject({ file: '"C:\\nodejs\\npm.cmd" ci' });
		expect(start(share, 0)).toBeUndefined();
	}
	expect(start('C:\\data')).toMatchObject({ file: '"C:\\nodejs\\npm.cmd" ci' });
});

test.each([
	['EACCES', true],
	['UNKNOWN', true],
	['ELOOP', false],
])('a file that may not be read (%s) can be an app of the Store: %s', async (code, expected) => {
	const folder = await temporaryFolder();
	const [app, none, inside] = ['app.exe', 'none.exe', 'folder'].map((name) => join(folder, name)) as [
		...[string, string, string],
	];
	await writeFile(app, '');
	await mkdir(inside);
	expect([app, none, inside].map((file) => isExistingFile(file))).toEqual([true, false, false]);
	failFor('statSync', code, (path) => path.startsWith(folder));
	expect([app, none, inside].map((file) => isExistingFile(file))).toEqual([expected, false, false]);
	failFor('lstatSync', code, (path) => path.startsWith(folder));
	expect(isExistingFile(app)).toBe(false);
});

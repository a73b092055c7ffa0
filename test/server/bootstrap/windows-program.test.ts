import { expect, test } from 'vitest';
import { findOnWindows, windowsCommand, windowsProgram } from '../../../server/bootstrap/windows-program.mjs';

const FILES = [
	'C:\\nodejs\\npm.cmd',
	'C:\\Program Files\\Git\\cmd\\git.exe',
	'C:\\volta\\npm.exe',
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

import { expect, test } from 'vitest';
import { invocationOf } from '../../../server/shell/invocation.ts';

test('bash gets the command, without a bash around it', () => {
	expect(invocationOf('bash -c "echo a"', 'linux', {})).toEqual({ program: 'bash', args: ['-c', 'echo a'] });
	expect(invocationOf('zsh -c "echo a"', 'darwin', {})).toEqual({ program: 'bash', args: ['-c', 'zsh -c "echo a"'] });
});

const BEGIN =
	"$ProgressPreference='SilentlyContinue';try{[Console]::OutputEncoding=[Text.UTF8Encoding]::new()}catch{};";

test.each(['bash -c "echo ü"', 'echo "using x"', 'using', '# param(\necho a', 'parameter', 'end'])(
	'PowerShell, that of Windows, gets it as it is, after its settings: %j',
	(command) => {
		expect(invocationOf(command, 'win32', { SystemRoot: 'D:\\WINNT' })).toEqual({
			program: 'D:\\WINNT\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
			args: ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-Command', BEGIN + command],
		});
	},
);

test.each([
	'using namespace System.Text; [Encoding]::UTF8',
	'\n  PARAM ($x = 1) $x',
	'# a comment\n<# another\n#> [CmdletBinding()] param()',
	'end { 1 }',
])('PowerShell gets a script whose beginning has to come first without settings: %j', (command) => {
	expect(invocationOf(command, 'win32', {}).args.at(-1)).toBe(command);
});

test('many comments take no time', () => {
	for (const comments of ['#'.repeat(100_000), '<##>'.repeat(50_000), '# a\n'.repeat(50_000)])
		expect(invocationOf(`${comments}echo`, 'win32', {}).args.at(-1)).toBe(`${BEGIN}${comments}echo`);
});

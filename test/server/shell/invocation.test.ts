import { expect, test } from 'vitest';
import { invocationOf } from '../../../server/shell/invocation.ts';

test('bash gets the command, without a bash around it', () => {
	expect(invocationOf('bash -c "echo a"', 'linux', {})).toEqual({ program: 'bash', args: ['-c', 'echo a'] });
	expect(invocationOf('zsh -c "echo a"', 'darwin', {})).toEqual({ program: 'bash', args: ['-c', 'zsh -c "echo a"'] });
});

test('PowerShell, that of Windows, gets it as it is, in a form without quotes', () => {
	const { program, args } = invocationOf('bash -c "echo ü"', 'win32', { SystemRoot: 'D:\\WINNT' });
	expect(program).toBe('D:\\WINNT\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
	expect(args.slice(0, -1)).toEqual(['-NoProfile', '-NonInteractive', '-EncodedCommand']);
	expect(Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le')).toBe(
		`$ProgressPreference='SilentlyContinue';try{[Console]::OutputEncoding=[Text.UTF8Encoding]::new()}catch{};bash -c "echo ü"`,
	);
});

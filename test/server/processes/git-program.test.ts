import { expect, test } from 'vitest';
import { gitProgram } from '../../../server/processes/git-program.ts';

const NIX = '/nix/bin/git';

test.each([
	['darwin', 'true', ['/usr/bin/git', NIX], '/usr/bin/git'],
	['darwin', 'false', ['/usr/bin/git', NIX], NIX],
	['darwin', '/none', ['/usr/bin/git', NIX], NIX],
	['darwin', 'false', ['/usr/bin/git'], undefined],
	['darwin', 'false', [NIX], NIX],
	['darwin', 'true', [], undefined],
	['linux', '/none', ['/usr/bin/git', NIX], '/usr/bin/git'],
	['linux', '/none', [NIX], NIX],
] as const)('on %s, if xcode-select is %s and there are %j, git is %s', async (platform, program, files, expected) => {
	const isThere = (file: string) => (files as readonly string[]).includes(file);
	expect(await gitProgram('bin:/usr/bin/:/nix/bin', platform, program, isThere)).toBe(expected);
});

test('on Windows it is that of PATH', async () => {
	const isThere = (file: string) => file === 'C:\\Git\\cmd\\git.exe';
	expect(await gitProgram('bin;C:\\Git\\cmd', 'win32', '/none', isThere)).toBe('C:\\Git\\cmd\\git.exe');
	expect(await gitProgram('bin', 'win32', '/none', isThere)).toBeUndefined();
});

import { expect, test } from 'vitest';
import { mayRunGit } from '../../../server/processes/git-stub.ts';

test.each([
	['darwin', 'true', true],
	['darwin', 'false', false],
	['darwin', '/none', false],
	['linux', '/none', true],
	['win32', '/none', true],
] as const)('on %s, if xcode-select is %s, git may be run: %s', async (platform, program, expected) => {
	expect(await mayRunGit(platform, program)).toBe(expected);
});

import { expect, test } from 'vitest';
import { errnoText } from '../../../server/files/read-stable.ts';

test.each([
	['EPERM', 'linux', 'permission denied'],
	['EPERM', 'win32', 'permission denied'],
	['EPERM', 'darwin', 'macOS denies the terminal app that folder: see Privacy & Security'],
	['EACCES', 'darwin', 'permission denied'],
	['EBUSY', 'win32', 'another program has it open'],
	['EWEIRD', 'linux', undefined],
] as const)('%s on %s is told as: %s', (code, platform, expected) => {
	expect(errnoText(code, platform)).toBe(expected);
});

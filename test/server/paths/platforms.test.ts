import { describe, expect, test } from 'vitest';
import type { Place } from '../../../server/paths/place.ts';
import { reachedBy } from '../../../server/paths/reached-by.ts';

const WINDOWS: Place = {
	cwd: 'C:\\Users\\u\\project',
	home: 'C:\\Users\\u',
	platform: 'win32',
};
const MAC: Place = {
	...WINDOWS,
	cwd: '/Users/u/project',
	home: '/Users/u',
	platform: 'darwin',
};
const CATALOG = { path: 'C:\\Users\\u\\private\\catalog.md', isFolder: false };

const onWindows = async (path: string) => path.replaceAll('/', '\\');
const onMac = async (path: string) => path;

async function isReached(tool: string, input: unknown): Promise<boolean> {
	return (await reachedBy(tool, input, [CATALOG], WINDOWS, onWindows)) !== undefined;
}

describe('on Windows', () => {
	test.each([
		'C:\\Users\\u\\private\\catalog.md',
		'c:/users/U/private/CATALOG.md',
		'..\\private\\catalog.md',
		'~\\private\\catalog.md',
		'\\Users\\u\\private\\catalog.md',
		'\\\\?\\C:\\Users\\u\\private\\catalog.md',
		'file:///C:/Users/u/private/catalog.md',
		'C:\\Users\\u\\private\\catalog.md. ',
		'C:\\Users\\u\\private\\catalog.md::$DATA',
	])('%s is the protected file', async (file_path) => {
		expect(await isReached('Read', { file_path })).toBe(true);
	});

	test.each([
		'catalog.md',
		'C:\\Users\\u\\private',
		'D:\\Users\\u\\private\\catalog.md',
		'C:\\Users\\u\\private-evil\\catalog.md',
	])('%s is not', async (file_path) => {
		expect(await isReached('Read', { file_path })).toBe(false);
	});

	test.each([
		['Get-Content C:\\Users\\u\\private\\catalog.md', true],
		['gc "$env:USERPROFILE\\private\\catalog.md"', true],
		['gc $HOME/private/catalog.md', true],
		["gc '..\\private\\catalog.md'", true],
		['gc ..\\private\\*.md', true],
		['gc -Path:..\\private\\catalog.md', true],
		['gc a.md,..\\private\\catalog.md', true],
		['[IO.File]::ReadAllText("C:\\Users\\u\\private\\catalog.md")', true],
		['Select-String -Path ..\\private\\* -Pattern foo', true],
		['gc "never closed ; C:\\Users\\u\\private\\catalog.md', true],
		['Get-ChildItem ~', false],
		['Get-ChildItem -Recurse ~', false],
		['gci -Recurse . | Select-String foo', false],
		['gc catalog.md', false],
		['gc $x\\readme.md', false],
		['Copy-Item a ..\\private', false],
		['Write-Output "see ~\\private\\catalog.md for more"', true],
		['iex "gc ..\\private\\*"', true],
		['$x = "..\\private"; gc $x\\catalog.md', false],
		['Set-Location ..\\private; gc catalog.md', false],
		['if ($a -eq 1) { Write-Host "$($a + 1)" }', false],
	])('PowerShell: %s: %s', async (command, expected) => {
		expect(await isReached('PowerShell', { command })).toBe(expected);
	});

	test.each([
		['cat "C:\\Users\\u\\private\\catalog.md"', true],
		['cat C:/Users/u/private/catalog.md', true],
		['cat /c/Users/u/private/catalog.md', true],
		['cat ~/private/catalog.md', true],
		['cat ~/PRIVATE/cat*', true],
		['cat $HOME/private/catalog.md', true],
		['python -c "open(r\'C:\\Users\\u\\private\\catalog.md\')"', true],
		['cd /c/Users/u/private && cat catalog.md', true],
		['cat /d/Users/u/private/catalog.md', false],
		['cat catalog.md', false],
	])('Git Bash: %s: %s', async (command, expected) => {
		expect(await isReached('Bash', { command })).toBe(expected);
	});

	test('Glob and Grep take both separators', async () => {
		const folder = [{ path: 'C:\\Users\\u\\private', isFolder: true }];
		expect(await reachedBy('Glob', { pattern: '..\\private\\*' }, folder, WINDOWS, onWindows)).toBeDefined();
		expect(await reachedBy('Glob', { pattern: '*', path: '..\\private' }, folder, WINDOWS, onWindows)).toBeDefined();
		expect(await reachedBy('Glob', { pattern: 'src\\*' }, folder, WINDOWS, onWindows)).toBeUndefined();
		expect(await isReached('Grep', { pattern: 'x', path: '..\\private' })).toBe(true);
	});
});

describe('on a Mac', () => {
	const CAFE = { path: '/Users/u/caf\u00e9/Catalog.md', isFolder: false };

	test.each(['/Users/u/cafe\u0301/Catalog.md', '/users/U/CAF\u00c9/catalog.MD', '~/CAFE\u0301/catalog.md'])(
		'case and composition of letters make no difference: %s',
		async (path) => {
			expect((await reachedBy('Read', { file_path: path }, [CAFE], MAC, onMac))?.target).toBe(CAFE);
			expect((await reachedBy('Bash', { command: `cat ${path}` }, [CAFE], MAC, onMac))?.target).toBe(CAFE);
			expect((await reachedBy('Bash', { command: `python3 -c 'open("${path}")'` }, [CAFE], MAC, onMac))?.target).toBe(
				CAFE,
			);
			expect(
				await reachedBy('Read', { file_path: path }, [CAFE], { ...MAC, platform: 'linux' }, onMac),
			).toBeUndefined();
		},
	);
});

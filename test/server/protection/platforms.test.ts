import { describe, expect, test } from 'vitest';
import type { Place } from '../../../server/protection/place.ts';
import { reachedBy } from '../../../server/protection/reached-by.ts';

const WINDOWS: Place = {
	cwd: 'C:\\Users\\u\\project',
	home: 'C:\\Users\\u',
	environment: { USERPROFILE: 'C:\\Users\\u', Notes: 'C:\\Users\\u\\private' },
	platform: 'win32',
	realPath: (path) => path.replaceAll('/', '\\'),
};
const MAC: Place = {
	...WINDOWS,
	cwd: '/Users/u/project',
	home: '/Users/u',
	environment: {},
	platform: 'darwin',
	realPath: (path) => path,
};
const CATALOG = { path: 'C:\\Users\\u\\private\\catalog.md', isFolder: false };

function isReached(tool: string, input: unknown): boolean {
	return reachedBy(tool, input, [CATALOG], WINDOWS) !== undefined;
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
	])('%s is the protected file', (file_path) => {
		expect(isReached('Read', { file_path })).toBe(true);
	});

	test.each([
		'catalog.md',
		'C:\\Users\\u\\private',
		'D:\\Users\\u\\private\\catalog.md',
		'C:\\Users\\u\\private-evil\\catalog.md',
	])('%s is not', (file_path) => {
		expect(isReached('Read', { file_path })).toBe(false);
	});

	test.each([
		['Get-Content C:\\Users\\u\\private\\catalog.md', true],
		['gc "$env:USERPROFILE\\private\\catalog.md"', true],
		['gc $HOME/private/catalog.md', true],
		['gc $env:NOTES\\catalog.md', true],
		[`gc \${env:NOTES}\\catalog.md`, true],
		['gc ~\\private\\cat`alog.md', true],
		["gc '..\\private\\catalog.md'", true],
		['gc ..\\private\\*.md', true],
		['gc -Path:..\\private\\catalog.md', true],
		['gc a.md,..\\private\\catalog.md', true],
		['$x = "..\\private"; gc $x\\catalog.md', true],
		['gc $x\\catalog.md', true],
		['gc "$(Join-Path ~ private)\\catalog.md"', true],
		['[IO.File]::ReadAllText("C:\\Users\\u\\private\\catalog.md")', true],
		['Set-Location ..\\private; gc catalog.md', true],
		['cd ..\\private; gc catalog.md', true],
		['Get-ChildItem -Recurse ~ | Select-String foo', true],
		['gci ..\\private | gc', true],
		['gci ..\\private | % { gc $_ }', true],
		['Select-String -Path ..\\private\\* -Pattern foo', true],
		['Copy-Item -Recurse ..\\private x', true],
		['Copy-Item -r ..\\private x', true],
		['Remove-Item -Recurse ..\\private', true],
		['Compress-Archive ..\\private x.zip', true],
		['iex "gc ..\\private\\*"', true],
		['gc "never closed ; C:\\Users\\u\\private\\catalog.md', true],
		['Get-ChildItem ~', false],
		['Get-ChildItem -Recurse ~', false],
		['gci -Recurse . | Select-String foo', false],
		['gc catalog.md', false],
		['gc $x\\readme.md', false],
		['Copy-Item a ..\\private', false],
		['Write-Output "see ~\\private\\catalog.md for more"', false],
		['if ($a -eq 1) { Write-Host "$($a + 1)" }', false],
	])('PowerShell: %s: %s', (command, expected) => {
		expect(isReached('PowerShell', { command })).toBe(expected);
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
	])('Git Bash: %s: %s', (command, expected) => {
		expect(isReached('Bash', { command })).toBe(expected);
	});

	test('Glob and Grep take both separators', () => {
		const folder = [{ path: 'C:\\Users\\u\\private', isFolder: true }];
		expect(reachedBy('Glob', { pattern: '..\\private\\*' }, folder, WINDOWS)).toBeDefined();
		expect(reachedBy('Glob', { pattern: '*', path: '..\\private' }, folder, WINDOWS)).toBeDefined();
		expect(reachedBy('Glob', { pattern: 'src\\*' }, folder, WINDOWS)).toBeUndefined();
		expect(isReached('Grep', { pattern: 'x', path: '..\\private' })).toBe(true);
	});
});

describe('on a Mac', () => {
	const CAFE = { path: '/Users/u/caf\u00e9/Catalog.md', isFolder: false };

	test.each(['/Users/u/cafe\u0301/Catalog.md', '/users/U/CAF\u00c9/catalog.MD', '~/CAFE\u0301/catalog.md'])(
		'case and composition of letters make no difference: %s',
		(path) => {
			expect(reachedBy('Read', { file_path: path }, [CAFE], MAC)?.target).toBe(CAFE);
			expect(reachedBy('Bash', { command: `cat ${path}` }, [CAFE], MAC)?.target).toBe(CAFE);
			expect(reachedBy('Bash', { command: `python3 -c 'open("${path}")'` }, [CAFE], MAC)?.target).toBe(CAFE);
			expect(reachedBy('Read', { file_path: path }, [CAFE], { ...MAC, platform: 'linux' })).toBeUndefined();
		},
	);
});

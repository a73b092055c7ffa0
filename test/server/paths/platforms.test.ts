import { describe, expect, test } from 'vitest';
import type { Place } from '../../../server/paths/place.ts';
import { reachedBy } from '../../../server/paths/reached-by.ts';
import { shellHomes } from '../../../server/paths/spellings.ts';

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

async function isReached(tool: string, input: unknown, path = CATALOG.path, place: Partial<Place> = {}) {
	const file = { path, isFolder: false };
	return (await reachedBy(tool, input, [file], { ...WINDOWS, ...place }, onWindows)) !== undefined;
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
		'\\\\.\\C:\\Users\\u\\private\\catalog.md',
		'\\??\\C:\\Users\\u\\private\\catalog.md',
		'\\\\localhost\\c$\\Users\\u\\private\\catalog.md',
		'\\\\127.0.0.1\\C$\\Users\\u\\private\\catalog.md',
		'//MY-PC/c$/Users/u/private/catalog.md',
		'\\\\?\\UNC\\localhost\\c$\\Users\\u\\private\\catalog.md',
		'file://localhost/C:/Users/u/private/catalog.md',
		'file://127.0.0.1/c$/Users/u/private/catalog.md',
		'C:..\\private\\catalog.md',
		'c:../private/catalog.md',
		'C:\\..\\..\\Users\\u\\private\\catalog.md',
		'..\\..\\..\\..\\Users\\u\\private\\catalog.md',
		'/proc/cygdrive/c/Users/u/private/catalog.md',
		'/cygdrive/c/Users/u/private/catalog.md',
		'\\\\wsl$\\Debian\\mnt\\c\\Users\\u\\private\\catalog.md',
		'//wsl.localhost/Debian/mnt/c/Users/u/private/catalog.md',
	])('%s is the protected file', async (file_path) => {
		expect(await isReached('Read', { file_path })).toBe(true);
	});

	test.each([
		'catalog.md',
		'C:\\Users\\u\\private',
		'D:\\Users\\u\\private\\catalog.md',
		'C:\\Users\\u\\private-evil\\catalog.md',
		'\\\\srv\\Users\\u\\private\\catalog.md',
		'\\\\srv\\c\\Users\\u\\private\\catalog.md',
		'\\\\wsl$\\Debian\\home\\c\\Users\\u\\private\\catalog.md',
		'\\\\localhost\\d$\\Users\\u\\private\\catalog.md',
		'file://srv/Users/u/private/catalog.md',
		'D:..\\private\\catalog.md',
		'C:private\\catalog.md',
		'/mnt/c/Users/u/private/catalog.md',
		'/proc/cygdrive/d/Users/u/private/catalog.md',
		'C:\\System\\Volumes\\Data\\Users\\u\\private\\catalog.md',
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
		['gc \\\\localhost\\c$\\Users\\u\\private\\catalog.md', true],
		['gc C:..\\private\\catalog.md', true],
		['gc "$env:HOMEDRIVE$env:HOMEPATH\\private\\catalog.md"', true],
		['cmd /c "type %HOMEDRIVE%%HOMEPATH%\\private\\catalog.md"', true],
		["gc (Join-Path $HOME 'private\\catalog.md')", true],
		['gc (Join-Path -Path ~ -ChildPath private\\catalog.md)', true],
		['$f = Join-Path "$env:USERPROFILE" "private/catalog.md"; gc $f', true],
		["gc (Join-Path $HOME 'notes.md')", false],
		['wsl cat /mnt/c/Users/u/private/catalog.md', true],
		['wsl.exe -e sh -c "cat /mnt/c/Users/u/private/*"', true],
		['gc /mnt/c/Users/u/private/catalog.md', false],
		['# as wsl does: https://example.org/c/Users/u/private.md', false],
		['gc $x\\readme.md', false],
		['Copy-Item a ..\\private', false],
		['Write-Output "see ~\\private\\catalog.md for more"', true],
		['iex "gc ..\\private\\*"', true],
		['$x = "..\\private"; gc $x\\catalog.md', false],
		['Set-Location ..\\private; gc catalog.md', true],
		['if ($a -eq 1) { Write-Host "$($a + 1)" }', false],
	])('PowerShell: %s: %s', async (command, expected) => {
		expect(await isReached('PowerShell', { command })).toBe(expected);
	});

	test.each(
		[
			'git status',
			'git commit -m "Fix it; see `"rg foo ~`" | done"',
			"git commit -m @'\nFix it\n\nIt's done; rg foo ~\n'@",
			'git log -- src\\a.ts',
			'git log --pretty=format:"%h %s" -3',
			'git diff HEAD~1 -- src\\*.ts',
			'git add -A; git commit -m "x"; git push',
			'git -C C:\\Users\\u\\project grep foo',
			'npm test',
			'npm run build 2>&1 | Select-String error',
			'cd src; npm run build',
			'cd C:\\Users\\u\\project\\src; rg foo; cd ..; git status',
			'cd ~; gci; cd private; gci',
			'pushd ~; gci; popd; rg foo',
			'rg foo src',
			'rg "foo|bar\\.baz" src 2>$null',
			'rg -g "*.ts" foo ~',
			'rg --files ~',
			'$found = rg foo src; $found.Count',
			'# rg foo ~; it is not run\ngit status',
			'if (Test-Path src) { rg foo src }',
			'Get-ChildItem -Recurse src',
			'Get-ChildItem -Recurse ~ | Select-Object Name',
			'Get-ChildItem -Path ~ -Recurse -Filter *.ts | Select-String foo',
			'gci -Recurse -Include *.ts,*.js -ErrorAction SilentlyContinue ~ | sls foo',
			'gci ~ -Recurse -File | ? { $_.Extension -eq ".ts" } | sls foo',
			'gci -Recurse ~ ; gc README.md',
			'gci ~ | sls foo',
			'Select-String foo src\\*.ts',
			'foreach ($f in gci src) { gc $f.FullName }',
		].map((command) => [command]),
	)('PowerShell lets pass: %s', async (command) => {
		expect(await isReached('PowerShell', { command })).toBe(false);
	});

	test.each(
		[
			'rg foo C:\\Users\\u',
			'rg foo $HOME',
			'rg foo "$env:USERPROFILE\\private"',
			'rg "foo`$" ~ 2>$null',
			'& "C:\\Program\\rg.exe" foo ..',
			'$found = rg foo ~',
			'git status; rg foo ~',
			'git status && grep -r foo ~',
			'if ($true) { rg foo ~ }',
			"# it's a comment\nrg foo ~",
			'rg foo `\n  ~',
			'git -C C:\\Users\\u grep --no-index foo',
			'gci ~ -Recurse -Force | sls foo',
			'gci -r -Include *.md ~ | gc',
			'dir -Path ~\\private -Recurse | Select-String foo',
			'cd ~; gci -Recurse | sls foo',
			'cd C:\\Users\\u\\private; type catalog.md',
			'Set-Location -Path "$HOME\\private"; gc catalog.md',
			'Push-Location ~; cd private; gc *.md',
			'sl ..; rg foo',
		].map((command) => [command]),
	)('PowerShell does not let pass: %s', async (command) => {
		expect(await isReached('PowerShell', { command })).toBe(true);
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
		['cat "C:..\\private\\catalog.md"', true],
		['cat /proc/cygdrive/c/Users/u/private/catalog.md', true],
		['cat "//localhost/c\\$/Users/u/private/catalog.md"', true],
		['cat "$USERPROFILE\\private\\catalog.md"', true],
		// biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell has it
		['cat ${USERPROFILE}/private/catalog.md', true],
		['wsl cat /mnt/c/Users/u/private/catalog.md', true],
		['wsl.exe grep -r x /mnt/c/Users/u/private', true],
		['findstr x "C:\\Users\\u\\private\\*.md"', true],
		["findstr x '..\\private\\cat*'", true],
		['node -e "fs.readFileSync(\'C:\\\\Users\\\\u\\\\private\\\\catalog.md\')"', true],
		['node -e "fs.readFileSync(\'\\\\Users\\\\u\\\\private\\\\catalog.md\')"', true],
		['cat /mnt/c/Users/u/private/catalog.md', false],
		['findstr x "*.md"', false],
		['findstr x "C:\\Users\\u\\project\\*.md"', false],
		['sed "s/private.*/x/" notes.md', false],
		['node -e "// no path, just C:"', false],
		['cat /d/Users/u/private/catalog.md', false],
		['GREP -r x ~/private', true],
		['RG.EXE x ~/private', true],
		['/usr/bin/Grep.exe -r x ..', true],
		['LS.EXE ~/private/catalog.md', false],
		['CD src; cat ../private/catalog.md', true],
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

describe('on a share of Windows', () => {
	const FILE = '\\\\srv\\share\\private\\catalog.md';
	const THERE = { cwd: '\\\\srv\\share\\project', home: '\\\\srv\\share' };

	test.each([
		'\\\\srv\\share\\private\\catalog.md',
		'//SRV/Share/private/catalog.md',
		'\\\\?\\UNC\\srv\\share\\private\\catalog.md',
	])('the map can write %s', async (path) => {
		for (const file_path of [
			'\\\\srv\\share\\private\\catalog.md',
			'//srv/SHARE/private/CATALOG.md',
			'\\/srv/share\\private/catalog.md',
			'\\\\srv\\share\\..\\..\\..\\private\\catalog.md',
			'\\\\?\\UNC\\srv\\share\\private\\catalog.md',
			'\\\\.\\unc\\srv\\share\\private\\catalog.md',
			'file://srv/share/private/catalog.md',
			'file:////srv/share/private/catalog.md',
			'file://///srv/share/private/catalog.md',
			'\\\\srv\\share\\private\\catalog.md::$DATA',
		]) {
			expect(await isReached('Read', { file_path }, path), file_path).toBe(true);
		}
	});

	test.each([
		'\\srv\\share\\private\\catalog.md',
		'C:\\srv\\share\\private\\catalog.md',
		'\\\\srv\\other\\private\\catalog.md',
		'\\\\other\\share\\private\\catalog.md',
		'\\\\srv\\share\\private',
		'srv\\share\\private\\catalog.md',
		'catalog.md',
	])('%s is another file', async (file_path) => {
		expect(await isReached('Read', { file_path }, FILE)).toBe(false);
	});

	test.each([
		'..\\private\\catalog.md',
		'..\\..\\..\\private\\catalog.md',
		'~\\private\\catalog.md',
		'\\private\\catalog.md',
	])('%s is the file, seen from there', async (file_path) => {
		expect(await isReached('Read', { file_path }, FILE, THERE)).toBe(true);
		expect(await isReached('Read', { file_path }, FILE)).toBe(false);
	});

	test.each([
		['Grep', { pattern: 'x', path: '\\\\srv\\share' }, true],
		['Grep', { pattern: 'x', path: '\\\\srv\\other' }, false],
		['PowerShell', { command: 'Get-Content \\\\srv\\share\\private\\catalog.md' }, true],
		['PowerShell', { command: 'gc "\\\\srv\\share\\private\\*.md"' }, true],
		['PowerShell', { command: 'gc \\\\srv\\share\\readme.md' }, false],
		['Bash', { command: "cat '\\\\srv\\share\\private\\catalog.md'" }, true],
		['Bash', { command: 'cat //srv/share/private/catalog.md' }, true],
		['Bash', { command: 'cd //srv/share/private && cat catalog.md' }, true],
		['Bash', { command: 'grep -r x //srv/share' }, true],
		['Bash', { command: 'python -c "open(r\'\\\\\\\\srv\\share\\private\\catalog.md\')"' }, true],
		['mcp__x__run', { code: 'open("\\\\\\\\srv\\\\share\\\\private\\\\catalog.md")' }, true],
		['mcp__x__run', { code: '//srv share private' }, false],
		['mcp__fs__read', { path: '\\\\srv\\share\\private\\catalog.md' }, true],
	])('%s %j: %s', async (tool, input, expected) => {
		expect(await isReached(tool, input, FILE)).toBe(expected);
	});
});

describe('what becomes a prompt on Windows', () => {
	test.each([
		['See @C:\\Users\\u\\private\\catalog.md', true],
		['See @"C:\\Users\\u\\private\\catalog.md", please', true],
		['@..\\private\\catalog.md', true],
		['@..\\private\\catalog.md#L2-9.', true],
		['@~\\private\\catalog.md', true],
		['@C:/Users/u/private/catalog.md', true],
		['(@\\\\localhost\\c$\\Users\\u\\private\\catalog.md)', true],
		['the catalog.md in C:\\Users\\u, @src\\a.ts; me@example.org', false],
	])('%s: %s', async (text, expected) => {
		expect(await isReached('Skill', { skill: 'x', args: text })).toBe(expected);
		expect(await isReached('CronCreate', { cron: '* * * * *', prompt: text })).toBe(expected);
		expect(await isReached('ScheduleWakeup', { delaySeconds: 60, prompt: text })).toBe(expected);
	});

	test('on a share', async () => {
		const input = { skill: 'x', args: 'See @\\\\srv\\share\\private\\catalog.md' };
		expect(await isReached('Skill', input, '//srv/share/private/catalog.md')).toBe(true);
		expect(await isReached('Skill', input)).toBe(false);
	});
});

describe.each(['C:\\Users\\u', 'C:\\Users\\Jo Doe'])('the temporary folder on Windows in %s', (home) => {
	const FILE = `${home}\\AppData\\Local\\Temp\\claude\\x.output`;
	const LOCALAPPDATA = `${home.toLowerCase()}\\AppData\\Local`;
	const place = { home, environment: { TEMP: `${LOCALAPPDATA}\\Temp\\`, TMP: `${LOCALAPPDATA}\\Temp`, LOCALAPPDATA } };

	test.each([
		['Bash', 'cat $TEMP/claude/x.output', true],
		['Bash', 'cat "$TMP\\claude\\x.output"', true],
		['Bash', 'cat /tmp/claude/x.output', true],
		['Bash', 'cd /tmp && cat claude/*', true],
		['Bash', 'grep -r x /tmp', true],
		['Bash', 'cat "$LOCALAPPDATA/Temp/claude/x.output"', true],
		['Monitor', 'tail -f /tmp/claude/x.output', true],
		['PowerShell', 'gc $env:TEMP\\claude\\x.output', true],
		// biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell has it
		['PowerShell', 'gc "${env:tmp}\\claude\\x.output"', true],
		['PowerShell', 'cmd /c type %TEMP%\\claude\\x.output', true],
		['PowerShell', 'gc $env:LOCALAPPDATA\\Temp\\claude\\x.output', true],
		['PowerShell', 'gc (Join-Path $env:TEMP claude\\x.output)', true],
		['PowerShell', 'gc /tmp/claude/x.output', false],
		['Bash', 'cat $TEMP/x.output /tmp/claude.output src/tmp/claude/x.output', false],
		['Bash', 'curl https://example.org/tmp/claude/x.output > /tmp/x', false],
		['Bash', 'cat $TEMPLATE/claude/x.output', false],
	])('%s: %s: %s', async (tool, command, expected) => {
		expect(await isReached(tool, { command }, FILE, place)).toBe(expected);
		expect(await isReached(tool, { command }, FILE, { ...place, environment: {} })).toBe(false);
	});
});

describe('a home folder of shells on Windows that is not the profile', () => {
	const FILE = 'H:\\private\\catalog.md';
	const place = { shellHomes: shellHomes({ HOMEDRIVE: 'H:', HOMEPATH: '\\' }, WINDOWS.home, 'win32') };

	test.each([
		['Bash', 'cat ~/private/catalog.md', true],
		['Bash', 'cd && cat private/catalog.md', true],
		['Bash', 'cat "$HOME/private/catalog.md"', true],
		['Bash', 'grep -r x ~', true],
		['Bash', 'cat ~/private/*', true],
		['PowerShell', 'gc ~\\private\\catalog.md', true],
		['Bash', 'cat /h/private/catalog.md', true],
		['Bash', 'cat ~/private/other.md', false],
		['Bash', 'cat /c/private/catalog.md', false],
		['Bash', 'cat private/catalog.md', false],
	])('%s: %s: %s', async (tool, command, expected) => {
		expect(await isReached(tool, { command }, FILE, place)).toBe(expected);
	});

	test('both count', async () => {
		expect(await isReached('Bash', { command: 'cat ~/private/catalog.md' }, CATALOG.path, place)).toBe(true);
		expect(await isReached('Bash', { command: 'cat /h/private/catalog.md' }, CATALOG.path, place)).toBe(false);
	});

	test.each<[NodeJS.ProcessEnv, readonly string[]]>([
		[{ HOMEDRIVE: 'H:', HOMEPATH: '\\' }, ['H:\\']],
		[{ HOMEDRIVE: 'C:', HOMEPATH: '\\Users\\U' }, []],
		[{ HOME: '/h/me', HOMEDRIVE: 'C:', HOMEPATH: '\\Users\\u' }, ['/h/me']],
		[{ HOMESHARE: '\\\\srv\\homes\\u', HOMEPATH: '\\Users\\u' }, []],
		[{ HOME: 'relative' }, []],
		[{}, []],
	])('of %j they are %j', (environment, homes) => {
		expect(shellHomes(environment, WINDOWS.home, 'win32')).toEqual(homes);
		expect(shellHomes(environment, '/home/u', 'linux')).toEqual([]);
	});
});

describe('on a Mac', () => {
	test.each([
		['/System/Volumes/Data/Users/u/private/catalog.md', true],
		['/system/volumes/data/users/u/private/catalog.md', true],
		['/System/Volumes/../Volumes/Data/Users/u/private/catalog.md', true],
		['/Users/u/private/catalog.md/..namedfork/rsrc', true],
		['../private/catalog.md', true],
		['/System/Volumes/Preboot/Users/u/private/catalog.md', false],
		['/System/Volumes/Data/Users/u/private', false],
		['/System/Volumes/Database/Users/u/private/catalog.md', false],
		['C:\\Users\\u\\private\\catalog.md', false],
	])('%s is the protected file: %s', async (file_path, expected) => {
		for (const path of ['/Users/u/private/catalog.md', '/System/Volumes/Data/Users/u/private/catalog.md']) {
			const files = [{ path, isFolder: false }];
			expect((await reachedBy('Read', { file_path }, files, MAC, onMac)) !== undefined).toBe(expected);
			const command = `cat '${file_path}'`;
			expect((await reachedBy('Bash', { command }, files, MAC, onMac)) !== undefined).toBe(expected);
		}
	});

	test.each([
		['GREP -r x ~/private', true],
		['sudo RG x ~/private', true],
		['find ~/private -type f | XARGS CAT', true],
		['CD src; cat ../private/catalog.md', true],
		['LS -l ~/private/catalog.md', false],
		['GREP -r x src', false],
		['md5 -q ~/private/catalog.md', false],
		['xattr -l ~/private/catalog.md', false],
		['xattr -p com.apple.quarantine ~/private/*.md', false],
		['mdls -name kMDItemFSSize ~/private/catalog.md', false],
		['chflags -R hidden ~/private', false],
		['find ~/private -type f -exec md5 {} +', false],
		['ls ~/private/*.md | xargs cat', true],
		['md5 -p < ~/private/catalog.md', true],
	])('%s: %s', async (command, expected) => {
		const files = [{ path: '/Users/u/private/catalog.md', isFolder: false }];
		expect((await reachedBy('Bash', { command }, files, MAC, onMac)) !== undefined).toBe(expected);
	});

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

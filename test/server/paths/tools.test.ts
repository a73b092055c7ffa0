import { describe, expect, test } from 'vitest';
import { reachedBy } from '../../../server/paths/reached-by.ts';
import { CATALOG, MAP, PROTECTED, place, reached, realPath } from './place.ts';

const FOLDER = '/home/u/.claude/projects/-p/S/subagents';

test.each([
	['cat ~/private/catalog.md', '~/private/catalog.md', 'named'],
	['cat link.md', 'link.md', 'link'],
	['cat ~/private/*.md', '~/private/*.md', 'pattern'],
	['grep -r foo ~/private', '~/private', 'search'],
	['$('.repeat(200), '', 'too_complex'],
])('of %s it is known what reaches the file, and how', async (command, word, how) => {
	expect(await reachedBy('Bash', { command }, PROTECTED, place(), realPath)).toMatchObject({ word, how });
	expect(await reachedBy('Bash', { command }, [], place(), realPath)).toBeUndefined();
});

describe('a tool of the client', () => {
	test.each<[string, unknown, string]>([
		['Read', { file_path: '/home/u/private/catalog.md' }, 'catalog.md'],
		['Read', { file_path: ' /home/u/private/catalog.md ' }, 'catalog.md'],
		['Read', { file_path: '~/private/catalog.md' }, 'catalog.md'],
		['Read', { file_path: '../private/catalog.md' }, 'catalog.md'],
		['Read', { file_path: 'link.md' }, 'catalog.md'],
		['Read', { file_path: '/home/u/project/deep/../catalog.md' }, 'catalog.md'],
		['Read', { file_path: 'file:///home/u/private/catalog.md' }, 'catalog.md'],
		['Read', { file_path: '/home/u//private/./x/../catalog.md' }, 'catalog.md'],
		['Read', { file_path: `${FOLDER}/agent-1.jsonl` }, 'subagents'],
		['Read', { file_path: `${FOLDER}-evil/agent-1.jsonl` }, 'nothing'],
		['Read', { file_path: '/home/u/private' }, 'nothing'],
		['Read', { file_path: '/home/u/private/catalog.md.bak' }, 'nothing'],
		['Read', { file_path: '/home/u/PRIVATE/catalog.md' }, 'nothing'],
		['Read', { file_path: 'catalog.md', offset: 1 }, 'nothing'],
		['Edit', { file_path: '/home/u/private/catalog.md', old_string: '', new_string: '' }, 'catalog.md'],
		['Edit', { file_path: 'a', old_string: '/home/u/private/catalog.md', new_string: '' }, 'nothing'],
		['Write', { file_path: '~/.config/context-broker/context-map.toml', content: '' }, 'context-map.toml'],
		['Write', { file_path: 'a', content: '/home/u/private/catalog.md' }, 'nothing'],
		['MultiEdit', { file_path: '/home/u/private/catalog.md', edits: [] }, 'catalog.md'],
		['NotebookRead', { notebook_path: '/home/u/private/catalog.md' }, 'catalog.md'],
		['NotebookEdit', { notebook_path: '/home/u/private/catalog.md', new_source: '' }, 'catalog.md'],
		['NotebookEdit', { notebook_path: 'a.ipynb', new_source: '/home/u/private/catalog.md' }, 'nothing'],
		['LS', { path: '/home/u/private' }, 'nothing'],
		['LS', { path: FOLDER }, 'subagents'],
		['LS', { path: `${FOLDER}/x` }, 'subagents'],
		['Grep', { pattern: '/home/u/private/catalog.md' }, 'nothing'],
		['Grep', { pattern: 'x', path: '/home/u/private/catalog.md' }, 'catalog.md'],
		['Grep', { pattern: 'x', path: '/home/u/private' }, 'catalog.md'],
		['Grep', { pattern: 'x', path: '/home/u/private/' }, 'catalog.md'],
		['Grep', { pattern: 'x', path: 'linked' }, 'catalog.md'],
		['Grep', { pattern: 'x', path: '..' }, 'context-map.toml'],
		['Grep', { pattern: 'x', path: '/home/u/private', glob: '*.ts' }, 'nothing'],
		['Grep', { pattern: 'x', path: '/home/u/private', glob: '*.{ts,tsx}' }, 'nothing'],
		['Grep', { pattern: 'x', path: '/home/u/private', glob: '*.ts,*.md' }, 'catalog.md'],
		['Grep', { pattern: 'x', path: '/home/u/private', glob: '*.ts *.{md,js}' }, 'catalog.md'],
		['Grep', { pattern: 'x', path: '/home/u/private', glob: '*.MD' }, 'catalog.md'],
		['Grep', { pattern: 'x', path: '/home/u/private', glob: '!*.md' }, 'catalog.md'],
		['Grep', { pattern: 'x', path: '/home/u/private', glob: '**' }, 'catalog.md'],
		['Grep', { pattern: 'x', path: '/home/u/.claude', glob: '*.ts' }, 'subagents'],
		['Grep', { pattern: 'x', path: 'src' }, 'nothing'],
		['Grep', { pattern: 'x' }, 'nothing'],
		['Glob', { pattern: '*' }, 'nothing'],
		['Glob', { pattern: '**/*.md', path: '/home/u/private' }, 'nothing'],
		['Glob', { pattern: '/home/u/private/catalog.md' }, 'nothing'],
		['Glob', { pattern: '**/*', path: '~/.claude' }, 'subagents'],
		['Glob', { pattern: '~/.claude/**/*.jsonl' }, 'subagents'],
		['Glob', { pattern: '*', path: FOLDER }, 'subagents'],
		['Glob', { pattern: 'S/{subagents,x}/*', path: '/home/u/.claude/projects/-p' }, 'subagents'],
		['Glob', { pattern: '*', path: '/home/u/.claude' }, 'nothing'],
		['Bash', { command: 'ls', description: 'Read /home/u/private/catalog.md' }, 'nothing'],
		['Bash', { command: 'cat catalog.md', cwd: '../private' }, 'catalog.md'],
		['Bash', { command: 'ls', cwd: FOLDER }, 'subagents'],
		['mcp__x__run', { command: 'cat catalog.md', dir_path: '../private' }, 'catalog.md'],
		['mcp__x__run', { command: 'cat catalog.md', working_directory: '/home/u/private' }, 'catalog.md'],
		['mcp__x__run', { command: 'cat catalog.md', workdir: '~/private' }, 'catalog.md'],
		['mcp__x__run', { command: 'cat catalog.md', dir_path: 'src' }, 'nothing'],
		['mcp__x__run', { code: '/**\n * Doc.\n */\nconsole.log(1)' }, 'nothing'],
		['PowerShell', { command: 'Get-Content link.md | Select-String x' }, 'catalog.md'],
		['Monitor', { command: 'tail -f ~/private/catalog.md' }, 'catalog.md'],
		['Skill', { skill: 'x', args: '@/home/u/private/catalog.md' }, 'catalog.md'],
		['Skill', { skill: 'x', args: 'look at @"/home/u/private/catalog.md" please' }, 'catalog.md'],
		['Skill', { skill: 'x', args: 'look at (@~/private/catalog.md#L2-9).' }, 'catalog.md'],
		['Skill', { skill: 'x', args: 'see @../private/catalog.md, and more' }, 'catalog.md'],
		['Skill', { skill: 'x', args: 'see @link.md' }, 'catalog.md'],
		['Skill', { skill: 'x', args: '-n ~/private/catalog.md' }, 'catalog.md'],
		['Skill', { skill: 'x', args: '-n /home/u/private/*' }, 'catalog.md'],
		['Skill', { skill: 'x', args: ['--file=/home/u/private/catalog.md'] }, 'catalog.md'],
		['Skill', { skill: 'x', args: "@'/home/u/private/catalog.md'" }, 'catalog.md'],
		['Skill', { skill: 'x', args: 'the catalog.md of the project, @src/a.ts; me@example.org.' }, 'nothing'],
		['Skill', { skill: 'x' }, 'nothing'],
		['CronCreate', { cron: '* * * * *', prompt: '/x @~/private/catalog.md' }, 'catalog.md'],
		['ScheduleWakeup', { delaySeconds: 60, prompt: '/x @~/private/catalog.md' }, 'catalog.md'],
		['Task', { prompt: 'Read @/home/u/private/catalog.md and tell' }, 'nothing'],
		['Task', { prompt: 'Read /home/u/private/catalog.md and tell' }, 'nothing'],
	])('%s %j: %s', async (tool, input, expected) => {
		expect(await reached(tool, input)).toBe(expected);
	});

	test('is judged in its working folder', async () => {
		const inPrivate = place({ cwd: '/home/u/private' });
		expect(await reached('Read', { file_path: 'catalog.md' }, inPrivate)).toBe('catalog.md');
		expect(await reached('Grep', { pattern: 'x' }, inPrivate)).toBe('catalog.md');
		expect(await reached('Bash', { command: 'rg foo' }, inPrivate)).toBe('catalog.md');
		expect(await reached('Bash', { command: 'cat *.md' }, inPrivate)).toBe('catalog.md');
		expect(await reached('Bash', { command: 'git add -A' }, inPrivate)).toBe('catalog.md');
		expect(await reached('Bash', { command: 'python3 -c "open(\'catalog.md\')"' }, inPrivate)).toBe('catalog.md');
		expect(await reached('Bash', { command: 'ls; echo $?; echo $x' }, inPrivate)).toBe('nothing');
	});
});

describe('a tool that is not known', () => {
	test.each<[string, unknown, string]>([
		['mcp__fs__read_file', { path: '/home/u/private/catalog.md' }, 'catalog.md'],
		['mcp__fs__read_file', { path: '~/private/catalog.md' }, 'catalog.md'],
		['mcp__fs__read_file', { path: './../private/catalog.md' }, 'catalog.md'],
		['mcp__fs__read_file', { path: 'link.md' }, 'catalog.md'],
		['mcp__fs__read_file', { uri: 'file:///home/u/private/catalog.md' }, 'catalog.md'],
		['mcp__fs__read', { a: [{ b: ['x', { c: '/home/u/private/catalog.md' }] }] }, 'catalog.md'],
		['mcp__fs__read', ['/home/u/private/catalog.md'], 'catalog.md'],
		['mcp__fs__read', '/home/u/private/catalog.md', 'catalog.md'],
		['mcp__fs__read', { glob: '/home/u/private/*.md' }, 'catalog.md'],
		['mcp__fs__read', { '/home/u/private/catalog.md': 1 }, 'nothing'],
		['mcp__fs__read', { text: 'see /home/u/private/catalog.md' }, 'nothing'],
		['mcp__fs__list', { path: '/home/u/private' }, 'nothing'],
		['mcp__fs__list', { path: FOLDER }, 'subagents'],
		['mcp__fs__list', { path: '/home/u/private', recursive: true }, 'catalog.md'],
		['mcp__fs__list', { path: '/home/u/private', recursive: false }, 'nothing'],
		['mcp__fs__list', { path: '/home/u/private', recursive: 'false' }, 'nothing'],
		['mcp__fs__list', { path: '/home/u/private', options: { recurse: 'yes' } }, 'catalog.md'],
		['mcp__fs__search_files', { path: '/home/u' }, 'context-map.toml'],
		['mcp__fs__directory_tree', { path: '/home/u/private' }, 'catalog.md'],
		['mcp__x__search_code', { query: 'foo/bar' }, 'nothing'],
		['mcp__x__run', { command: 'cat ~/private/*' }, 'catalog.md'],
		['mcp__x__run', { command: ['sh', '-c', 'cat ~/private/*'] }, 'catalog.md'],
		['mcp__x__run', { command: 'grep', args: ['-r', 'foo', '/home/u/private'] }, 'catalog.md'],
		['mcp__x__run', { cmd: 'cat /home/u/private/catalog.md' }, 'catalog.md'],
		['mcp__x__run', { script: 'cd ~/private\ncat catalog.md' }, 'catalog.md'],
		['mcp__x__run', { script: 'cat catalog.md', cwd: '../private' }, 'catalog.md'],
		['mcp__ide__executeCode', { code: 'print(open("/home/u/private/catalog.md").read())' }, 'catalog.md'],
		['mcp__ide__executeCode', { code: "open('../private/catalog.md')" }, 'catalog.md'],
		['mcp__ide__executeCode', { code: 'x = open("catalog.md").read()  # don\'t' }, 'nothing'],
		['mcp__x__run', { args: { text: 'see the catalog.md' }, code: 5 }, 'nothing'],
		['Workflow', { script: 'agent("Read /home/u/private/catalog.md and tell")' }, 'nothing'],
		['mcp__x__run', { command: ['cat', '/home/u/private/catalog.md'] }, 'catalog.md'],
		['WebFetch', { url: 'https://example.org/home/u/private/catalog.md', prompt: 'x' }, 'nothing'],
		['TodoWrite', { todos: [{ content: 'catalog.md', status: 'pending' }] }, 'nothing'],
		['x', null, 'nothing'],
		['x', 1, 'nothing'],
		['x', undefined, 'nothing'],
		['x', {}, 'nothing'],
	])('%s %j: %s', async (tool, input, expected) => {
		expect(await reached(tool, input)).toBe(expected);
	});

	test('is refused where its input is nested too deeply to be judged', async () => {
		const nested = (depth: number) => {
			let input: unknown = 'x';
			for (let level = 0; level < depth; level++) input = level % 2 === 0 ? [input] : { input };
			return input;
		};
		expect(await reached('x', nested(100))).toBe('nothing');
		expect(await reached('x', nested(101))).toBe('context-map.toml');
		expect(await reached('x', nested(100_000))).toBe('context-map.toml');
	});
});

test('of several protected paths the first in the list is told', async () => {
	const command = `cat ${CATALOG.path} ${MAP.path}`;
	expect((await reachedBy('Bash', { command }, [MAP, CATALOG], place(), realPath))?.target).toBe(MAP);
	expect((await reachedBy('Bash', { command }, [CATALOG, MAP], place(), realPath))?.target).toBe(CATALOG);
	expect(await reachedBy('Bash', { command }, [], place(), realPath)).toBeUndefined();
});

test('a protected path that is a link is found at both ends', async () => {
	const target = { path: '/home/u/project/link.md', isFolder: false };
	for (const file_path of [target.path, CATALOG.path, '/home/u/project/linked/catalog.md']) {
		expect((await reachedBy('Read', { file_path }, [target], place(), realPath))?.target).toBe(target);
	}
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { touchedBy, touchedIn } from '../../../server/claude-code/touched-paths.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const read = (file_path: string) => ['Read', { file_path }] as const;
const shell = (command: string) => ['Bash', { command }] as const;

test.each([
	[read('/a/b.md'), ['/a/b.md']],
	[['NotebookEdit', { notebook_path: '/a.ipynb', new_source: '/b.md' }] as const, ['/a.ipynb']],
	[shell('cat ~/a.md | head -3'), ['~/a.md']],
	[shell('cat "/a b/c.md" /d\\ e.md'), ['/a b/c.md', '/d e.md']],
	[shell('cd /x && cat c.md'), ['/x', 'c.md', '/x/c.md']],
	[
		['PowerShell', { command: 'Get-Content C:\\x\\a.md; gc "..\\b c\\d.md"' }] as const,
		['C:\\x\\a.md', '..\\b c\\d.md'],
	],
	[['Glob', { pattern: '/a.md' }] as const, []],
	[['Read', null] as const, []],
	[['Bash', { command: 7 }] as const, []],
])('a call touches files: %j', ([tool, input], expected) => {
	expect(touchedBy(tool, input)).toEqual(expected);
});

const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const entry = (...content: object[]) => ({ uuid: 'x', cwd: '/project', message: { content } });

test('a transcript tells what was touched, but not what failed or was refused, nor what a subagent did', async () => {
	const transcript = join(await temporaryFolder(), 's.jsonl');
	const lines = [
		entry(use('1', ...read('/read.md'))),
		entry({ type: 'tool_result', tool_use_id: '1', content: 'x' }),
		entry(use('2', ...read('/refused.md'))),
		entry({ type: 'tool_result', tool_use_id: '2', content: 'x', is_error: true }),
		{ ...entry(use('3', ...read('/of-subagent.md'))), isSidechain: true },
		{ uuid: 'y', cwd: '/project', type: 'attachment', attachment: { type: 'file', filename: '/mentioned.md' } },
		{ type: 'user', message: { content: '{"type":"tool_use","name":"Read","input":{"file_path":"/said.md"}}' } },
	];
	await writeFile(transcript, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"type":"tool_use", cut off`);
	expect((await touchedIn(transcript)).map(({ path }) => path)).toEqual(['/read.md', '/mentioned.md']);
});

test('where there is no transcript, nothing was touched', async () => {
	expect(await touchedIn('/nowhere/s.jsonl')).toEqual([]);
});

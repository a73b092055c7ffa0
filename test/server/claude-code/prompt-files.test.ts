import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { importsOf, isPromptFile } from '../../../server/claude-code/instructions.ts';
import { bodiesOf, skillsOf, withArguments } from '../../../server/claude-code/prompt-files.ts';
import { temporaryFolder } from '../../support/temporary.ts';

let folder: string;
let places: { folders: string[]; config: string };

beforeEach(async () => {
	folder = await temporaryFolder();
	places = { folders: [join(folder, 'project')], config: join(folder, 'home', '.claude') };
});

async function write(path: string, text: string): Promise<string> {
	const file = join(folder, path);
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, text);
	return file;
}

test('skills and commands are found by their name: of the user, of folders above, and of plugins', async () => {
	const files = [
		await write('home/.claude/skills/sum/SKILL.md', 'a'),
		await write('project/.claude/commands/sum.md', 'b'),
	];
	const nested = await write('project/.claude/commands/all/sum.md', 'c');
	const ofPlugin = await write('cache/tools/skills/sum/SKILL.md', 'd');
	const installed = { plugins: { 'tools@market': [{ installPath: join(folder, 'cache', 'tools') }] } };
	await write('home/.claude/plugins/installed_plugins.json', JSON.stringify(installed));
	const found = async (name: string) => (await bodiesOf(name, places)).map(({ file }) => file);
	expect(await found('sum')).toEqual(files);
	expect(await found('/all:sum')).toEqual([nested]);
	expect(await found('tools:sum')).toEqual([ofPlugin]);
	const renamed = await write('project/.claude/skills/x/SKILL.md', '---\nname: "other name"\n---\nname: no\n');
	expect(await found('other name')).toEqual([renamed]);
	for (const name of ['', 'no', '../sum', 'a:..:sum', 'a/b', 'none']) expect(await found(name)).toEqual([]);
});

test('a name that is nothing but blanks and quotes holds nothing up', async () => {
	await write('project/.claude/skills/x/SKILL.md', `---\nname:${' '.repeat(20_000)}"'x\n---\n`);
	expect(await bodiesOf('sum', places)).toEqual([]);
});

test.each([
	['skills: sum, "other"', ['sum', 'other']],
	['skills: [sum, other]', ['sum', 'other']],
	['skills:\n  - sum\n  - tools:other', ['sum', 'tools:other']],
	['model: x', []],
])("an agent's frontmatter names its skills: %j", async (line, expected) => {
	await write('project/.claude/agents/sub/x.md', `---\nname: "summer"\n${line}\ncolor: red\n---\nskills: no\n`);
	await write('project/.claude/agents/y.md', '---\nname: another\nskills: sum\n---\n');
	expect(await skillsOf('summer', places)).toEqual(expected);
});

test('what stands behind the name of a skill is put into its text', () => {
	const body = { file: '/skills/x/SKILL.md', text: `$ARGUMENTS $0 $ARGUMENTS[1] \${CLAUDE_SKILL_DIR}/a.md` };
	expect(withArguments(body, 'a "b c"')).toBe('a "b c" a b c /skills/x/a.md');
});

test('imports are followed from file to file, in a circle too, and code imports nothing', async () => {
	const first = await write('project/CLAUDE.md', 'See @docs/a.md, `@no.md` @~/b.md');
	const second = await write('project/docs/a.md', '@c.md @../CLAUDE.md');
	const rule = await write('project/.claude/rules/x/r.md', '@/r.md');
	const own = await write('home/.claude/CLAUDE.md', '@./own.md');
	const found = await importsOf([join(folder, 'project')], [places.config], {
		home: join(folder, 'home'),
		platform: process.platform,
	});
	const paths = found.map(({ importer, path }) => `${importer} ${path}`);
	expect(paths).toEqual(
		expect.arrayContaining([
			`${first} ${join(folder, 'project/docs/a.md')}`,
			`${first} ${join(folder, 'home/b.md')}`,
			`${second} ${join(folder, 'project/docs/c.md')}`,
			`${rule} ${resolve(rule, '/r.md')}`,
			`${own} ${join(folder, 'home/.claude/own.md')}`,
		]),
	);
	expect(paths.join('\n')).not.toContain('no.md');
});

test.each([
	['@C:\\private\\a.md', 'C:\\private\\a.md'],
	['see @"C:\\private folder\\a.md"', 'C:\\private folder\\a.md'],
	['@\\\\srv\\share\\a.md', '\\\\srv\\share\\a.md'],
	['@~\\private\\a.md#L2', 'C:\\Users\\jo\\private\\a.md'],
	['@..\\private\\a.md.', '{folder}\\private\\a.md'],
])('on Windows %s imports %s', async (text, path) => {
	await write('project/CLAUDE.md', text);
	const place = { home: 'C:\\Users\\jo', platform: 'win32' as const };
	const found = await importsOf([join(folder, 'project')], [], place);
	expect(found.map((each) => each.path)).toContain(path.replace('{folder}', folder.replaceAll('/', '\\')));
});

test.each([
	['/p/CLAUDE.md', true],
	['/p/sub/claude.local.md', true],
	['/p/AGENTS.md', true],
	['/p/.claude/rules/a.md', true],
	['/p/.claude/skills/x/SKILL.md', true],
	['/etc/own/commands/x.md', true],
	['/p/.claude/settings.json', false],
	['/p/rules/a.md', false],
	['/p/README.md', false],
])('whether a file becomes part of prompts: %s', (path, expected) => {
	expect(isPromptFile(path, '/etc/own', 'linux')).toBe(expected);
});

test.each([
	['C:\\p\\CLAUDE.md', true],
	['C:\\p\\.claude\\rules\\a.md', true],
	['c:/p/.CLAUDE/Skills/x/SKILL.md', true],
	['C:\\Users\\jo\\own\\commands\\x.md', true],
	['\\\\srv\\share\\.claude\\agents\\x.md', true],
	['C:\\p\\rules\\a.md', false],
	['C:\\Users\\jo\\other\\commands\\x.md', false],
])('the same on Windows: %s', (path, expected) => {
	expect(isPromptFile(path, 'C:\\Users\\jo\\own', 'win32')).toBe(expected);
});

import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { homeForTest, userWithKey } from './broker-session.ts';
import type { SessionResult } from './harness/client.ts';
import { type PromptSource, runConversation } from './harness/conversation.ts';
import { type Home, writeMap } from './harness/home.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { type Model, type Script, startModel } from './harness/model.ts';
import type { ReplyBlock } from './harness/reply.ts';
import { mentions, toolResults } from './harness/request.ts';
import { CATALOG, leaks } from './markers.ts';

const SKELETON = '# Names\n\n- \n';

const PUBLIC = 'a line of the project';

/** What the main agent is asked: with such words in a prompt it makes the calls of the test, else it answers at once. */
const ASKED = 'Please do it.';

interface Conversed {
	readonly session: SessionResult;
	readonly model: Model;
}

/** A session in one process, everything allowed, in which the main agent makes calls when it is asked to. */
async function converse(
	version: string,
	{ home, project }: Home,
	prompts: readonly PromptSource[],
	{ calls = [], args = [], script }: { calls?: readonly ReplyBlock[]; args?: readonly string[]; script?: Script } = {},
): Promise<Conversed> {
	let before: number | undefined;
	const model = await startModel(
		script ??
			((request) => {
				const done = toolResults(request).length;
				before ??= done;
				return (mentions(request, ASKED) && calls[done - before]) || { text: 'Done.' };
			}),
	);
	onTestFinished(() => model.close());
	const session = await runConversation({
		...{ version, home, cwd: project, model, prompts },
		args: ['--plugin-dir', PLUGIN_ROOT, '--dangerously-skip-permissions', ...args],
		env: { IS_SANDBOX: '1' },
	});
	return { session, model };
}

async function write(file: string, text: string): Promise<string> {
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, text);
	return file;
}

/** The person fills in what is there of the catalog, and maps it. */
function fill(user: Home, catalog: string, then: string): PromptSource {
	return async () => {
		await writeFile(catalog, CATALOG);
		await writeMap(user.home, `[keys]\nk = ${JSON.stringify(catalog)}\n`);
		return then;
	};
}

/** Whether the last prompt led to a request. */
const reached = ({ model }: Conversed, prompt: string) => model.requests.some((request) => mentions(request, prompt));

/** All that the person is shown of a session. */
const shown = ({ session }: Conversed) => session.stdout;

describe.each(clientVersions())('Claude Code %s: what is not private is not disturbed', (version) => {
	test('prompts with files behind an @, changed files, compaction, and skills that name a private file', async () => {
		const user = await userWithKey();
		const catalog = join(user.home, '.config', 'context-broker', 'catalog.md');
		const notes = await write(join(user.project, 'notes.md'), PUBLIC);
		await write(join(user.project, 'CLAUDE.md'), `See @notes.md, and never touch \`@${catalog}\`.\n`);
		await write(
			join(user.project, '.claude', 'skills', 'sum', 'SKILL.md'),
			`---\nname: sum\ndescription: Sums.\n---\nSums @notes.md, !\`echo ran\`; leave ${catalog} alone.\n`,
		);
		const calls: ReplyBlock[] = [
			{ tool: 'Read', input: { file_path: notes } },
			{ tool: 'Write', input: { file_path: join(user.project, 'new.md'), content: 'first' } },
			{ tool: 'Skill', input: { skill: 'sum' } },
			{
				tool: 'Write',
				input: { file_path: join(user.project, 'sub', 'CLAUDE.md'), content: `@../notes.md, not ${catalog}` },
			},
		];
		const conversed = await converse(
			version,
			user,
			[
				ASKED,
				`Look at @notes.md and @${notes}, for jo@example.org; keep off ${catalog}.`,
				async () => {
					await write(join(user.project, 'new.md'), 'a change of the person');
					return 'And now?';
				},
				'/sum',
				'/compact',
				'The last one.',
			],
			{ calls },
		);
		const newest = conversed.model.requests.findLast((request) => toolResults(request).length > 0);
		expect(newest && toolResults(newest)).toMatchObject(calls.map(() => ({ isError: false })));
		expect(reached(conversed, 'for jo@example.org')).toBe(true);
		expect(reached(conversed, 'a change of the person')).toBe(true);
		expect(reached(conversed, 'Sums @notes.md, ran')).toBe(true);
		expect(reached(conversed, 'The last one.')).toBe(true);
		expect(shown(conversed)).not.toContain('attached_file');
		expect(leaks(conversed.model.requests)).toHaveLength(0);
	});

	test('a continued and a forked session that has touched ordinary files, and was refused a private one', async () => {
		const user = await userWithKey();
		const catalog = join(user.home, '.config', 'context-broker', 'catalog.md');
		const notes = await write(join(user.project, 'notes.md'), PUBLIC);
		const calls = [notes, catalog].map((file_path) => ({ tool: 'Read', input: { file_path } }));
		await converse(version, user, [ASKED], { calls });
		for (const args of [['--continue'], ['--continue', '--fork-session']]) {
			const conversed = await converse(version, user, ['Go on.', '/compact', 'The last one.'], { args });
			expect(reached(conversed, 'The last one.')).toBe(true);
			expect(shown(conversed)).not.toContain('attached_file');
		}
	});
});

describe.each(clientVersions())(
	'Claude Code %s: a file that the main agent touched, and that is private now',
	(version) => {
		const touches = [
			{ way: 'Write', call: (file_path: string) => ({ tool: 'Write', input: { file_path, content: SKELETON } }) },
			{ way: 'Read', call: (file_path: string) => ({ tool: 'Read', input: { file_path } }) },
			{ way: 'cat', call: (file: string) => ({ tool: 'Bash', input: { command: `cat ${file}`, description: 'x' } }) },
		];

		test.each(touches)('is not attached to the next prompt, nor after a compaction: $way', async ({ way, call }) => {
			const user = await homeForTest();
			const catalog = join(user.home, 'private', 'catalog.md');
			if (way !== 'Write') await write(catalog, SKELETON);
			const prompts = [ASKED, fill(user, catalog, 'The second one.'), '/compact', 'The last one.'];
			const conversed = await converse(version, user, prompts, { calls: [call(catalog)] });
			expect(leaks(conversed.model.requests)).toHaveLength(0);
			expect(reached(conversed, 'The last one.')).toBe(false);
		});

		test.each([['--continue'], ['--continue', '--fork-session']])(
			'nor in a session that goes on with it: %s %s',
			async (...args) => {
				const user = await homeForTest();
				const catalog = join(user.home, 'private', 'catalog.md');
				await converse(version, user, [ASKED], {
					calls: [{ tool: 'Write', input: { file_path: catalog, content: SKELETON } }],
				});
				const prompts = [fill(user, catalog, 'The second one.'), '/compact', 'The last one.'];
				const conversed = await converse(version, user, prompts, { args });
				expect(leaks(conversed.model.requests)).toHaveLength(0);
				expect(reached(conversed, 'The last one.')).toBe(false);
				const fresh = await converse(version, user, ['A new session.']);
				expect(reached(fresh, 'A new session.')).toBe(true);
			},
		);

		test.each(['main', 'subagent'] as const)(
			'nor to the next request of a turn in which the person maps it: %s',
			async (agent) => {
				const user = await homeForTest();
				const { home } = user;
				const catalog = join(home, 'private', 'catalog.md');
				await write(join(home, 'filled.md'), CATALOG);
				await write(join(home, 'map.toml'), `[keys]\nk = ${JSON.stringify(catalog)}\n`);
				const config = `${home}/.config/context-broker`;
				const command = `cp ${home}/filled.md ${catalog}; mkdir -p ${config}; cp ${home}/map.toml ${config}/context-map.toml`;
				const person = await write(join(user.project, 'person.sh'), command);
				const calls = [
					{ tool: 'Write', input: { file_path: catalog, content: SKELETON } },
					{ tool: 'Bash', input: { command: `sh ${person}`, description: 'x' } },
				];
				const start = { description: 'x', prompt: 'x', subagent_type: 'general-purpose', run_in_background: false };
				const script: Script = (request) => {
					const done = toolResults(request).length;
					if (request.agent === agent) return calls[done] ?? { text: 'Done.' };
					return done === 0 ? { tool: 'Agent', input: start } : { text: 'Done.' };
				};
				const conversed = await converse(version, user, [ASKED], { script });
				expect(await readFile(catalog, 'utf8')).toBe(CATALOG);
				expect(leaks(conversed.model.requests)).toHaveLength(0);
				expect(conversed.model.requests.filter((request) => request.agent === agent)).toHaveLength(2);
			},
		);
	},
);

describe.each(clientVersions())('Claude Code %s: what becomes part of a prompt', (version) => {
	test.each([
		['the absolute path', (catalog: string) => `Look at @${catalog}.`],
		['from the home folder', () => 'Look at @~/.config/context-broker/catalog.md, please'],
		['in quotes, by a link', () => 'Look at @"a link.md"'],
	])('a private file behind an @ is not attached: %s', async (_, prompt) => {
		const user = await userWithKey();
		const catalog = join(user.home, '.config', 'context-broker', 'catalog.md');
		await symlink(catalog, join(user.project, 'a link.md'));
		const conversed = await converse(version, user, [prompt(catalog), 'The last one.']);
		expect(leaks(conversed.model.requests)).toHaveLength(0);
		expect(reached(conversed, 'The last one.')).toBe(true);
		expect(reached(conversed, 'Look at')).toBe(false);
	});

	const bodies = [
		['@ in a skill', '.claude/skills/sum/SKILL.md', 'See @~/.config/context-broker/catalog.md'],
		['! in a skill', '.claude/skills/sum/SKILL.md', 'It is !`cat ~/.config/context-broker/catalog.md`'],
		['! in a command', '.claude/commands/sum.md', '```!\ncat ~/.config/context-broker/catalog.md\n```'],
	] as const;

	test.each(bodies)('a skill that holds a private file is not run: %s', async (_, file, body) => {
		const user = await userWithKey();
		await write(join(user.project, file), `---\nname: sum\ndescription: Sums.\n---\n${body}\n`);
		const calls = [{ tool: 'Skill', input: { skill: 'sum' } }];
		const conversed = await converse(version, user, ['/sum', ASKED, 'The last one.'], { calls });
		expect(leaks(conversed.model.requests)).toHaveLength(0);
		expect(reached(conversed, 'attached_file')).toBe(true);
		expect(reached(conversed, 'The last one.')).toBe(true);
	});

	test.each([
		['that goes by another name than its folder', '.claude/skills/x', 'sum'],
		['of a folder in which the agent has read', 'pkg/.claude/skills/sum', 'deep'],
	])('nor one %s', async (_, folder, name) => {
		const user = await userWithKey();
		const text = `---\nname: ${name}\ndescription: Sums.\n---\n!\`cat ~/.config/context-broker/catalog.md\`\n`;
		await write(join(user.project, folder, 'SKILL.md'), text);
		const read = await write(join(user.project, 'pkg', 'a.txt'), PUBLIC);
		const skills = [...new Set([name, 'sum'])].map((skill) => ({ tool: 'Skill', input: { skill } }));
		const calls = [{ tool: 'Read', input: { file_path: read } }, ...skills];
		const conversed = await converse(version, user, [ASKED, '/sum'], { calls });
		expect(leaks(conversed.model.requests)).toHaveLength(0);
		expect(reached(conversed, 'attached_file')).toBe(true);
	});

	test('an agent is not started that begins with such a skill', async () => {
		const user = await userWithKey();
		const skill = '---\nname: sum\ndescription: Sums.\n---\n!`cat ~/.config/context-broker/catalog.md`\n';
		await write(join(user.home, '.claude', 'skills', 'sum', 'SKILL.md'), skill);
		const agent = '---\nname: summer\ndescription: Sums.\nskills:\n  - sum\n---\nYou sum.\n';
		await write(join(user.project, '.claude', 'agents', 'x.md'), agent);
		const input = { description: 'x', prompt: 'Sum.', subagent_type: 'summer', run_in_background: false };
		const conversed = await converse(version, user, [ASKED], { calls: [{ tool: 'Agent', input }] });
		expect(leaks(conversed.model.requests)).toHaveLength(0);
		expect(reached(conversed, 'attached_file')).toBe(true);
	});

	test.each([
		['the home folder', (user: Home) => join(user.home, '.claude', 'CLAUDE.md')],
		['its rules', (user: Home) => join(user.home, '.claude', 'rules', 'x', 'names.md')],
	])('prompts are withheld while instructions import a private file: %s', async (_, fileOf) => {
		const user = await userWithKey();
		await write(fileOf(user), 'Names: @~/more/names.md\n');
		const names = await write(join(user.home, 'more', 'names.md'), 'See @~/.config/context-broker/catalog.md\n');
		const correct = async () => {
			await writeFile(names, 'No names.');
			return 'The last one.';
		};
		const conversed = await converse(version, user, ['The first one.', correct]);
		expect(conversed.model.requests).toHaveLength(0);
		const after = await converse(version, user, ['The last one.']);
		expect(reached(after, 'The last one.')).toBe(true);
		expect(leaks(after.model.requests)).toHaveLength(0);
	});

	test.each([
		[
			'an import of AGENTS.md, which newer versions read',
			async (file: string) => void (await write(file, '@private/catalog.md')),
		],
		['a link', async (file: string, catalog: string) => await symlink(catalog, file)],
	])('also %s', async (_, make) => {
		const user = await userWithKey();
		const catalog = await write(join(user.project, 'private', 'catalog.md'), CATALOG);
		await writeMap(user.home, `[keys]\nk = ${JSON.stringify(catalog)}\n`);
		await make(join(user.project, 'AGENTS.md'), catalog);
		const conversed = await converse(version, user, ['The first one.']);
		expect(conversed.model.requests).toHaveLength(0);
	});

	test('nor is a folder entered whose instructions import one', async () => {
		const user = await userWithKey();
		// What is in the project itself is imported without a question.
		const catalog = await write(join(user.project, 'private', 'catalog.md'), CATALOG);
		await writeMap(user.home, `[keys]\nk = ${JSON.stringify(catalog)}\n`);
		await write(join(user.project, 'pkg', 'CLAUDE.md'), 'See @../private/catalog.md\n');
		const file = await write(join(user.project, 'pkg', 'src', 'a.txt'), PUBLIC);
		const conversed = await converse(version, user, [ASKED], {
			calls: [{ tool: 'Read', input: { file_path: file } }],
		});
		expect(leaks(conversed.model.requests)).toHaveLength(0);
		expect(reached(conversed, 'attached_file')).toBe(true);
	});

	test('files that become prompts later are not written so that they hold one', async () => {
		const user = await userWithKey();
		const catalog = '~/.config/context-broker/catalog.md';
		await write(join(user.project, 'CLAUDE.md'), 'Old.\n');
		const texts: [string, string][] = [
			['CLAUDE.local.md', `Names: @${catalog}`],
			['.claude/rules/names.md', `@${catalog}`],
			['.claude/skills/x/SKILL.md', `!\`cat ${catalog}\``],
			['.claude/commands/x.md', `@${catalog}`],
		];
		const edit = { file_path: join(user.project, 'CLAUDE.md'), old_string: 'Old.', new_string: `@${catalog}` };
		const calls = [
			...texts.map(([name, content]) => ({ tool: 'Write', input: { file_path: join(user.project, name), content } })),
			{ tool: 'Read', input: { file_path: edit.file_path } },
			{ tool: 'Edit', input: edit },
		];
		const conversed = await converse(version, user, [ASKED], { calls });
		const results = toolResults(conversed.model.requests.findLast(({ agent }) => agent === 'main') as never);
		const refused = { isError: true, text: expect.stringContaining('attached_file') };
		expect(results).toMatchObject([refused, refused, refused, refused, { isError: false }, refused]);
	});
});

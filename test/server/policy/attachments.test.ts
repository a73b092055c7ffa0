import { promises as fs } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HookAnswer, HookEvent } from '../../../server/claude-code/hooks.ts';
import type { Entries } from '../../../server/context-map/parse.ts';
import { BrokerError } from '../../../server/errors.ts';
import { FileSystem } from '../../../server/paths/file-system.ts';
import { Attachments } from '../../../server/policy/attachments.ts';
import { refuse } from '../../../server/policy/refuse.ts';
import { hookEvent, SCANNER } from '../../support/guard.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const NONE: Entries = new Map();
const MAPPED: Entries = new Map([['k', { path: 'catalog.md', agents: ['reader'] }]]);
const MAIN = { agent_id: '', agent_type: '' };

let folder: string;
let catalog: string;
let commandLine: string[];
let now: number;
let attachments: Attachments;

beforeEach(async () => {
	folder = await temporaryFolder();
	catalog = join(folder, 'private', 'catalog.md');
	[commandLine, now] = [[], 0];
	await mkdir(join(folder, 'private'));
	await mkdir(join(folder, 'project'));
	await writeFile(catalog, 'x');
	attachments = create();
});

function create(platform = process.platform): Attachments {
	return new Attachments(
		{ file: join(folder, 'map.toml'), resolve: ({ path }) => join(folder, 'private', path) },
		{ home: folder, environment: {}, platform, system: new FileSystem(process.platform, () => now), now: () => now },
		async () => commandLine,
	);
}

async function answer(name: string, fields: Partial<HookEvent>, entries = MAPPED): Promise<HookAnswer | undefined> {
	const own = { transcript_path: join(folder, 's1.jsonl'), cwd: join(folder, 'project') };
	const event = hookEvent(name, { ...MAIN, ...own, ...fields });
	const next = await attachments.check(event, entries);
	if (next === undefined && name === 'PreToolUse') attachments.note(event, await attachments.touchedBy(event, entries));
	if (next === undefined) return undefined;
	const error = new BrokerError('attached_file', { next });
	return refuse(event, error, { report: () => {}, map: { file: '/map.toml' } });
}

const tool = (tool_name: string, input: object, fields: Partial<HookEvent> = {}) =>
	answer('PreToolUse', { tool_name, tool_input: JSON.stringify(input), ...fields });

/** An agent reads the file, as long as the map does not name it. */
const touch = (path: string, fields: Partial<HookEvent> = {}) =>
	answer('PreToolUse', { tool_name: 'Read', tool_input: JSON.stringify({ file_path: path }), ...fields }, NONE);

const prompt = (text: string, fields: Partial<HookEvent> = {}) =>
	answer('UserPromptSubmit', { prompt: text, ...fields });

const WITHHELD = { decision: 'block', reason: expect.stringMatching(/^attached_file: .*start a new session/i) };

const IS_WINDOWS = process.platform === 'win32';

describe('a file that was touched before it was private', () => {
	test('keeps the next prompt back, ends a turn and refuses a compaction', async () => {
		expect(await touch(catalog)).toBeUndefined();
		expect(await prompt('And now?')).toMatchObject(WITHHELD);
		expect(await answer('PreCompact', {})).toMatchObject(WITHHELD);
		expect(await answer('PostToolBatch', {})).toMatchObject({
			continue: false,
			stopReason: expect.stringMatching(/^attached_file: /),
		});
	});

	test.each([
		['by a link', () => join(folder, 'link.md'), process.platform],
		['relative to the working folder', () => '../private/catalog.md', process.platform],
		[
			'in other capitals',
			() => join(folder, 'Private', 'CATALOG.md'),
			IS_WINDOWS ? ('win32' as const) : ('darwin' as const),
		],
	])('also %s', async (_, path, platform) => {
		await symlink(catalog, join(folder, 'link.md'));
		attachments = create(platform);
		await touch(path());
		expect(await prompt('And now?')).toMatchObject(WITHHELD);
	});

	test('does so also where it did not exist yet', async () => {
		const later = join(folder, 'private', 'later.md');
		await touch(later);
		await writeFile(later, 'x');
		const entries: Entries = new Map([['k', { path: 'later.md', agents: undefined }]]);
		expect(await answer('UserPromptSubmit', { prompt: 'x' }, entries)).toMatchObject(WITHHELD);
	});

	test('is no matter for another agent, or for another session', async () => {
		await touch(catalog);
		expect(await prompt('x', { agent_type: 'reader' })).toBeDefined();
		expect(await answer('PostToolBatch', { agent_id: 'a1', agent_type: 'general-purpose' })).toBeUndefined();
		expect(await answer('PostToolBatch', { agent_id: 'a2', agent_type: 'fork' })).toMatchObject({ continue: false });
		expect(await prompt('x', { session_id: 's2' })).toBeUndefined();
	});

	test('is no folder, such as one whose name is being typed into the map', async () => {
		await tool('Bash', { command: 'ls ../private && cat @../private' }, {});
		const typed: Entries = new Map([['k', { path: '.', agents: undefined }]]);
		expect(await answer('PostToolBatch', {}, typed)).toBeUndefined();
		expect(await answer('UserPromptSubmit', { prompt: 'See @../private' }, typed)).toBeUndefined();
	});

	test('that only a subagent touched ends the turn of that one', async () => {
		const subagent = { agent_id: 'a1', agent_type: 'general-purpose' };
		await touch(catalog, subagent);
		expect(await answer('PostToolBatch', subagent)).toMatchObject({ continue: false });
		expect(await prompt('x')).toBeUndefined();
	});

	test('is no matter if it is touched while it is private: whoever gets it may have it', async () => {
		await tool('Read', { file_path: catalog });
		expect(await prompt('x')).toBeUndefined();
	});

	test('counts no more when it is taken from the map', async () => {
		await touch(catalog);
		expect(await answer('UserPromptSubmit', { prompt: 'x' }, NONE)).toBeUndefined();
	});

	test('is found among very many others, of which only the few that can be it are resolved', async () => {
		const others = Array.from({ length: 40_000 }, (_, index) => `packages/p${index}/src/index.ts`);
		const uses = [...others, catalog].map((file_path, id) => ({
			type: 'tool_use',
			id,
			name: 'Read',
			input: { file_path },
		}));
		const lines = uses.map((use) => JSON.stringify({ uuid: 'x', message: { content: [use] } }));
		await writeFile(join(folder, 's1.jsonl'), `${lines.join('\n')}\n`);
		await writeFile(join(folder, 's2.jsonl'), `${lines.slice(0, -1).join('\n')}\n`);
		const realpath = vi.spyOn(fs, 'realpath');
		onTestFinished(() => realpath.mockRestore());
		expect(await prompt('x')).toMatchObject(WITHHELD);
		expect(await prompt('x', { session_id: 's2', transcript_path: join(folder, 's2.jsonl') })).toBeUndefined();
		expect(realpath.mock.calls.length).toBeLessThan(100);
	});

	test('in an earlier process is found in the transcript, and in that of the session that this one is a fork of', async () => {
		const use = { type: 'tool_use', id: '1', name: 'Read', input: { file_path: catalog } };
		const line = JSON.stringify({ uuid: 'x', message: { content: [use] } });
		await writeFile(join(folder, 's1.jsonl'), `${line}\n`);
		expect(await prompt('x')).toMatchObject(WITHHELD);
		const below = {
			uuid: 'x',
			cwd: join(folder, 'private'),
			message: { content: [{ ...use, input: { file_path: 'catalog.md' } }] },
		};
		const other = { session_id: 's3', transcript_path: join(folder, 's3.jsonl') };
		await writeFile(other.transcript_path, `${JSON.stringify(below)}\n`);
		expect(await prompt('x', other)).toMatchObject(WITHHELD);
		const fork = { session_id: 's2', transcript_path: join(folder, 's2.jsonl') };
		expect(await prompt('x', fork)).toBeUndefined();
		commandLine = ['claude', '--continue', '--fork-session'];
		attachments = create();
		expect(await prompt('x', fork)).toMatchObject(WITHHELD);
	});
});

describe('a private file in a prompt', () => {
	test.each(['@~/private/catalog.md', 'see @../private/catalog.md.', 'x @"~/private/catalog.md"', '@~/map.toml'])(
		'is not put there by an @: %s',
		async (text) => {
			expect(await prompt(text)).toMatchObject({ reason: expect.stringContaining('without the @') });
			expect(await answer('UserPromptExpansion', { prompt: `/x ${text}`, command_name: 'x' })).toMatchObject({
				decision: 'block',
			});
		},
	);

	test.each(['see ~/private/catalog.md', 'jo@example.org', '@notes.md', '@~/private/other.md'])(
		'is not seen in other words: %s',
		async (text) => {
			expect(await prompt(text)).toBeUndefined();
			expect(await answer('UserPromptExpansion', { prompt: `/x ${text}`, command_name: 'x' })).toBeUndefined();
		},
	);

	test.each([SCANNER, 'reader'])(
		'is withheld, too, where the person has started %s: it is to be loaded',
		async (agent_type) => {
			expect(await prompt('@~/private/catalog.md', { agent_type })).toBeDefined();
		},
	);

	test('by an import keeps prompts back until a new session begins', async () => {
		const instructions = join(folder, 'project', 'CLAUDE.md');
		await writeFile(instructions, '@~/private/catalog.md');
		expect(await prompt('x')).toMatchObject({ reason: expect.stringContaining(instructions) });
		await writeFile(instructions, 'Nothing.');
		expect(await prompt('x')).toMatchObject(WITHHELD);
		expect(await prompt('x', { session_id: 's2' })).toBeUndefined();
	});

	test.each(['CLAUDE.local.md', '.claude/rules/names.md'])('is seen where %s is a link to it', async (name) => {
		await mkdir(join(folder, 'project', '.claude', 'rules'), { recursive: true });
		await symlink(catalog, join(folder, 'project', name));
		expect(await prompt('x')).toMatchObject(WITHHELD);
	});

	describe('on Windows', () => {
		const FILES = ['C:\\Users\\jo\\private\\catalog.md', '\\\\srv\\share\\catalog.md'];
		const entries: Entries = new Map(FILES.map((path) => [path, { path, agents: undefined }]));
		const cwd = 'C:\\Users\\jo\\project';
		let session = 0;

		/** Events of a session of its own. */
		const inSession = () => {
			session += 1;
			return { cwd, session_id: `windows ${session}` };
		};

		beforeEach(() => {
			const system = new FileSystem('linux', () => now);
			// Nothing of it exists here.
			const asIs = async (path: string) => path;
			attachments = new Attachments(
				{ file: 'C:\\map.toml', resolve: ({ path }) => path },
				{
					...{ home: 'C:\\Users\\jo', platform: 'win32', environment: { CLAUDE_PROJECT_DIR: join(folder, 'project') } },
					...{ now: () => now, system: Object.assign(system, { realPath: asIs, placeOf: asIs }) },
				},
			);
		});

		test.each([
			['@C:\\Users\\jo\\private\\catalog.md', true],
			['see @"c:\\users\\JO\\private\\catalog.md"', true],
			['@..\\private\\catalog.md.', true],
			['@~\\private\\catalog.md#L2', true],
			['@C:..\\private\\catalog.md', true],
			['@\\\\srv\\share\\catalog.md', true],
			['@//srv/share/catalog.md', true],
			['@\\\\?\\UNC\\srv\\share\\catalog.md', true],
			['@\\\\localhost\\c$\\Users\\jo\\private\\catalog.md', true],
			['@/c/Users/jo/private/catalog.md', true],
			['@/C/Users/jo/private/catalog.md#L2', true],
			['@\\srv\\share\\catalog.md', false],
			['@/d/Users/jo/private/catalog.md', false],
			['@private\\catalog.md', false],
			['C:\\Users\\jo\\private\\catalog.md', false],
		])('it is put there by %s: %s', async (text, expected) => {
			expect((await answer('UserPromptSubmit', { prompt: text, ...inSession() }, entries)) !== undefined).toBe(
				expected,
			);
			await writeFile(
				join(folder, 'project', 'CLAUDE.md'),
				text.replace('@..\\', '@C:\\Users\\jo\\').replace('@C:..', '@C:\\Users\\jo'),
			);
			expect((await answer('UserPromptSubmit', { prompt: 'x', ...inSession() }, entries)) !== undefined).toBe(expected);
		});

		test.each([
			['cat ~/private/catalog.md', true],
			['cd ~/private && cat catalog.md', true],
			['grep -rh "" ~/private', true],
			['gc ~\\private\\catalog.md', true],
			['git log --oneline && rg TODO src', false],
			['gci -Recurse src | sls TODO', false],
		])('a skill brings it by %s: %s', async (command, expected) => {
			const input = { file_path: `${cwd}\\.claude\\skills\\x\\SKILL.md`, content: `!\`${command}\`` };
			const event = { tool_name: 'Write', tool_input: JSON.stringify(input), ...inSession() };
			expect((await answer('PreToolUse', event, entries)) !== undefined).toBe(expected);
		});

		test.each([
			['Read', { file_path: '..\\private\\catalog.md' }],
			['Read', { file_path: '\\\\?\\UNC\\srv\\share\\catalog.md' }],
			['PowerShell', { command: 'gc \\\\srv\\share\\catalog.md' }],
		])('it counts as touched: %s %j', async (tool_name, input) => {
			const fields = inSession();
			const event = { tool_name, tool_input: JSON.stringify(input), ...fields };
			expect(await answer('PreToolUse', event, NONE)).toBeUndefined();
			expect(await answer('UserPromptSubmit', { prompt: 'x', ...fields }, entries)).toMatchObject(WITHHELD);
		});
	});

	test('is seen where a command is a link to it', async () => {
		await mkdir(join(folder, 'project', '.claude', 'commands'), { recursive: true });
		await symlink(catalog, join(folder, 'project', '.claude', 'commands', 'names.md'));
		expect(await tool('Skill', { skill: 'names' })).toBeDefined();
		expect(await tool('Skill', { skill: 'others' })).toBeUndefined();
	});

	test('by the text of a skill is seen with what stands behind its name', async () => {
		const skill = join(folder, 'project', '.claude', 'skills', 'show');
		await mkdir(skill, { recursive: true });
		await writeFile(join(skill, 'SKILL.md'), 'It is !`cat $ARGUMENTS`.');
		expect(await tool('Skill', { skill: 'show', args: '~/private/catalog.md' })).toMatchObject({
			hookSpecificOutput: {
				permissionDecision: 'deny',
				permissionDecisionReason: expect.not.stringContaining(folder),
			},
		});
		expect(await tool('Skill', { skill: 'show', args: 'notes.md' })).toBeUndefined();
		const typed = { prompt: '/show', command_name: 'show' };
		expect(await answer('UserPromptExpansion', { ...typed, command_args: catalog })).toMatchObject({
			decision: 'block',
		});
		expect(await answer('UserPromptExpansion', { ...typed, command_args: 'notes.md' })).toBeUndefined();
	});

	test('is not written into what becomes one, whoever writes', async () => {
		const file_path = join(folder, 'project', 'CLAUDE.md');
		const texts = { private: '@../private/catalog.md', other: '@notes.md, not\n```\n@../private/catalog.md\n```\n' };
		for (const agent_type of ['', 'reader']) {
			for (const [name, text] of Object.entries(texts)) {
				const expected =
					name === 'private' ? expect.objectContaining({ hookSpecificOutput: expect.anything() }) : undefined;
				expect(await tool('Write', { file_path, content: text }, { agent_type })).toEqual(expected);
				expect(await tool('Edit', { file_path, old_string: 'x', new_string: text }, { agent_type })).toEqual(expected);
				expect(await tool('MultiEdit', { file_path, edits: [{ new_string: text }] }, { agent_type })).toEqual(expected);
			}
		}
		expect(await tool('Write', { file_path: join(folder, 'notes.md'), content: texts.private })).toBeUndefined();
		const skill = join(folder, 'project', '.claude', 'skills', 'x', 'SKILL.md');
		for (const content of ['```\n@../private/catalog.md\n```', '!`ls` !`cat ~/private/catalog.md`'])
			expect(await tool('Write', { file_path: skill, content })).toBeDefined();
		for (const content of ['@notes.md', '!`ls`', 5])
			expect(await tool('Write', { file_path: skill, content })).toBeUndefined();
		const below = join(folder, 'project', 'src', 'CLAUDE.md');
		expect(await tool('Write', { file_path: below, content: '@../../private/catalog.md' })).toBeDefined();
	});

	test('is kept out with the skills that an agent begins with', async () => {
		const claude = join(folder, 'project', '.claude');
		for (const name of ['agents', 'skills/show', 'skills/other']) await mkdir(join(claude, name), { recursive: true });
		await writeFile(join(claude, 'skills/show/SKILL.md'), 'See @~/private/catalog.md');
		await writeFile(join(claude, 'skills/other/SKILL.md'), 'See @notes.md');
		for (const name of ['show', 'other'])
			await writeFile(join(claude, `agents/${name}.md`), `---\nname: ${name}\nskills: ${name}\n---\n`);
		expect(await tool('Agent', { subagent_type: 'show' })).toBeDefined();
		expect(await tool('Agent', { subagent_type: 'other' })).toBeUndefined();
		expect(await tool('Read', { subagent_type: 'show' })).toBeUndefined();
	});

	test('is kept out with the instructions of a folder that is entered, not with those of where one is', async () => {
		for (const name of ['project', 'other']) {
			await mkdir(join(folder, name, 'src'), { recursive: true });
			await writeFile(join(folder, name, 'CLAUDE.md'), '@~/private/catalog.md');
		}
		expect(await tool('Read', { file_path: '../other/src/x.ts' })).toBeDefined();
		expect(await tool('Read', { file_path: 'src/x.ts' })).toBeUndefined();
	});

	test('is kept out with a skill below a folder in which somebody has read', async () => {
		const skill = join(folder, 'project', 'sub', '.claude', 'skills', 'show');
		await mkdir(skill, { recursive: true });
		await writeFile(join(skill, 'SKILL.md'), 'See @~/private/catalog.md');
		expect(await tool('Skill', { skill: 'show' })).toBeUndefined();
		await tool('Read', { file_path: 'sub/deep/x.ts' });
		expect(await tool('Skill', { skill: 'show' })).toBeDefined();
		expect(await tool('Skill', { skill: 'show' }, { session_id: 's2' })).toBeUndefined();
	});

	test('by the instructions of the user keeps prompts back', async () => {
		await mkdir(join(folder, '.claude'));
		await writeFile(join(folder, '.claude', 'CLAUDE.md'), '@~/private/catalog.md');
		expect(await prompt('x', { cwd: '/' })).toMatchObject(WITHHELD);
	});

	test('is where its path leads now, and five seconds later elsewhere', async () => {
		const [first, second, link] = ['first', 'second', 'link'].map((name) => join(folder, 'private', `${name}.md`));
		for (const file of [first, second]) await writeFile(file as string, 'x');
		await symlink(first as string, link as string);
		const entries: Entries = new Map([['k', { path: 'link.md', agents: undefined }]]);
		let sessions = 0;
		const mention = async (path = '') => {
			sessions += 1;
			const fields = { prompt: `@${path}`, session_id: `session ${sessions}` };
			return (await answer('UserPromptSubmit', fields, entries)) !== undefined;
		};
		expect([await mention(first), await mention(second)]).toEqual([true, false]);
		await rm(link as string);
		await symlink(second as string, link as string);
		now = 5_000;
		expect([await mention(first), await mention(second)]).toEqual([true, false]);
		now = 5_001;
		expect([await mention(first), await mention(second)]).toEqual([false, true]);
	});
});

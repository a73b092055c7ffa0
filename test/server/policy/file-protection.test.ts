import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { FileSystem } from '../../../server/paths/file-system.ts';
import { FileProtection } from '../../../server/policy/file-protection.ts';
import { Agents } from '../../../server/record/agents.ts';
import { ToolUses } from '../../../server/record/tool-uses.ts';
import { hookEvent, SCANNER } from '../../support/guard.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** A subagent that has loaded, and a main thread that was started as an agent and has. */
const [AGENT, SESSION, OF_MAIN] = ['a1f2', 'session-1', 'session-2'];

/** Where calls are made, by somebody whose home folder is given. */
function placeIn(home: string) {
	return {
		home,
		environment: {},
		platform: process.platform,
		system: new FileSystem(process.platform, () => 0),
		now: () => 0,
	};
}

describe('what tools of agents that have loaded have written', () => {
	let folder: string;
	let results: string;
	let tasks: string;
	let protection: FileProtection;

	beforeEach(async () => {
		folder = await temporaryFolder();
		const map = { file: join(folder, 'map.toml'), resolve: () => '' };
		const files = {
			...placeIn(folder),
			taskFolders: [join(folder, 'claude-0')],
		};
		const parts = { map, files, readMarkdown: async () => '' };
		protection = new FileProtection(parts, new Agents(new ToolUses(() => 0)));
		results = join(folder, 'projects', '-p', SESSION, 'tool-results');
		tasks = join(folder, 'claude-0', '-elsewhere', SESSION, 'tasks');
		await write(join(results, 'b1own.txt'), join(results, 'b1other.txt'), join(tasks, 'b2own.output'));
		await write(join(tasks, 'b2other.output'), join(folder, 'projects', '-p', OF_MAIN, 'tool-results', 'b3own.txt'));
		await writeFile(transcript(SESSION), told('b1other.txt', 'b2other.output'));
		await mkdir(join(folder, 'projects', '-p', SESSION, 'subagents'));
		// Files of others are named in it, too: those it was asked to look at.
		const asked = '{"content":"Look at /p/b1other.txt. Output is being written to: /p/b2other.output"}';
		await writeFile(ofAgent(), `${asked}\n${told('b1own.txt', 'b2own.output')}`);
		await writeFile(transcript(OF_MAIN), told('b3own.txt'));
	});

	/** As the client tells an agent where the output of its tools is. */
	const told = (result = '', task = '') =>
		`{"type":"tool_result","content":"Full output saved to: /p/${result}\\nOutput is being written to: /p/${task}"}\n`;

	async function write(...files: readonly string[]): Promise<void> {
		for (const file of files) {
			await mkdir(dirname(file), { recursive: true });
			await writeFile(file, 'x');
		}
	}

	const transcript = (session: string) => join(folder, 'projects', '-p', `${session}.jsonl`);
	const ofAgent = () => join(folder, 'projects', '-p', SESSION, 'subagents', `agent-${AGENT}.jsonl`);

	/** Whether a call of the main agent of another session is refused, or of another agent. */
	async function isRefused(tool_name: string, input: object, fields: object = {}): Promise<boolean> {
		const event = hookEvent('PreToolUse', {
			...{ agent_id: '', agent_type: '', session_id: 'another', cwd: folder, tool_name },
			...{ tool_input: JSON.stringify(input), ...fields },
		});
		const records = [
			{ session: SESSION, agent: AGENT, type: 'reader', transcript: transcript(SESSION), since: 0, isPrivate: true },
			{ session: OF_MAIN, agent: '', type: 'reader', transcript: transcript(OF_MAIN), since: 0, isPrivate: true },
		];
		return (await protection.reachedBy(event, input, { entries: new Map(), paths: [] }, records)) !== undefined;
	}

	const read = (file_path: string) => ['Read', { file_path }] as const;
	const shell = (command: string) => ['Bash', { command }] as const;

	test('is kept from others: long results, and the outputs of commands in the background, whatever the project', async () => {
		expect(await isRefused(...read(join(results, 'b1own.txt')))).toBe(true);
		expect(await isRefused(...read(join(tasks, 'b2own.output')))).toBe(true);
		expect(await isRefused(...shell(`tail "${join(tasks, 'b2own.output')}"`))).toBe(true);
	});

	test('also where only a wildcard or the working folder leads there', async () => {
		expect(await isRefused(...shell('cat projects/-p/*/tool*/*'))).toBe(true);
		expect(await isRefused(...shell('cat claude-0/*/*/*/b2*'))).toBe(true);
		expect(await isRefused(...shell('cat b1own.txt'), { cwd: results })).toBe(true);
	});

	test('also if one asks for it as the output of a task', async () => {
		const outputOf = (task_id: string) => isRefused('TaskOutput', { task_id });
		expect([await outputOf('b2own'), await outputOf('b2other'), await outputOf('b9')]).toEqual([true, false, false]);
	});

	test('also from an agent of the same kind that has not loaded', async () => {
		const alike = { agent_id: 'a9', agent_type: 'reader', session_id: SESSION };
		expect(await isRefused(...read(join(tasks, 'b2own.output')), alike)).toBe(true);
	});

	test('also of a main thread that was started as an agent, by the folder above too', async () => {
		const file = join(folder, 'projects', '-p', OF_MAIN, 'tool-results', 'b3own.txt');
		expect(await isRefused(...read(file))).toBe(true);
		expect(await isRefused(...shell(`grep -r x "${dirname(dirname(file))}"`))).toBe(true);
	});

	test('is not kept from the agent itself, nor is what others of the session have written', async () => {
		const own = { agent_id: AGENT, session_id: SESSION };
		expect(await isRefused(...read(join(tasks, 'b2own.output')), own)).toBe(false);
		expect(await isRefused(...read(join(results, 'b1own.txt')), own)).toBe(false);
		expect(await isRefused(...read(join(results, 'b1other.txt')))).toBe(false);
		expect(await isRefused(...read(join(tasks, 'b2other.output')))).toBe(false);
		const main = { session_id: OF_MAIN, agent_type: 'reader' };
		const ofMain = read(join(folder, 'projects', '-p', OF_MAIN, 'tool-results', 'b3own.txt'));
		expect(await isRefused(...ofMain, main)).toBe(false);
		expect(await isRefused(...ofMain, { ...main, agent_type: 'another' })).toBe(true);
		expect(await isRefused(...ofMain, { ...main, session_id: 'another' })).toBe(true);
	});

	test('and the transcripts are kept also where the session is moved to another project, and back', async () => {
		const [here, there] = ['-p', '-p--claude-worktrees-x'].map((project) => join(folder, 'projects', project));
		await mkdir(there as string);
		const move = async (from = '', to = '') => {
			for (const name of [SESSION, `${SESSION}.jsonl`]) await rename(join(from, name), join(to, name));
		};
		const expectKept = async (project = '') => {
			const session = join(project, SESSION);
			for (const file of [
				`${session}.jsonl`,
				join(session, 'subagents', `agent-${AGENT}.jsonl`),
				join(session, 'tool-results', 'b1own.txt'),
				join(tasks, 'b2own.output'),
			]) {
				expect(await isRefused(...read(file)), file).toBe(true);
			}
			expect(await isRefused(...read(join(session, 'tool-results', 'b1other.txt')))).toBe(false);
		};
		await expectKept(here);
		await move(here, there);
		await expectKept(there);
		await move(there, here);
		await expectKept(here);
	});

	test('all of the session is kept where the transcript of the agent can not be read', async () => {
		await rm(ofAgent());
		expect(await isRefused(...read(join(results, 'b1other.txt')))).toBe(true);
	});
});

test('very many links and agents hold nothing up, and the one link that counts is found', async () => {
	const folder = await temporaryFolder();
	const [catalog, links] = [join(folder, 'private', 'k.md'), join(folder, 'links')];
	await Promise.all([mkdir(dirname(catalog)), mkdir(links)]);
	await Promise.all([writeFile(catalog, 'x'), writeFile(join(folder, 'x.txt'), 'x')]);
	for (let link = 0; link < 3_000; link++) await symlink(join(folder, 'x.txt'), join(links, `l${link}`));
	const files = placeIn(folder);
	const map = { file: join(folder, 'map.toml'), resolve: () => catalog };
	const parts = { map, files: { ...files, taskFolders: [join(folder, 'claude-0')] }, readMarkdown: async () => 'x' };
	const transcript = join(folder, '.claude', 'projects', '-p', 's.jsonl');
	const records = Array.from({ length: 1_000 }, (_, id) => ({
		...{ session: `s${id}`, agent: `a${id}`, type: 'reader', transcript, since: 0, isPrivate: true },
	}));
	const isRefused = async (command: string, cwd: string) => {
		const tool = { tool_name: 'Bash', tool_input: JSON.stringify({ command }), agent_id: '', agent_type: '' };
		const protection = new FileProtection(parts, new Agents(new ToolUses(() => 0)));
		const content = { entries: new Map([['k', { path: 'k.md', agents: undefined }]]), paths: [] };
		return (
			(await protection.reachedBy(hookEvent('PreToolUse', { ...tool, cwd }), { command }, content, records)) !==
			undefined
		);
	};
	expect(await isRefused('cat *', links)).toBe(false);
	expect(await isRefused('ls src', folder)).toBe(false);
	expect(await isRefused('cat ~/.claude/projects/*/*/subagents/*', folder)).toBe(true);
	await symlink(catalog, join(links, 'z'));
	expect(await isRefused('cat *', links)).toBe(true);
	// Each look at every link for every agent took minutes.
});

describe('whoever is refused can be told', () => {
	let folder: string;
	let reachedBy: (tool_name: string, input: object) => ReturnType<FileProtection['reachedBy']>;

	beforeEach(async () => {
		folder = await temporaryFolder();
		await mkdir(join(folder, 'private'));
		await mkdir(join(folder, 'project', 'links'), { recursive: true });
		await writeFile(join(folder, 'private', 'k.md'), 'x');
		await symlink(join(folder, 'private', 'k.md'), join(folder, 'project', 'link.md'));
		await symlink(join(folder, 'private', 'k.md'), join(folder, 'project', 'links', 'link.md'));
		const map = { file: join(folder, 'map.toml'), resolve: ({ path }: { path: string }) => join(folder, path) };
		const parts = {
			map,
			files: { ...placeIn(folder), taskFolders: [join(folder, 'claude-0')] },
			readMarkdown: async () => 'x',
		};
		const protection = new FileProtection(parts, new Agents(new ToolUses(() => 0)));
		const paths = ['../elsewhere/a.md', 'private/k.md'];
		const content = { entries: new Map(paths.map((path) => [path, { path, agents: undefined }])), paths: [] };
		const transcript = join(folder, '.claude', 'projects', '-p', 's1.jsonl');
		const record = { session: 's1', agent: 'a1', type: 'reader', transcript, since: 0, isPrivate: true };
		reachedBy = async (tool_name, input) => {
			const tool = { tool_name, tool_input: JSON.stringify(input), cwd: join(folder, 'project') };
			const event = hookEvent('PreToolUse', { ...tool, agent_id: '', agent_type: '' });
			return await protection.reachedBy(event, input, content, [record]);
		};
	});

	test.each([
		['Read', { file_path: '~/map.toml' }, 'map.toml', 'map', '~/map.toml', 'named'],
		['Read', { file_path: '~/private/k.md' }, 'private/k.md', 'private_file', '~/private/k.md', 'named'],
		['Bash', { command: 'ls && cat ../private/k.md' }, 'private/k.md', 'private_file', '../private/k.md', 'named'],
		['Bash', { command: 'cat link.md' }, 'private/k.md', 'private_file', 'link.md', 'link'],
		['Bash', { command: 'cat links/*' }, 'private/k.md', 'private_file', 'links/*', 'link'],
		['Bash', { command: 'grep -R x .' }, 'private/k.md', 'private_file', '.', 'link'],
		['Bash', { command: 'grep -r x .' }, undefined],
		['Bash', { command: 'cat ~/private/*.md' }, 'private/k.md', 'private_file', '~/private/*.md', 'pattern'],
		['Bash', { command: 'grep -r x ../private' }, 'private/k.md', 'private_file', '../private', 'search'],
		['Grep', { pattern: 'x', path: '../private' }, 'private/k.md', 'private_file', '../private', 'search'],
		['Bash', { command: 'cd ~/private; rg x' }, 'private/k.md', 'private_file', 'rg', 'search'],
		['Bash', { command: 'cat "$HOME"/private/k.md' }, 'private/k.md', 'private_file', '~/private/k.md', 'named'],
		['Bash', { command: `: ${'x'.repeat(128 * 1024)}` }, 'map.toml', 'map', '', 'too_complex'],
		[
			...(['Bash', { command: 'cat ~/.claude/projects/-p/*/subagents/*.jsonl' }] as const),
			...(['.claude/projects/-p/s1/subagents/agent-a1.jsonl', 'written_down'] as const),
			...(['~/.claude/projects/-p/*/subagents/*.jsonl', 'pattern'] as const),
		],
		['Bash', { command: 'grep -r x ~' }, 'private/k.md', 'private_file', '~', 'search'],
		['Bash', { command: 'grep -rn TODO ~ --exclude-dir={private,.claude,claude-0}' }, undefined],
		['TaskOutput', { task_id: 'b1' }, undefined],
	] as const)('%s %j gets at %s, a %s, by %j (%s)', async (tool, input, path, ...rest) => {
		const [kind, word, how] = rest;
		const expected = path === undefined ? undefined : { path: join(folder, path), kind, word, how };
		expect(await reachedBy(tool, input)).toEqual(expected);
	});
});

describe('an agent that may load', () => {
	const HOME = resolve('/home/jo');
	const FILE = join(HOME, 'private', 'k.md');
	const TRANSCRIPT = join(HOME, '.claude', 'projects', '-project', 's1.jsonl');
	const entries = new Map([['k', { path: FILE, agents: undefined }]]);
	let agents: Agents;
	let protection: FileProtection;
	let now: string;

	beforeEach(() => {
		[agents, now] = [new Agents(new ToolUses(() => 0)), 'text'];
		const system = new FileSystem(
			process.platform,
			() => 0,
			async () => '',
		);
		const map = { file: join(HOME, '.config', 'context-broker', 'context-map.toml'), resolve: () => FILE };
		const parts = {
			map,
			files: { ...placeIn(HOME), system, taskFolders: [resolve('/tmp/claude-0')] },
			readMarkdown: async () => now,
		};
		protection = new FileProtection(parts, agents);
	});

	const record = (agent: string, type = SCANNER) => ({
		...{ session: 's1', agent, type, since: 0, isPrivate: true },
		transcript: TRANSCRIPT,
	});

	async function isRefused(tool_name: string, input: object, fields: object = {}, records = [record('a1')]) {
		const event = hookEvent('PreToolUse', { tool_name, tool_input: JSON.stringify(input), cwd: HOME, ...fields });
		return (await protection.reachedBy(event, input, { entries, paths: [] }, records)) !== undefined;
	}

	const search = (fields: object = {}, records = [record('a1')]) =>
		isRefused('Grep', { pattern: 'x' }, fields, records);

	test('gets the file by load_context only, not by another tool', async () => {
		expect(await isRefused('Read', { file_path: FILE })).toBe(true);
		expect(await isRefused('Bash', { command: `cat "${FILE}"` })).toBe(true);
		expect(await search()).toBe(true);
		expect(await search({ agent_id: '' })).toBe(true);
	});

	test('may search the folder above once it has loaded it, with all that is written of agents of its kind', async () => {
		agents.load({ agent: 'a1', session: 's1', type: SCANNER, transcript: '/t.jsonl' }, { path: FILE, text: 'text' });
		expect(await search()).toBe(false);
		expect(await search({}, [record('a1'), record('a0'), { ...record('a9'), session: 's0' }])).toBe(false);
		expect(await search({}, [record('a1'), record('a0', 'reader')])).toBe(true);
		expect(await isRefused('Read', { file_path: FILE })).toBe(true);
		// Another one that runs beside it, and has not loaded yet.
		agents.observe(hookEvent('PreToolUse', { agent_id: 'a2' }));
		expect(await search()).toBe(false);
		now = 'another text';
		expect(await search()).toBe(true);
	});

	// 2.1.332 takes its name in other spellings too.
	test.each([SCANNER, 'Context-Broker:Privacy Scanner'])(
		'is guarded from others from its launch on, not from its load, as %s',
		async (type) => {
			const transcript = join(dirname(TRANSCRIPT), 's1', 'subagents', 'agent-a7.jsonl');
			const main = { agent_id: '', agent_type: '' };
			const wait = { command: `sleep 5; tail -n 3 "${transcript}"` };
			expect(await isRefused('Bash', wait, main, [])).toBe(false);
			const tool_response = JSON.stringify({ status: 'async_launched', agentId: 'a7' });
			const tool = { tool_name: 'Agent', tool_input: JSON.stringify({ subagent_type: type }), tool_response };
			agents.end(hookEvent('PostToolUse', { ...main, ...tool, transcript_path: TRANSCRIPT }));
			expect(await isRefused('Bash', wait, main, [])).toBe(true);
			expect(await isRefused('Read', { file_path: transcript }, { agent_id: 'a7' }, [])).toBe(false);
			Object.assign(agents.get('a7') ?? {}, { hasStopped: true });
			expect(await isRefused('Bash', wait, main, [])).toBe(false);
			agents.observe(hookEvent('PreToolUse', { agent_id: 'a7', tool_name: 'Grep', transcript_path: TRANSCRIPT }));
			expect(await isRefused('Bash', wait, main, [])).toBe(true);
			expect(await isRefused('Read', { file_path: TRANSCRIPT }, main, [])).toBe(false);
		},
	);
});

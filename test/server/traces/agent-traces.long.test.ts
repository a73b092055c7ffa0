import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LOAD_CONTEXT } from '../../../server/claude-code/tools.ts';
import { cleanAgentTraces, type TraceScope } from '../../../server/traces/agent-traces.ts';
import { CATALOG, holdsMarker, MARKERS } from '../../claude/markers.ts';
import { expectLinear } from '../../support/growth.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const SESSION = '71205027-ab3a-455b-869d-e5adcebf1685';
const OTHER_SESSION = '34a6ff4e-050c-48be-b2e8-0391f0a66d89';
const AGENT = 'aaf1d543ef62676ab';
const OTHER = 'a41ce35d5588647e1';

const QUOTE = `Replace ${MARKERS[0]}.`;

const line = (fields: object) => `${JSON.stringify({ uuid: 'x', sessionId: SESSION, ...fields })}\n`;
const says = (text: string) => line({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
const result = (text: string, id = 'toolu_9') =>
	line({
		type: 'user',
		message: { content: [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] }] },
	});
const load = (text: string, id = 'toolu_1') =>
	line({ message: { content: [{ type: 'tool_use', id, name: LOAD_CONTEXT, input: { key: 'k' } }] } }) +
	result(text, id);

/** A folder of Claude Code's with files in it, and one of tasks. */
async function written(files: Readonly<Record<string, string>>) {
	const folder = await temporaryFolder();
	const put = (name: string, text: string) => {
		const path = join(folder, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	};
	const all = {
		[`config/projects/-p/${SESSION}.jsonl`]: says('Hello.'),
		[`config/projects/-p/${SESSION}/subagents/agent-${AGENT}.jsonl`]: load(CATALOG) + says(QUOTE),
		...files,
	};
	for (const [name, text] of Object.entries(all)) put(name, text);
	mkdirSync(join(folder, 'tasks', '-p', SESSION, 'tasks'), { recursive: true });
	const transcript = join(folder, 'config/projects/-p', `${SESSION}.jsonl`);
	const looking: TraceScope = {
		agents: [{ session: SESSION, agent: AGENT, transcript }],
		texts: [CATALOG],
		taskFolders: [join(folder, 'tasks')],
		since: 0,
		except: [],
		known: [],
		isFinal: true,
	};
	const paths = () => readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
	const holding = () =>
		paths()
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath, entry.name))
			.filter((path) => holdsMarker(readFileSync(path, 'utf8')))
			.map((path) => path.slice(folder.length + 1))
			.sort();
	return { folder, looking, holding, text: (name: string) => readFileSync(join(folder, name), 'utf8') };
}

describe('is cleaned', () => {
	test.each([
		['the transcript of the agent, and what it is linked by', {}],
		['of a workflow', { [`config/projects/-p/${SESSION}/subagents/workflows/w1/agent-${AGENT}.jsonl`]: says(QUOTE) }],
		['what names the agent', { [`config/todos/${SESSION}-agent-${AGENT}.json`]: JSON.stringify([{ content: QUOTE }]) }],
		[
			'a long result of which nobody says whose it is',
			{ [`config/projects/-p/${SESSION}/tool-results/b1.txt`]: CATALOG },
		],
		['the output of a command', { [`tasks/-p/${SESSION}/tasks/b2.output`]: CATALOG }],
		['a file in a folder of which nothing is known', { [`config/projects/-p/${SESSION}/new-things/x.bin`]: QUOTE }],
		[
			'the files of a session that has moved to another project',
			{ [`config/projects/-other/${SESSION}/subagents/agent-${AGENT}.jsonl`]: load(CATALOG) },
		],
		[
			'a notification in the transcript of the session, or in one that is a copy of it',
			{
				[`config/projects/-p/${SESSION}.jsonl`]: says(`<task-id>${AGENT}</task-id> ${QUOTE}`),
				[`config/projects/-p/${OTHER_SESSION}.jsonl`]: says(`<task-id>${AGENT}</task-id> ${QUOTE}`),
			},
		],
		[
			'the transcript of an agent that was told, and of one that heard it from that',
			{
				[`config/projects/-p/${SESSION}/subagents/agent-${OTHER}.jsonl`]:
					result(`agentId: ${AGENT} ${QUOTE}`) + says(QUOTE),
				[`config/projects/-p/${SESSION}/subagents/agent-a1.jsonl`]: result(`agentId: ${OTHER} ${QUOTE}`) + says(QUOTE),
			},
		],
		[
			'a conversation that began as a copy of one in which was loaded',
			{
				[`config/projects/-p/${OTHER_SESSION}.jsonl`]: (load(CATALOG) + says(QUOTE)).replaceAll(SESSION, OTHER_SESSION),
			},
		],
	])('%s', async (_, files) => {
		const { looking, holding, folder } = await written(files);
		const task = join(folder, 'tasks', '-p', SESSION, 'tasks', `${AGENT}.output`);
		symlinkSync(join(folder, `config/projects/-p/${SESSION}/subagents/agent-${AGENT}.jsonl`), task);
		expect(await cleanAgentTraces(looking)).toMatchObject({ failed: [] });
		expect(holding()).toEqual([]);
		expect(await cleanAgentTraces(looking)).toEqual({ cleaned: [], failed: [], waiting: [] });
	});

	test('an earlier version of the file, as the transcript holds it', async () => {
		const { looking, holding } = await written({});
		await cleanAgentTraces({ ...looking, texts: ['# Names\n\n- somebody else\n'] });
		expect(holding()).toEqual([]);
	});

	test('all that is of a session whose main thread has loaded', async () => {
		const { looking, holding } = await written({
			[`config/projects/-p/${SESSION}.jsonl`]: load(CATALOG) + says(QUOTE),
			[`config/projects/-p/${SESSION}/tool-results/b1.txt`]: CATALOG,
		});
		await cleanAgentTraces({ ...looking, agents: looking.agents.map((agent) => ({ ...agent, agent: '' })) });
		expect(holding()).toEqual([]);
	});
});

describe('is left as it is', () => {
	const wroteB1 = result('Output is being written to: /x/tasks/b1.output');
	test.each([
		[
			"what the main agent's tools gave of the project, and what it says of it",
			{ [`config/projects/-p/${SESSION}.jsonl`]: result(`const owner = '${MARKERS[0]}'`) + says(QUOTE) },
		],
		[
			'the output of its command, also if the agent was told of it',
			{
				[`config/projects/-p/${SESSION}.jsonl`]: wroteB1,
				[`tasks/-p/${SESSION}/tasks/b1.output`]: QUOTE,
				[`config/projects/-p/${SESSION}/subagents/agent-${AGENT}.jsonl`]: says(
					'Scan the log written to: /x/tasks/b1.output',
				),
			},
		],
		["another agent's transcript", { [`config/projects/-p/${SESSION}/subagents/agent-${OTHER}.jsonl`]: says(QUOTE) }],
		[
			'what the person keeps there',
			{ 'config/CLAUDE.md': QUOTE, 'config/settings.json': JSON.stringify({ x: QUOTE }) },
		],
		[
			'another session of the project',
			{
				[`config/projects/-p/${OTHER_SESSION}.jsonl`]: says(QUOTE),
				[`config/projects/-p/${OTHER_SESSION}/tool-results/b1.txt`]: CATALOG,
				[`config/projects/-p/${OTHER_SESSION}/subagents/agent-${OTHER}.jsonl`]: load(CATALOG, 'toolu_2'),
			},
		],
		[
			'what Claude Code has copied of the files of the project, to put it back',
			{ [`config/file-history/${SESSION}/48a261ea4d4fd962@v1`]: QUOTE },
		],
		[
			'what the main agent has to do, and what a hook has set',
			{
				[`config/tasks/${SESSION}/1.json`]: JSON.stringify({ subject: QUOTE }),
				[`config/session-env/${SESSION}/sessionstart-hook-0.sh`]: `export OWNER='${MARKERS[0]}'`,
			},
		],
		['a picture', { [`config/projects/-p/${SESSION}/tool-results/x-1.png`]: `\x89PNG\0\0 ${QUOTE}` }],
		['what plugins keep', { [`config/plugins/data/x/${AGENT}.txt`]: QUOTE }],
		['the excepted', { [`config/private/${AGENT}.md`]: CATALOG }],
	])('%s', async (_, files) => {
		const { looking, holding, text, folder } = await written(files);
		expect(await cleanAgentTraces({ ...looking, except: [join(folder, 'config/private')] })).toMatchObject({
			failed: [],
		});
		const kept = Object.entries(files).filter(([, content]) => holdsMarker(content));
		expect(holding()).toEqual(kept.map(([name]) => name).sort());
		for (const [name, content] of Object.entries(files)) expect(text(name)).toBe(content);
	});

	test('what was written before the load', async () => {
		const { looking, holding, folder } = await written({
			[`config/projects/-p/${SESSION}/tool-results/b1.txt`]: CATALOG,
		});
		utimesSync(join(folder, `config/projects/-p/${SESSION}/tool-results/b1.txt`), 1_000, 1_000);
		await cleanAgentTraces({ ...looking, since: 10_000_000 });
		expect(holding()).toEqual([`config/projects/-p/${SESSION}/tool-results/b1.txt`]);
	});
});

test('an output of which nobody says whose it is waits while a command may write it', async () => {
	const output = `tasks/-p/${SESSION}/tasks/b1.output`;
	const { looking, holding, folder } = await written({ [output]: QUOTE });
	expect(await cleanAgentTraces({ ...looking, isFinal: false })).toMatchObject({
		failed: [],
		waiting: [join(folder, output)],
	});
	expect(holding()).toEqual([output]);
	utimesSync(join(folder, output), 1_000, 1_000);
	expect(await cleanAgentTraces({ ...looking, isFinal: false })).toMatchObject({
		cleaned: [join(folder, output)],
		waiting: [],
	});
	expect(holding()).toEqual([]);
});

test("an output that the agent's transcript tells of is cleaned, though the main agent speaks of it too", async () => {
	const told = result('Full output saved to: /x/tool-results/b1.txt');
	const { looking, holding } = await written({
		[`config/projects/-p/${SESSION}/tool-results/b1.txt`]: CATALOG,
		[`config/projects/-p/${SESSION}/subagents/agent-${AGENT}.jsonl`]: load(CATALOG) + told,
		[`config/projects/-p/${SESSION}.jsonl`]: told,
	});
	await cleanAgentTraces(looking);
	expect(holding()).toEqual([]);
});

test('of 20,000 files, twice as many take twice as long', async () => {
	const since = Date.now();
	const sceneOf = async (count: number) => {
		const scene = await written({});
		for (let n = 0; n < count; n++) {
			const project = join(scene.folder, `config/projects/-p/${Math.floor(n / 100)}`);
			if (n % 100 === 0) mkdirSync(project, { recursive: true });
			writeFileSync(join(project, `${n}.jsonl`), '');
		}
		return scene;
	};
	const [half, whole] = [await sceneOf(10_000), await sceneOf(20_000)];
	await expectLinear(20_000, (count) => async () => {
		const { looking, holding } = count === 20_000 ? whole : half;
		await cleanAgentTraces({ ...looking, since });
		expect(holding()).toEqual([]);
	});
});

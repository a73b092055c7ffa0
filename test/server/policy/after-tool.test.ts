import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../../server/claude-code/hooks.ts';
import { createGuard, type GuardInTest, hookEvent, SCANNER } from '../../support/guard.ts';

const CATALOG =
	'# Names\n\n- Zebulon Quux-Marker\n- Aloysia Brandenburgh\n- Wendelin Oberholtzer\n- Isidor Vandergelder\n';

const PROSE =
	'The vault combination is written below the third stone of the garden wall near the old mill, and nobody but the gardener knows.';

const CLAUDE = { client: { name: 'claude-code', version: '2.1.332' }, toolUseId: undefined };

const WITHHELD = expect.stringMatching(/^result_withheld: /);

function guardWithFile(): GuardInTest {
	const entry = { path: 'a.md', agents: undefined };
	const made = createGuard({
		entries: new Map([
			['k', entry],
			['p', { ...entry, path: 'p.md' }],
		]),
		off: [],
		allowTools: [],
		isolation: [],
	});
	made.setting.files = { '/private/a.md': CATALOG, '/private/p.md': PROSE };
	return made;
}

/** The main agent gets a result. */
function resultEvent(tool_name: string, response: unknown, fields: Partial<HookEvent> = {}): HookEvent {
	const tool = { tool_name, tool_use_id: 't1', tool_input: '{}', tool_response: JSON.stringify(response) };
	return hookEvent('PostToolUse', { ...tool, agent_id: '', agent_type: '', ...fields });
}

async function outputOf({ guard }: GuardInTest, event: HookEvent): Promise<unknown> {
	const { hookSpecificOutput } = await guard.answer(event, CLAUDE);
	return hookSpecificOutput?.updatedToolOutput;
}

describe('a result that repeats a private file', () => {
	test.each([
		[
			'Bash',
			{ stdout: CATALOG, stderr: '', interrupted: false, isImage: false },
			{ stdout: WITHHELD, stderr: '', interrupted: false, isImage: false },
		],
		['Bash without blanks', { stdout: PROSE.replace(/\s/g, ''), stderr: '' }, { stdout: WITHHELD, stderr: '' }],
		[
			'Read',
			{ type: 'text', file: { filePath: '/project/a.txt', content: CATALOG, numLines: 6 } },
			{ type: 'text', file: { filePath: '/project/a.txt', content: WITHHELD, numLines: 6 } },
		],
		[
			'Grep',
			{ mode: 'content', numFiles: 0, filenames: [], content: CATALOG.replace(/^/gm, 'a.txt:3:'), numLines: 6 },
			{ mode: 'content', numFiles: 0, filenames: [], content: WITHHELD, numLines: 6 },
		],
		['mcp__docs__give', [{ type: 'text', text: CATALOG }], [{ type: 'text', text: WITHHELD }]],
		[
			'mcp__docs__lines',
			CATALOG.split('\n').map((text) => ({ type: 'text', text })),
			[{ type: 'text', text: WITHHELD }],
		],
		['mcp__docs__structured', { lines: CATALOG.split('\n') }, WITHHELD],
		['Monitor', CATALOG, WITHHELD],
		['Null', { error: null, more: CATALOG }, { error: null, more: WITHHELD }],
		['Tool', [CATALOG, { more: CATALOG, status: 'done' }], [WITHHELD, { more: '[withheld]', status: 'done' }]],
	])('is withheld in its shape: %s', async (tool, response, expected) => {
		const event = resultEvent(tool, response, { tool_input: '{"file_path":"/project/a.txt"}' });
		expect(await outputOf(guardWithFile(), event)).toEqual(expected);
	});

	test('is withheld where its lines are names of fields', async () => {
		const lines = Object.fromEntries(CATALOG.split('\n').map((line) => [line, true]));
		expect(await outputOf(guardWithFile(), resultEvent('mcp__docs__lines', lines))).toEqual(WITHHELD);
	});

	test('is withheld however deep it lies, and among however many values', async () => {
		const made = guardWithFile();
		const deep = `${'['.repeat(100_000)}${JSON.stringify(CATALOG)}${']'.repeat(100_000)}`;
		const event = resultEvent('mcp__docs__deep', '');
		expect(await outputOf(made, { ...event, tool_response: deep })).toEqual([{ type: 'text', text: WITHHELD }]);
		const wide = [...Array<number>(300_000).fill(1), CATALOG];
		expect(await outputOf(made, resultEvent('mcp__docs__wide', wide))).toEqual([{ type: 'text', text: WITHHELD }]);
	});

	test('passes if it says no more than the call did', async () => {
		const tool_input = JSON.stringify({ file_path: '/project/a.txt', content: CATALOG });
		const { guard } = guardWithFile();
		const event = resultEvent(
			'Write',
			{ type: 'create', filePath: '/project/a.txt', content: CATALOG },
			{ tool_input },
		);
		expect(await guard.answer(event, CLAUDE)).toEqual({});
	});

	test('is told to the person, with the switch', async () => {
		const { guard } = guardWithFile();
		const { systemMessage } = await guard.answer(resultEvent('Bash', { stdout: CATALOG }), CLAUDE);
		expect(systemMessage).toBe(
			'Context Broker: A result of Bash repeats /private/a.md, so the main agent does not get it. To switch this protection off: results = false under [guard] in /config/context-map.toml',
		);
	});

	test('reaches who has loaded that file, here or in an earlier process, and nobody else', async () => {
		const made = guardWithFile();
		const { guard, loads } = made;
		const caller = { session: 's1', agent: 'a1', type: SCANNER, transcript: '/t.jsonl' };
		await guard.note({ key: 'k', caller }, '/private/a.md', CATALOG, true);
		const scanner = { agent_id: 'a1', agent_type: SCANNER };
		expect(await outputOf(made, resultEvent('Bash', CATALOG, scanner))).toBeUndefined();
		expect(await outputOf(made, resultEvent('Bash', PROSE, scanner))).toEqual(WITHHELD);
		expect(await outputOf(made, resultEvent('Bash', CATALOG, { ...scanner, agent_id: 'a2' }))).toEqual(WITHHELD);
		expect(await outputOf(made, resultEvent('Bash', CATALOG))).toEqual(WITHHELD);
		loads.push({ session: 's0', agent: 'a3', type: SCANNER, transcript: '/t.jsonl', since: 0, isPrivate: true });
		expect(await outputOf(made, resultEvent('Bash', CATALOG, { ...scanner, agent_id: 'a3' }))).toBeUndefined();
		const ofReader = { path: 'p.md', agents: ['reader'] };
		made.setting.map = { ...made.setting.map, entries: new Map([...made.setting.map.entries, ['p', ofReader]]) };
		expect(await outputOf(made, resultEvent('Bash', PROSE, { ...scanner, agent_id: 'a3' }))).toEqual(WITHHELD);
	});

	test('is withheld if the broker can not look at it, unless there is nothing to compare it with', async () => {
		const made = guardWithFile();
		expect(await outputOf(made, resultEvent('Bash', { stdout: 'a' }))).toBeUndefined();
		made.setting.failure = new RangeError('private');
		const { systemMessage, ...answer } = await made.guard.answer(resultEvent('Bash', { stdout: 'a b' }), CLAUDE);
		expect(JSON.stringify(answer)).toMatch(/"stdout":"internal_error: /);
		expect(systemMessage).toContain('A result of Bash was withheld because it could not be compared');

		const { guard, setting } = createGuard({ entries: new Map(), off: [], allowTools: [], isolation: [] });
		setting.failure = new RangeError('private');
		expect(await guard.answer(resultEvent('Bash', { stdout: 'a b' }), CLAUDE)).toEqual({});
	});

	test('passes if results are not looked at', async () => {
		const made = guardWithFile();
		made.setting.map = { ...made.setting.map, off: ['results'] };
		expect(await outputOf(made, resultEvent('Bash', CATALOG))).toBeUndefined();
	});
});

test('a result that holds names of it alone passes', async () => {
	const json = JSON.stringify({ users: ['Isidor Vandergelder', 'Zebulon Quux-Marker', 'Wendelin Oberholtzer'] });
	expect(await outputOf(guardWithFile(), resultEvent('Bash', { stdout: json }))).toBeUndefined();
});

test('of what a failed call has shown the person is told, and the caller holds private data', async () => {
	const { guard, marked, setting } = guardWithFile();
	const fields = { tool_name: 'Bash', tool_use_id: 't1', error: `Exit code 1\n${CATALOG}` };
	const event = hookEvent('PostToolUseFailure', { ...fields, agent_id: '', agent_type: '' });
	const { systemMessage } = await guard.answer(event, CLAUDE);
	expect(systemMessage).toMatch(
		/^Context Broker: A failed call of Bash has shown \/private\/a\.md to the main agent\. /,
	);
	expect([...marked]).toEqual(['s1', 's1\0main']);
	expect(await guard.answer({ ...event, error: 'Exit code 1' }, CLAUDE)).toEqual({});

	marked.clear();
	const [[key, entry] = ['', undefined]] = setting.map.entries;
	setting.map = {
		...setting.map,
		entries: new Map([
			[key, { path: 'a.md', agents: entry?.agents, isPrivate: false }],
			['p', { path: 'p.md', agents: undefined }],
		]),
	};
	const isMarked = async () => {
		expect((await guard.answer(event, CLAUDE)).systemMessage).toContain('A failed call');
		return marked.size > 0;
	};
	expect(await isMarked()).toBe(false);
	// Two keys for one file, of which one is private; and a file of which a faulty map tells no more than the path.
	setting.map = {
		...setting.map,
		entries: new Map(setting.map.entries).set('again', { path: 'a.md', agents: undefined }),
	};
	expect(await isMarked()).toBe(true);
	marked.clear();
	setting.map = { ...setting.map, entries: new Map(), paths: ['a.md'] };
	expect(await isMarked()).toBe(true);
});

test('without keys no file is looked for', async () => {
	const { guard, setting, state } = guardWithFile();
	setting.map = { ...setting.map, entries: new Map() };
	await guard.answer(resultEvent('Bash', CATALOG), CLAUDE);
	expect(await state.privateFiles.repeatedIn(CATALOG, [])).toBeUndefined();
});

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LOAD_CONTEXT } from '../../../server/claude-code/tools.ts';
import { ContextMap } from '../../../server/context-map/context-map.ts';
import { BrokerError } from '../../../server/errors.ts';
import { guardTool } from '../../../server/tools/guard.ts';
import { loadContext } from '../../../server/tools/load-context.ts';
import type { Tool, ToolCall } from '../../../server/tools/tool.ts';
import { createGuard, SCANNER } from '../../support/guard.ts';
import { runs } from '../../support/runs.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Stands in every private text, and in nothing else. */
const MARK = 'zarquon';

const CLAUDE_CODE = { name: 'claude-code', version: '2.1.332' };
const TOO_OLD = { ...CLAUDE_CODE, version: '2.1.125' };
const OTHERS = [
	undefined,
	TOO_OLD,
	{ ...CLAUDE_CODE, version: '2.1.200' },
	{ name: 'another-client', version: '1.0.0' },
];

const FILES = ['a.md', 'b.md', 'c.md'];
const KEYS = ['catalog', 'notes', 'hosts', 'constructor', 'none'];
const AGENTS = [SCANNER, 'reader', 'other:reader', 'toString'];
const EVENTS = [
	'PostToolUse',
	'PostToolUseFailure',
	'SubagentStop',
	'UserPromptSubmit',
	'SessionStart',
	'pretooluse',
	'',
];
const TOOLS = [
	'load_context',
	'mcp__other__load_context',
	`${LOAD_CONTEXT} `,
	'Read',
	'Bash',
	'SendMessage',
	'Agent',
	'',
];
const INPUTS = ['', 'null', '[]', '"catalog"', '{"key":1}', '{"key":["catalog"]}', '{"key":', '{"Key":"catalog"}'];
const NESTED = ['{"__proto__":{"key":"catalog"}}', '{"input":{"key":"catalog"}}', '{"key":null,"key ":"catalog"}'];

type Fields = Readonly<Record<string, unknown>>;

/** Most often the first; of the others each as often as any. */
function mostly<T>(usual: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]): fc.Arbitrary<T> {
	return fc.oneof({ arbitrary: usual, weight: 3 * others.length }, ...others);
}

/** One thing that is wrong with an event. */
const wrong: fc.Arbitrary<Fields> = fc.oneof(
	fc.constantFrom<Fields>({ agent_id: '', agent_type: '' }, { agent_type: '' }, { agent_id: '' }, { tool_use_id: '' }),
	fc.record({ hook_event_name: fc.constantFrom(...EVENTS, undefined) }),
	fc.record({ tool_name: fc.constantFrom(...TOOLS) }),
	fc.record({ tool_input: fc.constantFrom(...INPUTS, ...NESTED, undefined) }),
	fc.record({ agent_type: fc.constantFrom(...AGENTS, 'general-purpose', undefined) }),
	fc
		.tuple(
			fc.constantFrom('session_id', 'agent_id', 'tool_use_id', 'tool_input', 'more', 'constructor', 'Tool_name'),
			fc.constantFrom(null, 1, [], {}, true),
		)
		.map(([name, value]) => ({ [name]: value })),
);

const client = fc.oneof({ arbitrary: fc.constant(CLAUDE_CODE), weight: 40 }, fc.constantFrom(...OTHERS));
const life = fc.constantFrom(0, 1);

/** A hook asks before a load. */
const ask = fc.record({
	life,
	client,
	id: fc.constantFrom('toolu_1', 'toolu_2', 'toolu_3', 'toolu_4'),
	key: fc.constantFrom(...KEYS.slice(0, 3), ...KEYS),
	agent: fc.constantFrom('a1', 'a2', 'a3'),
	wrong: mostly(fc.constant({}), wrong),
	/** A model asks in the place of a hook. */
	use: fc.oneof({ arbitrary: fc.constant(undefined), weight: 20 }, fc.constantFrom('', 'toolu_model')),
});

/** A call comes: as the one of so many hooks ago, now and then of the other process. */
const call = fc.record({
	life,
	isForeign: fc.oneof({ arbitrary: fc.constant(false), weight: 10 }, fc.constant(true)),
	client,
	back: mostly(fc.constant(0), fc.nat(3)),
	id: fc.oneof({ arbitrary: fc.constant('same'), weight: 20 }, fc.constantFrom(undefined, '', 'none')),
	input: fc.oneof(
		{ arbitrary: fc.constant('same'), weight: 20 },
		fc.record({ key: fc.constantFrom<unknown>(...KEYS, 1, null, ['catalog']) }),
		fc.constantFrom<Fields>({}, { key: 'catalog', more: 1 }),
	),
});

/** Something else happens. */
const change = fc.oneof(
	fc.record({ wait: fc.constantFrom(1, 1, 1, 900, 20_000, 59_999, 60_000) }),
	fc.record({ clock: fc.integer({ min: -5e9, max: 5e9 }) }),
	fc.record({ file: fc.constantFrom(...FILES), text: fc.option(fc.nat()) }),
	fc.record({
		key: fc.constantFrom(...KEYS.slice(0, -1)),
		entry: fc.option(
			fc.record({
				file: fc.constantFrom(...FILES),
				agents: fc.option(fc.uniqueArray(fc.constantFrom(...AGENTS), { minLength: 1 }), { nil: undefined }),
			}),
		),
	}),
	fc.oneof(
		{ arbitrary: fc.record({ launched: fc.constant('a3') }), weight: 3 },
		fc.record({ map: fc.constantFrom(undefined, 'keys = [') }),
	),
);

type Ask = typeof ask extends fc.Arbitrary<infer Value> ? Value : never;
type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never;
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** What is under way at the same time, and what happens before. */
const history = fc.array(
	fc.record({
		before: fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, change),
		together: fc.oneof(
			{ arbitrary: fc.tuple(fc.oneof(ask, call)), weight: 3 },
			fc.array(fc.oneof(ask, call), { minLength: 2, maxLength: 6 }),
		),
	}),
	{ minLength: 10, maxLength: 60 },
);

/** What the README promises of who may load, said once more and without the guard's means. */
class Rules {
	/** What the user has. Undefined where the map can't be read. */
	entries: Map<string, { readonly file: string; readonly agents: readonly string[] | undefined }> | undefined;
	readonly texts = new Map<string, string>();
	/** Milliseconds of a clock that is never set back. */
	now = 0;

	/** What an event is answered with; `open` if there is nothing to say. */
	event({ approved, background }: Life, fields: Fields, isTooOld: boolean): 'allow' | 'deny' | 'open' | 'invalid' {
		const isUnknown = ['more', 'constructor', 'Tool_name'].some((name) => Object.hasOwn(fields, name));
		if (isUnknown || Object.values(fields).some((value) => typeof value !== 'string')) return 'invalid';
		const { hook_event_name: event, tool_name: tool, ...rest } = fields as Readonly<Record<string, string>>;
		if (event === undefined) return 'invalid';
		if (event !== 'PreToolUse' || tool !== LOAD_CONTEXT) return 'open';
		const { tool_use_id: id = '', agent_type: agent = '', agent_id = '', tool_input = '' } = rest;
		approved.delete(id);
		const key = keyIn(tool_input);
		const mayLoad = !isTooOld && id !== '' && agent !== '' && !background.has(agent_id);
		if (!mayLoad || typeof key !== 'string' || !this.#isEntitled(agent, key)) return 'deny';
		approved.set(id, { key, agent, at: this.now });
		return 'allow';
	}

	/** What a call gives: a text, or one of these codes. */
	call({ approved }: Life, id: string | undefined, { key, ...others }: Fields, isTooOld: boolean): string | string[] {
		if (typeof key !== 'string' || Object.keys(others).length > 0) return ['invalid_arguments'];
		const approval = approved.get(id ?? '');
		approved.delete(id ?? '');
		if (isTooOld) return ['client_too_old'];
		if (approval?.key !== key || this.now - approval.at >= 60_000) return ['caller_unverified'];
		if (this.entries === undefined) return ['config_missing', 'config_invalid'];
		if (!this.#isEntitled(approval.agent, key)) return ['unknown_key', 'agent_not_listed'];
		return this.texts.get(this.entries.get(key)?.file ?? '') ?? ['file_missing'];
	}

	#isEntitled(agent: string, key: string): boolean {
		const entry = this.entries?.get(key);
		return entry !== undefined && (entry.agents ?? [SCANNER]).includes(agent);
	}
}

function keyIn(json: string): unknown {
	try {
		return Object.entries(Object(JSON.parse(json)) as object).find(([name]) => name === 'key')?.[1];
	} catch {
		return undefined;
	}
}

/** A broker process of the user. */
interface Life {
	readonly setting: { now: number; clock: number };
	readonly load: Tool;
	readonly guard: Tool;
	/** What hooks have asked about, and what the last of them has approved. */
	readonly asked: { readonly id: string; readonly key: string }[];
	readonly approved: Map<string, { readonly key: string; readonly agent: string; readonly at: number }>;
	/** The agents that were started in the background, where nobody sees their answers. */
	readonly background: Set<string>;
}

function begin(folder: string): Life {
	const map = new ContextMap(join(folder, 'context-map.toml'), folder);
	const { state, setting } = createGuard(map);
	state.client.identify(CLAUDE_CODE);
	const rest = { asked: [], approved: new Map(), background: new Set<string>() };
	return { setting, load: loadContext(map, state), guard: guardTool(state), ...rest };
}

async function happen(change: Change, folder: string, lives: readonly Life[], rules: Rules): Promise<void> {
	if ('wait' in change) rules.now += change.wait;
	for (const { setting } of lives) {
		setting.now = rules.now;
		if ('clock' in change) setting.clock += change.clock;
	}
	if ('launched' in change) {
		const tool_response = JSON.stringify({ status: 'async_launched', agentId: change.launched });
		const event = { hook_event_name: 'PostToolUse', tool_name: 'Agent', agent_id: 'a1', tool_response };
		for (const life of lives) {
			await answerOf(life.guard, event, callOf(CLAUDE_CODE, undefined));
			life.background.add(change.launched);
		}
	} else if ('file' in change) {
		rules.texts.delete(change.file);
		if (change.text === null) return await rm(join(folder, change.file), { force: true });
		rules.texts.set(change.file, `# Private\n\n- ${MARK} ${change.text}\n`);
		await writeFile(join(folder, change.file), rules.texts.get(change.file) ?? '');
	} else if ('map' in change) {
		rules.entries = undefined;
		if (change.map === undefined) return await rm(join(folder, 'context-map.toml'), { force: true });
		await writeFile(join(folder, 'context-map.toml'), change.map);
	} else if ('key' in change) {
		rules.entries ??= new Map();
		if (change.entry === null) rules.entries.delete(change.key);
		else rules.entries.set(change.key, change.entry);
		const tables = [...rules.entries].map(([key, { file, agents }]) => {
			return `[keys.${key}]\npath = "${file}"\n${agents === undefined ? '' : `agents = ${JSON.stringify(agents)}\n`}`;
		});
		await writeFile(join(folder, 'context-map.toml'), `[keys]\n${tables.join('\n')}`);
	}
}

/** Has the client ask for a hook, or a model try to. */
async function tell(life: Life, { client, id, key, agent, use, ...step }: Ask, rules: Rules): Promise<void> {
	const call = callOf(client, use);
	expect(life.guard.isVisibleTo?.(call)).toBe(use === undefined);
	if (use !== undefined) return;
	const tool = { tool_name: LOAD_CONTEXT, tool_use_id: id, tool_input: JSON.stringify({ key }) };
	const agent_type = rules.entries?.get(key)?.agents?.[0] ?? SCANNER;
	const all: Fields = {
		hook_event_name: 'PreToolUse',
		session_id: 's1',
		agent_id: agent,
		agent_type,
		...tool,
		...step.wrong,
	};
	const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
	life.asked.unshift({ id, key });
	const expected = rules.event(life, fields, client === TOO_OLD);
	const { text, isError } = await answerOf(life.guard, fields, call);
	const got = /"permissionDecision":"(\w+)"/.exec(text)?.[1] ?? (isError ? 'invalid' : 'open');
	if (expected === 'open') expect(['open', 'deny']).toContain(got);
	else expect(got).toBe(expected);
	expect(text).not.toContain(MARK);
}

/** @returns whether there was content to give */
async function load(
	life: Life,
	{ client, id, input }: Call,
	use: Life['asked'][number],
	rules: Rules,
): Promise<boolean> {
	const toolUseId = id === 'same' ? use.id : id;
	const given = typeof input === 'string' ? { key: use.key } : input;
	const expected = rules.call(life, toolUseId, given, client === TOO_OLD);
	const { text, isError } = await answerOf(life.load, given, callOf(client, toolUseId));
	if (typeof expected === 'string') expect({ text, isError }).toEqual({ text: expected, isError: false });
	else {
		expect(expected).toContain(text.split(':')[0]);
		expect(text).not.toContain(MARK);
	}
	return typeof expected === 'string';
}

function callOf(client: Ask['client'], toolUseId: string | undefined): ToolCall {
	return { client, toolUseId, signal: new AbortController().signal, progress: undefined };
}

/** As the server makes it of what a tool gives or throws. */
async function answerOf(tool: Tool, input: Fields, call: ToolCall): Promise<{ text: string; isError: boolean }> {
	try {
		return { text: (await tool.call(input, call)).text, isError: false };
	} catch (error) {
		return { text: BrokerError.from(error).text, isError: true };
	}
}

test('in every history of two processes, exactly the calls with a fresh approval get content, each once', async () => {
	const root = await temporaryFolder();
	let [steps, loads] = [0, 0];
	await fc.assert(
		fc.asyncProperty(history, async (batches) => {
			const folder = await temporaryFolder(root);
			const lives = [begin(folder), begin(folder)] as const;
			const rules = new Rules();
			for (const [at, file] of FILES.entries()) {
				const entry = { file, agents: [undefined, ['reader', SCANNER], ['other:reader']][at] };
				for (const first of [
					{ file, text: at },
					{ key: KEYS[at] ?? '', entry },
				])
					await happen(first, folder, lives, rules);
			}
			for (const { before, together } of batches) {
				if (before !== undefined) await happen(before, folder, lives, rules);
				// What is under way at the same time is about different tool uses: its order makes no difference.
				const begun = new Set<string | undefined>();
				const running = together.map(async (step) => {
					const [own, other] = step.life === 0 ? lives : [lives[1], lives[0]];
					const use = 'back' in step ? (step.isForeign ? other : own).asked[step.back] : step;
					if (use === undefined || begun.has(use.id)) return false;
					begun.add(use.id);
					steps += 1;
					return 'back' in step ? await load(own, step, use, rules) : await tell(own, step, rules);
				});
				loads += (await Promise.all(running)).filter(Boolean).length;
			}
		}),
		{ numRuns: runs(60) },
	);
	expect(loads).toBeGreaterThan(steps / 50);
});

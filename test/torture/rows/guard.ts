import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOAD_CONTEXT } from '../../../server/claude-code/tools.ts';
import { ContextMap } from '../../../server/context-map/context-map.ts';
import { BrokerError } from '../../../server/errors.ts';
import { guardTool } from '../../../server/tools/guard.ts';
import { loadContext } from '../../../server/tools/load-context.ts';
import type { Tool, ToolCall } from '../../../server/tools/tool.ts';
import { createGuard, SCANNER } from '../../support/guard.ts';
import type { Random } from '../random.ts';
import type { Row } from '../row.ts';
import { withFolder } from '../support/folder.ts';
import { type Fields, LoadRules, type Place } from '../support/load-rules.ts';

/** Events and calls that one try is made of: the life of two broker processes of one user. */
const STEPS = 200;

/** Stands in every private text, and in nothing else. */
const MARK = 'zarquon';

const CLAUDE_CODE = { name: 'claude-code', version: '2.1.332' };
/** The others are what a process does not see, or once in its life. */
const CLIENTS = [...Array(40).fill(CLAUDE_CODE), { ...CLAUDE_CODE, version: '2.1.200' }, undefined] as const;
const TOO_OLD = { ...CLAUDE_CODE, version: '2.1.125' };
const ANOTHER = { name: 'another-client', version: '1.0.0' };

const KEYS = ['catalog', 'notes', 'hosts', 'open', 'constructor', 'none'];
const AGENTS = [SCANNER, 'reader', 'other:reader', 'general-purpose', 'toString'];
const FILES = ['a.md', 'b.md', 'c.md'];
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
	...['load_context', 'mcp__other__load_context', `${LOAD_CONTEXT} `, `${LOAD_CONTEXT}_`, 'Read', 'Bash', 'WebFetch'],
	...['SendMessage', 'Agent', 'mcp__plugin_context-broker_broker__run_shell_command', ''],
];
const INPUTS = ['', 'null', '[]', '"catalog"', '{"key":1}', '{"key":["catalog"]}', '{"key":', '{"Key":"catalog"}'];
const NESTED = ['{"__proto__":{"key":"catalog"}}', '{"input":{"key":"catalog"}}', '{"key":null,"key ":"catalog"}'];
const ARGUMENTS: readonly Fields[] = [{}, { key: 1 }, { key: null }, { key: ['catalog'] }, { key: 'catalog', more: 1 }];
const WAITS = [1, 1, 1, 50, 900, 20_000, 59_000, 59_999, 60_001, 3_600_000];

export const guardEventsAndCalls: Row = {
	name: 'guard events and calls',
	holds: 'content with a fresh approval for it, and never without; no wrong refusal',
	full: 20_000,
	short: 3_000,
	seconds: [60, 10],
	run: async (run) => {
		let [steps, loads] = [0, 0];
		for (let at = 0; at * STEPS < run.count && !run.isLate(); at++) {
			loads += await withFolder((folder) => {
				return new Lives(folder, run.random(at), (what) => run.fail(at, what)).run(STEPS);
			});
			steps += STEPS;
			run.tried(STEPS);
		}
		if (loads * 20 < steps) run.fail(0, `only ${loads} loads were to succeed: the row tries too little`);
	},
};

/** A broker process, what it is to do, and the tool uses that it has heard of. */
interface Life {
	readonly setting: { now: number; clock: number };
	readonly rules: LoadRules;
	readonly load: Tool;
	readonly guard: Tool;
	readonly uses: { readonly id: string; readonly key: string }[];
	/** Those of which the call has not come yet. */
	readonly waiting: { readonly id: string; readonly key: string }[];
}

/** Two broker processes of one user, at the same time. */
class Lives {
	readonly #folder: string;
	readonly #random: Random;
	readonly #fail: (what: string) => void;
	readonly #place: Place = { entries: new Map(), files: new Map() };
	readonly #lives: readonly Life[];
	#uses = 0;
	#loads = 0;

	constructor(folder: string, random: Random, fail: (what: string) => void) {
		this.#folder = folder;
		this.#random = random;
		this.#fail = fail;
		this.#lives = [this.#begin(), this.#begin()];
		for (const file of FILES) this.#writeFile(file);
		this.#place.entries = new Map([
			['catalog', { file: 'a.md', agents: undefined }],
			['notes', { file: 'b.md', agents: ['reader', SCANNER] }],
			['hosts', { file: 'c.md', agents: ['other:reader'] }],
		]);
		this.#writeMap();
	}

	/** @returns how many loads there were that had to give the content */
	async run(steps: number): Promise<number> {
		for (let done = 0; done < steps; ) {
			this.#change();
			// What is under way at the same time is about different tool uses, so that its order makes no difference.
			const together = this.#random.chance(0.3) ? 2 + this.#random.below(6) : 1;
			const begun = new Set<string>();
			const running: Promise<void>[] = [];
			for (let n = 0; n < together && done < steps; n++, done++) {
				const step = this.#step();
				if (begun.has(step.id) || (together > 1 && step.isLaunch)) continue;
				begun.add(step.id);
				running.push(step.run());
			}
			await Promise.all(running);
		}
		return this.#loads;
	}

	#begin(): Life {
		const map = new ContextMap(join(this.#folder, 'context-map.toml'), this.#folder);
		const { state, setting } = createGuard(map);
		state.client.identify(CLAUDE_CODE);
		return {
			setting,
			rules: new LoadRules(this.#place),
			load: loadContext(map, state),
			guard: guardTool(state),
			uses: [],
			waiting: [],
		};
	}

	/** Time passes, a clock is set, the user edits. */
	#change(): void {
		const random = this.#random;
		for (const { setting } of this.#lives) {
			if (random.chance(0.08)) setting.now += random.pick(WAITS);
			if (random.chance(0.05)) setting.clock += (random.next() - 0.5) * 1e10;
		}
		if (random.chance(0.03)) {
			const file = random.pick(FILES);
			if (random.chance(0.7)) this.#writeFile(file);
			else {
				rmSync(join(this.#folder, file), { force: true });
				this.#place.files.delete(file);
			}
		}
		if (random.chance(0.04)) {
			this.#place.entries ??= new Map();
			const key = random.pick(KEYS.slice(0, -1));
			const agents = random.chance(0.3) ? undefined : AGENTS.filter(() => random.chance(0.5));
			if (random.chance(0.3)) this.#place.entries.delete(key);
			else if (agents?.length !== 0) this.#place.entries.set(key, { file: random.pick(FILES), agents });
			this.#writeMap();
		}
		if (random.chance(0.005)) {
			this.#place.entries = undefined;
			if (random.chance(0.5)) rmSync(join(this.#folder, 'context-map.toml'), { force: true });
			else writeFileSync(join(this.#folder, 'context-map.toml'), 'keys = [');
		}
	}

	#writeFile(file: string): void {
		const text = `# Private\n\n- ${MARK} ${this.#random.below(1e9)}\n`;
		writeFileSync(join(this.#folder, file), text);
		this.#place.files.set(file, text);
	}

	#writeMap(): void {
		const tables = [...(this.#place.entries ?? [])].map(([key, { file, agents }]) => {
			const rest = agents === undefined ? '' : `agents = ${JSON.stringify(agents)}\n`;
			return `[keys.${key}]\npath = "${file}"\n${rest}${key === 'open' ? 'private = false\n' : ''}`;
		});
		writeFileSync(join(this.#folder, 'context-map.toml'), `[keys]\n${tables.join('\n')}`);
	}

	#step(): { readonly id: string; readonly isLaunch?: boolean; readonly run: () => Promise<void> } {
		const random = this.#random;
		const life = random.pick(this.#lives);
		if (random.chance(0.5)) return this.#callStep(life);
		if (random.chance(0.02)) return this.#launchStep(life);
		const again = random.chance(0.2) ? this.#anyUse(life) : undefined;
		this.#uses += 1;
		const key = random.pick(random.chance(0.8) ? [...(this.#place.entries?.keys() ?? KEYS)] : KEYS) ?? 'none';
		const use = { id: again?.id ?? `toolu_${this.#uses}`, key };
		const fields = this.#event(use);
		life.uses.push(use);
		life.waiting.push(use);
		return { id: String(fields.tool_use_id), run: () => this.#tell(life, fields) };
	}

	#callStep(life: Life): { readonly id: string; readonly run: () => Promise<void> } {
		const random = this.#random;
		const waiting = random.chance(0.8) ? life.waiting.pop() : life.waiting.shift();
		const use = (random.chance(0.7) ? waiting : this.#anyUse(random.pick(this.#lives))) ?? {
			id: 'none',
			key: 'catalog',
		};
		const key = random.chance(0.9) ? use.key : random.pick(KEYS);
		const input = random.chance(0.03) ? random.pick(ARGUMENTS) : { key };
		const id = random.chance(0.03) ? random.pick([undefined, '', 'none', `${use.id} `]) : use.id;
		return { id: id ?? 'undefined', run: () => this.#load(life, id, input) };
	}

	/** A subagent starts another one in the background. */
	#launchStep(life: Life): { readonly id: string; readonly isLaunch: boolean; readonly run: () => Promise<void> } {
		const tool_response = JSON.stringify({ status: 'async_launched', agentId: this.#agentId() });
		const fields = { hook_event_name: 'PostToolUse', tool_name: 'Agent', agent_id: 'starter', tool_response };
		return { id: 'launch', isLaunch: true, run: () => this.#tell(life, fields) };
	}

	#anyUse(life: Life): Life['uses'][number] | undefined {
		return life.uses[this.#random.below(life.uses.length)];
	}

	#agentId(): string {
		return `a${this.#random.below(200).toString(16)}`;
	}

	/** The event before a load, right in most cases; else with one thing wrong. */
	#event({ id, key }: Life['uses'][number]): Fields {
		const random = this.#random;
		const session = `s${random.below(50)}`;
		const entry = this.#place.entries?.get(key);
		const fields: Record<string, unknown> = {
			hook_event_name: 'PreToolUse',
			session_id: session,
			transcript_path: `/home/jo/.claude/projects/-project/${session}.jsonl`,
			cwd: '/project',
			agent_id: this.#agentId(),
			agent_type: random.chance(0.7) ? random.pick(entry?.agents ?? [SCANNER]) : random.pick(AGENTS),
			tool_name: LOAD_CONTEXT,
			tool_use_id: id,
			tool_input: JSON.stringify({ key }),
		};
		if (random.chance(0.65)) return fields;
		const wrong: readonly (() => void)[] = [
			() => Object.assign(fields, { agent_id: '', agent_type: '' }),
			() => Object.assign(fields, { agent_type: '' }),
			() => Object.assign(fields, { agent_id: '' }),
			() => Object.assign(fields, { hook_event_name: random.pick(EVENTS) }),
			() => Object.assign(fields, { tool_name: random.pick(TOOLS) }),
			() => Object.assign(fields, { tool_input: random.pick([...INPUTS, ...NESTED]) }),
			() => Object.assign(fields, { [random.pick(Object.keys(fields))]: random.pick([null, 1, [], {}, true]) }),
			() => Object.assign(fields, { [random.pick(['more', 'constructor', 'Tool_name'])]: 'x' }),
			() => void delete fields[random.pick(Object.keys(fields))],
			() => Object.assign(fields, { tool_use_id: random.pick(['', `${id} `]) }),
		];
		random.pick(wrong)();
		return fields;
	}

	/** Has the client ask for a hook, or a model try to. */
	async #tell(life: Life, fields: Fields): Promise<void> {
		const random = this.#random;
		const call = callOf(random, random.chance(0.03) ? random.pick(['', 'toolu_model']) : undefined);
		if (life.guard.isVisibleTo?.(call) !== (call.toolUseId === undefined)) this.#fail('the guard is there for a model');
		if (call.toolUseId !== undefined) return;
		const expected = life.rules.event(fields, call.client === TOO_OLD, life.setting.now);
		const answer = await answerOf(life.guard, fields, call);
		const got = /"permissionDecision":"(\w+)"/.exec(answer.text)?.[1] ?? (answer.isError ? 'invalid' : 'open');
		const isRight = expected === 'open' ? got !== 'allow' && got !== 'invalid' : got === expected;
		if (!isRight) this.#fail(`an event is answered ${got} in place of ${expected}: ${JSON.stringify(fields)}`);
		if (answer.text.includes(MARK)) this.#fail(`the answer to an event holds content: ${JSON.stringify(fields)}`);
	}

	async #load(life: Life, id: string | undefined, input: Fields): Promise<void> {
		const call = callOf(this.#random, id);
		const expected = life.rules.call(id, input, call.client === TOO_OLD, life.setting.now);
		const { text, isError } = await answerOf(life.load, input, call);
		if ('text' in expected) {
			this.#loads += 1;
			if (isError || text !== expected.text) this.#fail(`${id} is refused: ${text.slice(0, 60)}`);
		} else if (!isError || text.includes(MARK)) this.#fail(`${id} is given content in place of ${expected.codes}`);
		else if (!expected.codes.some((code) => text.startsWith(`${code}:`))) {
			this.#fail(`${id} is told ${text.slice(0, 40)} in place of ${expected.codes}`);
		}
	}
}

function callOf(random: Random, toolUseId: string | undefined): ToolCall {
	const client = random.chance(0.02) ? random.pick([TOO_OLD, ANOTHER]) : random.pick(CLIENTS);
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

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_TOOLS } from '../../../server/claude-code/tools.ts';
import { ERROR_CODES } from '../../../server/errors.ts';
import { SCANNER } from '../../support/guard.ts';
import type { Random } from '../random.ts';
import type { Row, Run } from '../row.ts';
import {
	BrokerProcess,
	becomes,
	descriptorsOf,
	environmentOf,
	prepare,
	processesWith,
} from '../support/broker-process.ts';
import { withFolder } from '../support/folder.ts';
import { ROOT } from '../support/root.ts';

const SERVER = join(ROOT, 'test', 'support', 'recording-server.mjs');

/** Sessions that go on at the same time. */
const AT_ONCE = 2;

/** Descriptors by which a broker may have more at its end than at its start: those of one server on its way out. */
const SLACK = 3;

/** Milliseconds until what is over has to be gone. */
const GONE = 10_000;

/** What a call may be refused with where a server was just killed. */
const LOST = ['upstream_lost', 'upstream_unavailable', 'isolated_instance_unavailable'];

/** The JSON-RPC error of a tool that is not there. */
const UNKNOWN_TOOL = '-32602';

const SHOWN = ['', true] as const;

/** Env files, and whether the tool is there with them. */
const EXPOSURES: readonly (readonly [text: string, isShown: boolean])[] = [
	SHOWN,
	['CONTEXT_BROKER_ENABLED_TOOLS="default"\n', true],
	['CONTEXT_BROKER_ENABLED_TOOLS="load_context,s__echo"\n', true],
	['CONTEXT_BROKER_DISABLED_TOOLS="s__big"\n', true],
	['CONTEXT_BROKER_DISABLED_TOOLS="s__echo"\n', false],
	['CONTEXT_BROKER_DISABLED_TOOLS="s__*"\n', false],
	['CONTEXT_BROKER_ENABLED_TOOLS="load_context"\n', false],
];

export const upstreams: Row = {
	name: 'upstreams',
	holds: 'once private never an open call; each call answered or refused by a code; no orphan, no leaked descriptor',
	full: 5_000,
	short: 300,
	seconds: [150, 15],
	unavailable: () => (process.platform === 'linux' ? undefined : 'it looks into /proc'),
	run: async (run) => {
		await withFolder(async (folder) => {
			await prepare(folder, join(folder, 'data'));
			const slots = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, slot) => inARow(run, slot, folder)));
			for (const slot of slots) if (slot.status === 'rejected') throw slot.reason;
			const left = processesWith(folder);
			if (left.length > 0) run.fail(0, `${left.length} processes are left at the end`);
		});
	},
};

/** One session after the other. @param slot of those that go on at the same time */
async function inARow(run: Run, slot: number, folder: string): Promise<void> {
	for (let done = 0, at = slot; done < run.count / AT_ONCE && !run.isLate(); at += AT_ONCE) {
		const random = run.random(at);
		const events = Math.min(random.pick([20, 60, 60, 200]), run.count / AT_ONCE - done);
		const session = new Session(join(folder, `session-${at}`), join(folder, 'data'), random, (what) =>
			run.fail(at, what),
		);
		try {
			await session.run(events, () => run.isLate());
		} finally {
			await session.end('SIGKILL');
		}
		done += events;
		run.tried(events);
	}
}

/** A session of Claude Code with a server behind its broker, and what it has been through. */
class Session {
	readonly #folder: string;
	readonly #data: string;
	readonly #random: Random;
	readonly #fail: (what: string) => void;
	#broker: BrokerProcess | undefined;
	/** Descriptors of the broker, when all was started. */
	#descriptors = 0;
	#sent = 0;
	/** The number of the first call that came after private data was given out. */
	#privateFrom = Number.POSITIVE_INFINITY;
	#isShown = true;
	/** The calls of a tool that was not there. */
	readonly #hidden = new Set<number>();
	/** Calls of a tool that was there, and how many of them were answered. */
	#expected = 0;
	#answered = 0;

	constructor(folder: string, data: string, random: Random, fail: (what: string) => void) {
		this.#folder = folder;
		this.#data = data;
		this.#random = random;
		this.#fail = fail;
		mkdirSync(this.#config(), { recursive: true });
		writeFileSync(this.#config('catalog.md'), '# Catalog\n\n- Jane Example\n');
		const args = (which: string) => JSON.stringify([SERVER, this.#log(which)]);
		const server = `command = ${JSON.stringify(process.execPath)}\nargs = ${args('open')}\nargs_isolated = ${args('isolated')}\n`;
		writeFileSync(this.#config('context-map.toml'), `[keys]\nk = "catalog.md"\n[mcp_servers.s]\n${server}`);
	}

	async run(events: number, isLate: () => boolean): Promise<void> {
		await this.#start();
		for (let n = 0; n < events && !isLate(); n++) await this.#event();
		await this.#look();
		await this.end('in order');
		if (this.#answered * 4 < this.#expected) this.#fail('fewer than a quarter of the calls were answered');
	}

	/** Ends the broker, where there is one. */
	async end(how: 'in order' | 'SIGKILL'): Promise<void> {
		const broker = this.#broker;
		this.#broker = undefined;
		if (broker === undefined) return;
		await broker.end(how);
		const isGone = await becomes(() => processesWith(this.#log('')).length === 0, GONE);
		if (!isGone) this.#fail(`a server outlives its broker that ended: ${how}`);
	}

	async #start(): Promise<void> {
		const env = { ...environmentOf(this.#folder, this.#data), CLAUDE_CODE_SESSION_ID: this.#folder };
		this.#broker = await BrokerProcess.start(env);
		const isThere = await becomes(async () => processesWith(this.#log('')).length === 2, GONE);
		if (!isThere) this.#fail('the servers are not started');
		await becomes(async () => (await this.#echo()) !== UNKNOWN_TOOL || !this.#isShown, GONE);
		this.#descriptors = descriptorsOf(this.#broker.pid);
	}

	async #event(): Promise<void> {
		const random = this.#random;
		const what = random.next();
		if (what < 0.45) await this.#call();
		else if (what < 0.6) await this.#many();
		else if (what < 0.8) this.#kill();
		else if (what < 0.93) this.#edit();
		else if (what < 0.96) await this.#load();
		else if (what < 0.98) await this.#look();
		else {
			await this.#look();
			await this.end(random.chance(0.5) ? 'in order' : 'SIGKILL');
			// Else nobody could see when its tools are there.
			if (!this.#isShown) this.#edit(SHOWN);
			await this.#start();
		}
	}

	/** Calls at the same time, and something else in between. */
	async #many(): Promise<void> {
		const calls = Array.from({ length: 2 + this.#random.below(6) }, () => this.#call());
		if (this.#random.chance(0.4)) this.#kill();
		if (this.#random.chance(0.1)) calls.push(this.#load());
		calls.push(this.#call());
		await Promise.all(calls);
	}

	/** The answer counts: it has to be the one of this call, or a refusal with a known code. */
	async #call(): Promise<void> {
		const number = this.#sent;
		const isShown = this.#isShown;
		if (isShown) this.#expected += 1;
		else this.#hidden.add(number);
		const answer = await this.#echo();
		if (answer === JSON.stringify({ sent: number })) this.#answered += 1;
		else if (isShown ? !LOST.includes(answer) : answer !== UNKNOWN_TOOL) {
			const known = (ERROR_CODES as readonly string[]).includes(answer) || answer === UNKNOWN_TOOL;
			this.#fail(
				`a call of a tool that is ${isShown ? '' : 'not '}shown: ${known ? answer : 'an answer of no known kind'}`,
			);
		}
	}

	async #echo(): Promise<string> {
		const sent = this.#sent;
		this.#sent += 1;
		const [broker, use] = [this.#running, `toolu_${sent}`];
		// Without the hook before it, nobody knows which session a call is of.
		const event = { hook_event_name: 'PreToolUse', session_id: this.#folder, agent_id: 'a1', agent_type: SCANNER };
		const tool = { tool_name: `${OWN_TOOLS}s__echo`, tool_use_id: use, tool_input: JSON.stringify({ sent }) };
		await broker.call('guard', { ...event, ...tool });
		return await broker.call('s__echo', { sent }, use);
	}

	async #load(): Promise<void> {
		const given = await this.#running.load('k', `load_${this.#sent}_${this.#random.below(1e9)}`, this.#folder);
		// All env files of this row leave it shown.
		if (!given.includes('Jane Example')) this.#fail(`a load gives ${given.slice(0, 40)}`);
		this.#privateFrom = Math.min(this.#privateFrom, this.#sent);
	}

	#kill(): void {
		const [pid] = processesWith(this.#log(this.#random.pick(['open', 'isolated'])));
		try {
			if (pid !== undefined) process.kill(pid, 'SIGKILL');
		} catch (error) {
			// It has ended just now.
			if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
		}
	}

	#edit([text, isShown] = this.#random.pick(EXPOSURES)): void {
		writeFileSync(this.#config('.env'), text);
		this.#isShown = isShown;
	}

	/** What has to be so at any time. */
	async #look(): Promise<void> {
		const open = this.#numbersOf('open');
		const late = open.filter((number) => number >= this.#privateFrom);
		if (late.length > 0) this.#fail(`the open instance got ${late.length} calls of a private session`);
		const hidden = [...open, ...this.#numbersOf('isolated')].filter((number) => this.#hidden.has(number));
		if (hidden.length > 0) this.#fail(`a server got ${hidden.length} calls of a tool that is not shown`);
		let now = 0;
		const isFlat = await becomes(() => {
			now = descriptorsOf(this.#running.pid);
			return now <= this.#descriptors + SLACK;
		}, GONE);
		if (!isFlat) this.#fail(`the broker had ${this.#descriptors} descriptors at its start, and has ${now}`);
	}

	get #running(): BrokerProcess {
		if (this.#broker === undefined) throw new Error('the broker is not running');
		return this.#broker;
	}

	#numbersOf(which: string): number[] {
		const text = (() => {
			try {
				return readFileSync(this.#log(which), 'utf8');
			} catch {
				return ''; // It has got no call yet.
			}
		})();
		return [...text.matchAll(/^call echo \{"sent":(\d+)\}$/gm)].map(([, number]) => Number(number));
	}

	#log(which: string): string {
		return join(this.#folder, `calls-${which}`);
	}

	#config(name = ''): string {
		return join(this.#folder, '.config', 'context-broker', name);
	}
}

import type { ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OWN_TOOLS } from '../../../server/claude-code/tools.ts';
import {
	callRequest,
	conversation,
	guardRequest,
	initializeAs,
	loadRequest,
	type Message,
	outcomeOf,
	startBroker,
} from '../../support/broker.ts';
import { killAll, processesWith } from '../../support/processes.ts';
import { runs } from '../../support/runs.ts';
import { createRecording, type Recording, stdio } from '../../support/servers.ts';
import { createUser, type User } from '../../support/user.ts';

/** Descriptors that a broker may have more at its end than at its start: those of one server on its way out. */
const SLACK = 3;

/** What a call may be refused with if a server was just killed. */
const LOST = ['upstream_lost', 'upstream_unavailable', 'isolated_instance_unavailable'];

const UNKNOWN_TOOL = '-32602';

/** Env files, and whether the tool is there with them. */
const EXPOSURES: readonly (readonly [text: string, isShown: boolean])[] = [
	['', true],
	['CONTEXT_BROKER_ENABLED_TOOLS="default"\n', true],
	['CONTEXT_BROKER_ENABLED_TOOLS="load_context,s__echo"\n', true],
	['CONTEXT_BROKER_DISABLED_TOOLS="s__big"\n', true],
	['CONTEXT_BROKER_DISABLED_TOOLS="s__echo"\n', false],
	['CONTEXT_BROKER_DISABLED_TOOLS="s__*"\n', false],
	['CONTEXT_BROKER_ENABLED_TOOLS="load_context"\n', false],
];

type Instance = 'open' | 'isolated';

const INSTANCES: readonly Instance[] = ['open', 'isolated'];

/** What happens in a session. A call is one of the tool, a load one of the private file. */
const event = fc.oneof(
	{ arbitrary: fc.record({ calls: fc.constant(1) }), weight: 9 },
	{
		arbitrary: fc.record({
			calls: fc.integer({ min: 2, max: 7 }),
			killed: fc.option(fc.constantFrom(...INSTANCES), { nil: undefined }),
			loads: fc.oneof({ arbitrary: fc.constant(false), weight: 9 }, fc.constant(true)),
		}),
		weight: 3,
	},
	{ arbitrary: fc.record({ killed: fc.constantFrom(...INSTANCES) }), weight: 4 },
	{ arbitrary: fc.record({ edit: fc.constantFrom(...EXPOSURES) }), weight: 3 },
	{ arbitrary: fc.record({ loads: fc.constant(true) }), weight: 1 },
	{ arbitrary: fc.record({ ends: fc.constantFrom('in order', 'SIGKILL') }), weight: 1 },
);

/** Any of them. */
interface Event {
	readonly calls?: number;
	readonly killed?: Instance | undefined;
	readonly loads?: boolean;
	readonly edit?: (typeof EXPOSURES)[number];
	readonly ends?: string;
}

/** A session of Claude Code with a server behind its broker, and what it has been through. */
class Session {
	/** Calls of a tool that was there, and how many of them were answered. */
	expected = 0;
	answered = 0;
	readonly #user: User;
	readonly #recordings: Readonly<Record<Instance, Recording>>;
	#broker: (ReturnType<typeof conversation> & { readonly process: ChildProcess }) | undefined;
	/** Of the broker, when all was started. */
	#descriptors = 0;
	#sent = 0;
	/** The number of the first call that came after private data was given out. */
	#privateFrom = Number.POSITIVE_INFINITY;
	#isShown = true;
	/** The calls of a tool that was not there. */
	readonly #hidden = new Set<number>();

	constructor(user: User, recordings: Readonly<Record<Instance, Recording>>) {
		this.#user = user;
		this.#recordings = recordings;
	}

	async run(events: readonly Event[]): Promise<void> {
		await this.#start();
		for (const event of events) await this.#happen(event);
		await this.#look();
		await this.#end('in order');
	}

	async #happen({ calls = 0, killed, loads = false, edit, ends }: Event): Promise<void> {
		const running = Array.from({ length: calls }, () => this.#call());
		if (killed !== undefined) this.#kill(killed);
		if (loads) running.push(this.#load());
		await Promise.all(running);
		if (edit !== undefined) await this.#edit(edit);
		if (ends === undefined) return;
		await this.#look();
		await this.#end(ends);
		// Else nobody could see when its tools are there.
		if (!this.#isShown) await this.#edit(['', true]);
		await this.#start();
	}

	async #start(): Promise<void> {
		const broker = startBroker(this.#user.home, { CLAUDE_CODE_SESSION_ID: this.#user.home });
		this.#broker = { ...conversation(broker), process: broker.process };
		await this.#ask('initialize', initializeAs('claude-code', '2.1.332').params);
		await expect.poll(() => this.#servers()).toHaveLength(2);
		await expect.poll(async () => await this.#echo()).not.toBe(UNKNOWN_TOOL);
		this.#descriptors = this.#openDescriptors();
	}

	/** Ends the broker. Its servers end with it. */
	async #end(how: string): Promise<void> {
		if (how === 'SIGKILL') this.#broker?.process.kill(how);
		else await this.#broker?.finish();
		await expect.poll(() => this.#servers(), { interval: 20 }).toEqual([]);
	}

	/** The answer counts: it has to be the one of this call, or a refusal with a known code. */
	async #call(): Promise<void> {
		const number = this.#sent;
		const isShown = this.#isShown;
		if (isShown) this.expected += 1;
		else this.#hidden.add(number);
		const answer = await this.#echo();
		if (answer === JSON.stringify({ sent: number })) this.answered += 1;
		else expect(isShown ? LOST : [UNKNOWN_TOOL]).toContain(answer);
	}

	async #echo(): Promise<string> {
		const sent = this.#sent;
		this.#sent += 1;
		const use = `toolu_${sent}`;
		// Without the hook before it, nobody knows which session a call is of.
		const tool = { tool_name: `${OWN_TOOLS}s__echo`, tool_input: JSON.stringify({ sent }) };
		await this.#request(guardRequest(0, use, '', { session_id: this.#user.home, ...tool }));
		return outcomeOf(await this.#request(callRequest(0, 's__echo', { sent }, use)));
	}

	async #load(): Promise<void> {
		const use = `load_${this.#sent}_${Math.random()}`;
		await this.#request(guardRequest(0, use, 'k', { session_id: this.#user.home }));
		expect(outcomeOf(await this.#request(loadRequest(0, 'k', use)))).toContain('Jane Example');
		this.#privateFrom = Math.min(this.#privateFrom, this.#sent);
	}

	#kill(instance: Instance): void {
		killAll(processesWith(this.#recordings[instance].log));
	}

	async #edit([text, isShown]: (typeof EXPOSURES)[number]): Promise<void> {
		await this.#user.write('.env', text);
		this.#isShown = isShown;
	}

	/** What has to be so at any time. */
	async #look(): Promise<void> {
		const [open = [], isolated = []] = await Promise.all(INSTANCES.map((each) => numbersOf(this.#recordings[each])));
		expect(open.filter((number) => number >= this.#privateFrom)).toEqual([]);
		expect([...open, ...isolated].filter((number) => this.#hidden.has(number))).toEqual([]);
		await expect.poll(() => this.#openDescriptors()).toBeLessThanOrEqual(this.#descriptors + SLACK);
	}

	#request({ method, params }: ReturnType<typeof callRequest>): Promise<Message> {
		return this.#ask(method, params);
	}

	async #ask(method: string, params: object): Promise<Message> {
		if (this.#broker === undefined) throw new Error('the broker is not running');
		return await this.#broker.ask(method, params);
	}

	#servers(): number[] {
		return INSTANCES.flatMap((each) => processesWith(this.#recordings[each].log));
	}

	#openDescriptors(): number {
		return readdirSync(`/proc/${this.#broker?.process.pid}/fd`).length;
	}
}

async function numbersOf(recording: Recording): Promise<number[]> {
	const calls = (await recording.lines()).map((line) => /^call echo \{"sent":(\d+)\}$/.exec(line)?.[1]);
	return calls.filter((number) => number !== undefined).map(Number);
}

test.skipIf(process.platform !== 'linux')(
	'whatever happens in a session, no call of a private one is on the open instance, and nothing is left over',
	async () => {
		let [expected, answered] = [0, 0];
		await fc.assert(
			fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 50 }), async (events) => {
				const user = await createUser();
				const [open, isolated] = [await createRecording(), await createRecording()];
				await user.write('catalog.md', '# Catalog\n- Jane Example\n');
				await user.writeMap(`[keys]\nk = "catalog.md"\n[mcp_servers.s]\n${stdio(open, isolated)}`);
				const session = new Session(user, { open, isolated });
				await session.run(events);
				expected += session.expected;
				answered += session.answered;
			}),
			{ numRuns: runs(6), endOnFailure: true },
		);
		expect(answered).toBeGreaterThan(expected / 4);
	},
);

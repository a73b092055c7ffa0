import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentRecord } from '../claude-code/session-files.ts';
import type { Failure, Order, TracedAgent } from './orders.ts';

/** The process starts after a pause, so that the loaded content goes out first. */
const START_DELAY_MS = 50;

/**
 * Starts a process that cleans what Claude Code writes about agents. The work takes time, and has to be finished even if
 * the broker is killed. The process starts with the first load, and ends when nothing is left to do.
 */
export class TraceCleaner {
	readonly #start: () => ChildProcess;
	readonly #now: () => number;
	readonly #where: () => Promise<Order>;
	/** By agent, what it has loaded. */
	readonly #agents = new Map<string, { readonly agent: TracedAgent; readonly texts: Set<string> }>();
	#process: ChildProcess | undefined;
	#failures = new Map<string, Failure>();
	#orders: Promise<void> = Promise.resolve();

	/**
	 * @param start starts the process
	 * @param where returns the first order to a new process
	 * @param now milliseconds since 1970
	 */
	constructor(start: () => ChildProcess, where: () => Promise<Order>, now: () => number) {
		this.#start = start;
		this.#where = where;
		this.#now = now;
	}

	/** Notes that an agent gets a text. */
	load({ session, agent, transcript }: AgentRecord, text: string): void {
		if (transcript === '') return;
		const known = this.#agents.get(nameOf({ session, agent })) ?? {
			agent: { session, agent, transcript, since: this.#now() },
			texts: new Set<string>(),
		};
		this.#agents.set(nameOf({ session, agent }), known);
		known.texts.add(text);
		this.#send([{ texts: [text] }, { agent: known.agent, isOver: false }]);
	}

	/** Notes that an agent has given its answer. Ignores one that has loaded nothing in this process. */
	finish(of: Pick<AgentRecord, 'session' | 'agent'>): void {
		const known = this.#agents.get(nameOf(of));
		if (known !== undefined) this.#send([{ texts: [...known.texts] }, { agent: known.agent, isOver: true }]);
	}

	/**
	 * Adds agents of earlier brokers. Files of a main agent are cleaned when this session is over, since its own session can
	 * be continued.
	 *
	 * @param texts what the agents may have loaded
	 * @param isOver whether their client has ended; otherwise it is this broker's client
	 */
	cleanUp(agents: readonly TracedAgent[], texts: readonly string[], isOver: boolean): void {
		const orders = agents.map(({ session, agent: id, transcript, since }) => {
			const agent = { session, agent: id, transcript, since };
			if (!isOver) this.#agents.set(nameOf(agent), { agent, texts: new Set(texts) });
			return { agent, isOver: isOver && id !== '' };
		});
		if (orders.length > 0) this.#send([{ texts }, ...orders]);
	}

	/** The files that could not be cleaned. Each is returned once. */
	takeFailures(): Failure[] {
		const failures = [...this.#failures.values()].filter(({ code }) => code !== '');
		for (const { path } of failures) this.#failures.set(path, { path, code: '' });
		return failures;
	}

	/** Ends the session. Resolves when the process has its last orders. */
	async end(): Promise<void> {
		for (const { agent, texts } of this.#agents.values()) this.#send([{ texts: [...texts] }, { agent, isOver: false }]);
		await this.#orders;
		await new Promise<void>((resolve) => {
			const { stdin } = this.#process ?? {};
			if (stdin?.writable === true) stdin.write('\n', () => resolve());
			else resolve();
		});
	}

	#send(orders: readonly Order[]): void {
		const told = this.#orders.then(async () => {
			const isNew = this.#process?.stdin?.writable !== true;
			const first = isNew ? [await this.#where()] : [];
			if (isNew) await delay(START_DELAY_MS);
			if (isNew) this.#process = this.#begin();
			const lines = [...first, ...orders].map((order) => `${JSON.stringify(order)}\n`);
			this.#process?.stdin?.write(lines.join(''));
		});
		// The record keeps what was not cleaned, for the next start.
		this.#orders = told.catch(() => {});
	}

	#begin(): ChildProcess {
		const started = this.#start();
		const { stdin, stdout } = started;
		for (const event of ['error', 'exit']) started.on(event, () => stdin?.destroy());
		stdin?.on('error', () => stdin.destroy());
		started.unref();
		if (stdout !== null) {
			createInterface({ input: stdout }).on('line', (line) => {
				const { path, code } = parse(line);
				if (path !== undefined && code !== undefined && !this.#failures.has(path))
					this.#failures.set(path, { path, code });
			});
			// The broker does not wait for the process.
			(stdout as typeof stdout & { unref?: () => void }).unref?.();
			(stdin as typeof stdin & { unref?: () => void })?.unref?.();
		}
		return started;
	}
}

function parse(line: string): Partial<Failure> {
	try {
		return JSON.parse(line) as Failure;
	} catch {
		return {}; // Not JSON: the process could not be started, and prints why.
	}
}

function nameOf({ session, agent }: Pick<AgentRecord, 'session' | 'agent'>): string {
	return `${session}\0${agent}`;
}

/** Starts the broker's own program as the cleaning process. Detached, so that no signal to the broker ends it. */
export function startCleaning([command, ...args]: readonly [string, ...string[]]): ChildProcess {
	return spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true, windowsHide: true });
}

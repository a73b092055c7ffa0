import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Remembered } from '../claude-code/session-files.ts';
import type { Failure, Order, TracedAgent } from './orders.ts';

/** Milliseconds: the content goes out first. */
const START_DELAY_MS = 50;

/**
 * Has what Claude Code writes of agents cleaned, by a process of its own: the work takes time, and has to be finished when
 * the broker is gone, in whatever way. It is started when the first agent loads, and ends when nothing is left to do.
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
	 * @param where what it has to know first
	 * @param now milliseconds since 1970
	 */
	constructor(start: () => ChildProcess, where: () => Promise<Order>, now: () => number) {
		this.#start = start;
		this.#where = where;
		this.#now = now;
	}

	/** An agent gets a text. */
	load({ session, agent, transcript }: Remembered, text: string): void {
		if (transcript === '') return;
		const known = this.#agents.get(nameOf({ session, agent })) ?? {
			agent: { session, agent, transcript, since: this.#now() },
			texts: new Set<string>(),
		};
		this.#agents.set(nameOf({ session, agent }), known);
		known.texts.add(text);
		this.#tell([{ texts: [text] }, { agent: known.agent, isOver: false }]);
	}

	/** An agent has given its answer. One that has loaded nothing here is of no concern. */
	finish(of: Pick<Remembered, 'session' | 'agent'>): void {
		const known = this.#agents.get(nameOf(of));
		if (known !== undefined) this.#tell([{ texts: [...known.texts] }, { agent: known.agent, isOver: true }]);
	}

	/**
	 * Agents of earlier brokers. A session can be continued: what its main thread has loaded is cleaned when that is over,
	 * too.
	 *
	 * @param texts what they may have loaded
	 * @param isOver whether their client has ended; else it is ours
	 */
	cleanUp(agents: readonly TracedAgent[], texts: readonly string[], isOver: boolean): void {
		const orders = agents.map(({ session, agent: id, transcript, since }) => {
			const agent = { session, agent: id, transcript, since };
			if (!isOver) this.#agents.set(nameOf(agent), { agent, texts: new Set(texts) });
			return { agent, isOver: isOver && id !== '' };
		});
		if (orders.length > 0) this.#tell([{ texts }, ...orders]);
	}

	/** The files that could not be cleaned and that nobody was told of; each is given once. */
	takeFailures(): Failure[] {
		const failures = [...this.#failures.values()].filter(({ code }) => code !== '');
		for (const { path } of failures) this.#failures.set(path, { path, code: '' });
		return failures;
	}

	/** The session ends. Resolves when the process was told to look once more. */
	async end(): Promise<void> {
		for (const { agent, texts } of this.#agents.values()) this.#tell([{ texts: [...texts] }, { agent, isOver: false }]);
		await this.#orders;
		await new Promise<void>((resolve) => {
			const { stdin } = this.#process ?? {};
			if (stdin?.writable === true) stdin.write('\n', () => resolve());
			else resolve();
		});
	}

	#tell(orders: readonly Order[]): void {
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
			// The broker ends without it.
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
		return {}; // It could not be started, and says why.
	}
}

function nameOf({ session, agent }: Pick<Remembered, 'session' | 'agent'>): string {
	return `${session}\0${agent}`;
}

/** Starts the process: the broker's own program with other arguments. In a session of its own, no signal to the broker ends it. */
export function startCleaning([command, ...args]: readonly [string, ...string[]]): ChildProcess {
	return spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true, windowsHide: true });
}

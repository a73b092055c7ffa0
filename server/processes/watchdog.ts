import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { ProcessTree, ProcessTreeId } from './process-tree.ts';

type WatchOrder = { readonly watch: ProcessTreeId } | { readonly forget: string };

/** Limit of restarts without a new command. */
const MAX_RESTARTS = 10;

/**
 * Controls a process that ends leftover commands if the broker is gone, even if it was killed. Starts with the first command.
 */
export class Watchdog {
	readonly #start: () => Writable | null;
	readonly #watched = new Map<string, ProcessTreeId>();
	#orders: Writable | null = null;
	#restarts = 0;

	constructor(start: () => Writable | null) {
		this.#start = start;
	}

	watch(id: ProcessTreeId): void {
		this.#watched.set(id.commandId, id);
		if (this.#orders?.writable === true) this.#send({ watch: id });
		else this.#restart();
	}

	forget(commandId: string): void {
		this.#watched.delete(commandId);
		if (this.#orders?.writable === true) this.#send({ forget: commandId });
	}

	#restart(): void {
		const orders = this.#start();
		this.#orders = orders;
		for (const each of this.#watched.values()) this.#send({ watch: each });
		orders?.once('close', () => {
			if (this.#orders !== orders || this.#watched.size === 0 || this.#restarts >= MAX_RESTARTS) return;
			this.#restarts += 1;
			this.#restart();
		});
	}

	#send(order: WatchOrder): void {
		this.#orders?.write(`${JSON.stringify(order)}\n`);
	}
}

/** Starts the watchdog process: the broker's own program with other arguments. @returns its standard input */
export function startWatching([command, ...args]: readonly [string, ...string[]]): Writable | null {
	// Detached, so that a signal to the broker's group does not end it.
	const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, windowsHide: true });
	const orders = child.stdin;
	// Destroys the stream, so that the next order starts another process.
	for (const event of ['error', 'exit']) child.on(event, () => orders?.destroy());
	orders?.on('error', () => orders.destroy());
	child.unref();
	return orders;
}

/** Runs in the watchdog process. When its input ends, the broker is gone: ends all commands that are still watched. */
export async function watchCommands(orders: Readable, treeOf: (id: ProcessTreeId) => ProcessTree): Promise<void> {
	const watched = new Map<string, ProcessTreeId>();
	for await (const line of createInterface({ input: orders, crlfDelay: Number.POSITIVE_INFINITY })) {
		const order = parseOrder(line);
		if (order === undefined) continue;
		if ('forget' in order) watched.delete(order.forget);
		else watched.set(order.watch.commandId, order.watch);
	}
	await Promise.allSettled([...watched.values()].map((id) => treeOf(id).end()));
}

function parseOrder(line: string): WatchOrder | undefined {
	try {
		return JSON.parse(line) as WatchOrder;
	} catch {
		return undefined; // A killed broker can leave half a line.
	}
}

import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { FamilyTraits } from './process-family.ts';

/** What the broker tells the process that watches over its commands, a line of JSON each. */
export type WatchOrder = { readonly watch: FamilyTraits } | { readonly forget: string };

/** How often the process is started again without a new command. */
const MOST_RESTARTS = 10;

/**
 * A small process beside the broker, started with the first command. It ends what commands have left when the broker is
 * gone, in whatever way: killed, a broker can't.
 */
export class Watchdog {
	readonly #start: () => Writable | null;
	readonly #watched = new Map<string, FamilyTraits>();
	#orders: Writable | null = null;
	#restarts = 0;

	/** @param start starts it; its end destroys the stream */
	constructor(start: () => Writable | null) {
		this.#start = start;
	}

	/** Tells of a command, or what is new about it. */
	watch(traits: FamilyTraits): void {
		this.#watched.set(traits.commandId, traits);
		if (this.#orders?.writable === true) this.#tell({ watch: traits });
		else this.#startAnew();
	}

	/** Nothing of a command is left. */
	forget(commandId: string): void {
		this.#watched.delete(commandId);
		if (this.#orders?.writable === true) this.#tell({ forget: commandId });
	}

	#startAnew(): void {
		const orders = this.#start();
		this.#orders = orders;
		for (const each of this.#watched.values()) this.#tell({ watch: each });
		orders?.once('close', () => {
			// Somebody has ended it. Not for ever: perhaps it can't live here.
			if (this.#orders !== orders || this.#watched.size === 0 || this.#restarts >= MOST_RESTARTS) return;
			this.#restarts += 1;
			this.#startAnew();
		});
	}

	#tell(order: WatchOrder): void {
		this.#orders?.write(`${JSON.stringify(order)}\n`);
	}
}

/**
 * Starts the watching process: the broker's own program with another argument.
 *
 * @param program what runs it, and its first arguments
 * @returns its standard input
 */
export function startWatching([command, ...args]: readonly [string, ...string[]]): Writable | null {
	// In a session of its own, so that a signal to the broker's group does not end it.
	const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, windowsHide: true });
	const orders = child.stdin;
	// It has ended, or could not be started (then there is no stream): the next order starts another.
	for (const event of ['error', 'exit']) child.on(event, () => orders?.destroy());
	orders?.on('error', () => orders.destroy());
	child.unref();
	return orders;
}

import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { bundled } from '../../support/bundled.mjs';
import { ROOT } from '../../support/root.ts';
import type { ReadReply, ReadRequest } from './reader.ts';

/** Milliseconds in which each file is read, or given up: more than twice what the reader takes at most. */
const PATIENCE = 10_000;

/**
 * Has files read in another process: there the reader can hang in a call of the system without an end, and here
 * something can be done to them meanwhile.
 */
export class Reader {
	readonly #program: string;
	#child: ChildProcess | undefined;

	private constructor(program: string) {
		this.#program = program;
	}

	static async create(): Promise<Reader> {
		return new Reader(await bundled(ROOT, 'rows/hostile-files/reader.ts'));
	}

	/** @returns by its number, what came of each request; of those that hang, nothing */
	async read(requests: readonly ReadRequest[]): Promise<ReadonlyMap<number, readonly string[]>> {
		if (requests.length === 0) return new Map();
		this.#child ??= fork(this.#program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
		const child = this.#child;
		const replies = new Map<number, readonly string[]>();
		const over = new AbortController();
		const onMessage = ({ number, outcomes }: ReadReply) => {
			replies.set(number, outcomes);
			if (replies.size === requests.length) over.abort();
		};
		const onExit = () => over.abort();
		child.on('message', onMessage).on('exit', onExit);
		for (const request of requests) child.send(request);
		await delay(PATIENCE, undefined, { signal: over.signal }).catch(() => {});
		child.off('message', onMessage).off('exit', onExit);
		// The next ones get another.
		if (replies.size < requests.length) this.end();
		return replies;
	}

	end(): void {
		this.#child?.kill('SIGKILL');
		this.#child = undefined;
	}
}

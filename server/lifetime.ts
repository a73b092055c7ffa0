import type { Readable, Writable } from 'node:stream';

const WATCH_INTERVAL_MS = 1_000;

/** An orphaned process without input for this long has no client. */
const ORPHAN_TIMEOUT_MS = 1_500;

export interface Lifetime {
	readonly input: Readable;
	readonly output: Writable;
	/** The parent's process id when this process started. */
	readonly parent: number;
	readonly currentParent: () => number;
	readonly onSignal: (listener: () => void) => void;
}

/** Resolves when the broker has to end: with `true` if the input ended in order, since a client still reads answers. */
export function whenOver({ input, output, parent, currentParent, onSignal }: Lifetime): Promise<boolean> {
	return new Promise((resolve) => {
		input.once('end', () => resolve(true));
		input.once('error', () => resolve(false));
		output.on('error', () => resolve(false));
		onSignal(() => resolve(false));
		// Without a client the input may still not end: another process can hold the other end open.
		setInterval(() => currentParent() !== parent && resolve(false), WATCH_INTERVAL_MS).unref();
		// Process 1 adopts orphans. In a container it can be the client, but a client sends input at once.
		if (parent === 1) {
			const orphaned = setTimeout(() => resolve(false), ORPHAN_TIMEOUT_MS);
			input.once('data', () => clearTimeout(orphaned));
		}
	});
}

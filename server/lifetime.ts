import type { Readable, Writable } from 'node:stream';

const WATCH_INTERVAL_MS = 1_000;

/** An orphan without input for so long has no client. */
const ORPHAN_TIMEOUT_MS = 1_500;

export interface Lifetime {
	readonly input: Readable;
	readonly output: Writable;
	/** Process id, at the very start. */
	readonly parent: number;
	readonly currentParent: () => number;
	readonly onSignal: (listener: () => void) => void;
}

/** @returns when the broker should end: `true` if the input ended in order, so that answers still have a reader */
export function whenOver({ input, output, parent, currentParent, onSignal }: Lifetime): Promise<boolean> {
	return new Promise((resolve) => {
		input.once('end', () => resolve(true));
		input.once('error', () => resolve(false));
		output.on('error', () => resolve(false));
		onSignal(() => resolve(false));
		// Another process can hold the client's end of the input open.
		setInterval(() => currentParent() !== parent && resolve(false), WATCH_INTERVAL_MS).unref();
		// Process 1 adopts orphans, but in a container it can be the client, which speaks at once.
		if (parent === 1) {
			const orphaned = setTimeout(() => resolve(false), ORPHAN_TIMEOUT_MS);
			input.once('data', () => clearTimeout(orphaned));
		}
	});
}

import type { Readable, Writable } from 'node:stream';

/** Milliseconds: how often a dead parent is looked for. */
const WATCH_INTERVAL = 1_000;

/** Milliseconds: an orphan that hears nothing for so long has no client. */
const ORPHAN_PATIENCE = 1_500;

export interface Lifetime {
	readonly input: Readable;
	readonly output: Writable;
	/** The process id of the parent at the very start. */
	readonly parent: number;
	/** The process id of the parent now. */
	readonly currentParent: () => number;
	readonly onSignal: (listener: () => void) => void;
}

/**
 * Resolves when the broker should end: its input ended, nobody reads its output, a signal came, or its parent is gone.
 *
 * The parent is watched because the input alone is no proof: another process can hold the client's end of it open.
 *
 * @returns `true` where the input ended in order, so that answers under way still have a reader
 */
export function whenOver({ input, output, parent, currentParent, onSignal }: Lifetime): Promise<boolean> {
	return new Promise((resolve) => {
		input.once('end', () => resolve(true));
		input.once('error', () => resolve(false));
		output.on('error', () => resolve(false));
		onSignal(() => resolve(false));
		setInterval(() => currentParent() !== parent && resolve(false), WATCH_INTERVAL).unref();
		// Process 1 adopts orphans, but it can be the client too, in a container. A client speaks at once.
		if (parent === 1) {
			const orphaned = setTimeout(() => resolve(false), ORPHAN_PATIENCE);
			input.once('data', () => clearTimeout(orphaned));
		}
	});
}

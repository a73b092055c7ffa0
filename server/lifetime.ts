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

/** @param isRunning asked on Windows, which keeps the id of a parent that has ended */
export function currentParent(
	ours: Pick<NodeJS.Process, 'platform' | 'ppid'>,
	isRunning: (pid: number) => boolean,
): () => number {
	// One that was gone at the start says nothing about the client.
	const isAsked = ours.platform === 'win32' && isRunning(ours.ppid);
	return () => (isAsked && !isRunning(ours.ppid) ? 0 : ours.ppid);
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

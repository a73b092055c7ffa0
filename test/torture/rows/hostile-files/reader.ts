/** Run as a process of its own: reads files as the broker does, and tells what came of it. See {@link Reader}. */
import { BrokerError } from '../../../../server/errors.ts';
import { readMarkdown } from '../../../../server/files/read-markdown.ts';
import { readStable } from '../../../../server/files/read-stable.ts';
import { remembering } from '../../../../server/files/remembering.ts';
import { digest } from './digest.ts';

/** What is to be read. */
export interface ReadRequest {
	readonly number: number;
	readonly path: string;
	/** With the reader of the running broker, which keeps what it has read. */
	readonly remembers: boolean;
	/** Milliseconds for which it is read over and over. */
	readonly ms: number;
}

/** What came of it, each once: digests of texts, and codes of errors. */
export interface ReadReply {
	readonly number: number;
	readonly outcomes: readonly string[];
}

const readRemembering = remembering();

async function outcomeOf(path: string, remembers: boolean): Promise<string> {
	try {
		return digest(await readMarkdown(path, remembers ? readRemembering : readStable));
	} catch (error) {
		return error instanceof BrokerError ? error.code : `an error of another kind, ${String(error)}`;
	}
}

process.on('message', async ({ number, path, remembers, ms }: ReadRequest) => {
	const outcomes = new Set<string>();
	const until = performance.now() + ms;
	do {
		outcomes.add(await outcomeOf(path, remembers));
		// The others are read in between.
		await new Promise(setImmediate);
	} while (performance.now() < until);
	process.send?.({ number, outcomes: [...outcomes] } satisfies ReadReply);
});

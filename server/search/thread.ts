import { parentPort, Worker, workerData } from 'node:worker_threads';
import { prepareEntries, unsearchableLines } from '../redaction/occurrences.ts';
import type { Listed } from './list-files.ts';
import { FileSearch, type SearchedBatch } from './search-files.ts';

/** Looks for the entries of one private file. */
export interface SearchThread {
	search(listed: readonly Listed[]): Promise<SearchedBatch>;
	/** Lines of the private file. */
	unsearchable(): Promise<readonly number[]>;
	/** What is still asked for is rejected. */
	end(): void;
}

export interface ThreadStart {
	/** The folder that paths are relative to: a real path. */
	readonly root: string;
	/** Of the private file. */
	readonly text: string;
}

/** By what is asked for: `unsearchable` without arguments. */
type Request = { readonly listed: readonly Listed[] } | 'unsearchable';

/** @param program what runs as a worker thread, and its arguments */
export function startThread([program, ...argv]: readonly [string, ...string[]], start: ThreadStart): SearchThread {
	const worker = new Worker(program, { argv, workerData: start });
	const waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];
	const fail = (error: Error) => {
		for (const { reject } of waiting.splice(0)) reject(error);
	};
	worker.on('message', (value) => waiting.shift()?.resolve(value));
	worker.on('error', fail).on('exit', () => fail(new Error('The search has ended')));
	const ask = async (request: Request) =>
		await new Promise<unknown>((resolve, reject) => {
			waiting.push({ resolve, reject });
			worker.postMessage(request);
		});
	return {
		search: async (listed) => (await ask({ listed })) as SearchedBatch,
		unsearchable: async () => (await ask('unsearchable')) as number[],
		end: () => void worker.terminate(),
	};
}

/** The thread's side. */
export function runThread(): void {
	const answer = answerer(workerData as ThreadStart);
	parentPort?.on('message', (request: Request) => parentPort?.postMessage(answer(request)));
}

export function answerer({ root, text }: ThreadStart): (request: Request) => SearchedBatch | number[] {
	const entries = prepareEntries(text);
	const files = new FileSearch(root, entries);
	return (request) => (request === 'unsearchable' ? unsearchableLines(text, entries) : files.search(request.listed));
}

import { parentPort, Worker, workerData } from 'node:worker_threads';
import { prepareEntries, unsearchableLines } from '../redaction/occurrences.ts';
import { endGit } from './git.ts';
import { searchHistory } from './history.ts';
import { type Listed, type ListOptions, listPath } from './list-files.ts';
import { FileSearch, type SearchedBatch } from './search-files.ts';

/** A thread that searches for one private file's entries. */
export interface SearchThread {
	/** The next files to search; undefined at the end. */
	list(): Promise<readonly Listed[] | undefined>;
	search(listed: readonly Listed[], withLong?: boolean): Promise<SearchedBatch>;
	/** The next part of the history; undefined at the end. */
	history(): Promise<SearchedBatch | undefined>;
	/** Lines of the private file that a search does not cover. */
	unsearchable(): Promise<readonly number[]>;
	/** Rejects all open requests. */
	end(): void;
}

export interface ThreadStart extends ListOptions {
	/** A real path; other paths are relative to it. */
	readonly root: string;
	/** As in a listing: '' for everything. Limits the search in the history too. */
	readonly path: string;
	/** The private file's text. */
	readonly text: string;
}

/** How long a thread may take to end; longer if it runs git, which it ends first. */
const END_TIMEOUT_MS = 100;
const PROGRAMS_TIMEOUT_MS = 5_000;

type Request = { readonly listed: readonly Listed[]; readonly withLong: boolean } | 'list' | 'history' | 'unsearchable';

/** @param program what runs as a worker thread, and its arguments */
export function startThread([program, ...argv]: readonly [string, ...string[]], start: ThreadStart): SearchThread {
	const worker = new Worker(program, { argv, workerData: start });
	/** By the request's number, because answers can come in another order. */
	const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
	let requests = 0;
	let failure: Error | undefined;
	let [isListing, hasHistory] = [false, false];
	const fail = (error: Error) => {
		failure ??= error;
		for (const { reject } of waiting.values()) reject(error);
		waiting.clear();
	};
	worker.on('message', ([number, value]: [number, unknown]) => {
		waiting.get(number)?.resolve(value);
		waiting.delete(number);
	});
	worker.on('error', fail).on('exit', () => fail(new Error('The search has ended')));
	const ask = async (request: Request) =>
		await new Promise<unknown>((resolve, reject) => {
			if (failure !== undefined) return reject(failure);
			waiting.set(++requests, { resolve, reject });
			worker.postMessage([requests, request]);
		});
	return {
		list: async () => {
			isListing = true;
			const listed = (await ask('list')) as Listed[] | undefined;
			isListing = listed !== undefined;
			return listed;
		},
		search: async (listed, withLong = false) => (await ask({ listed, withLong })) as SearchedBatch,
		history: async () => {
			hasHistory = true;
			return (await ask('history')) as SearchedBatch | undefined;
		},
		unsearchable: async () => (await ask('unsearchable')) as number[],
		end: () => {
			fail(new Error('The search has ended'));
			worker.postMessage('end');
			// A searching thread reads no messages. And nothing waits for the programs of a thread that is terminated.
			setTimeout(() => void worker.terminate(), isListing || hasHistory ? PROGRAMS_TIMEOUT_MS : END_TIMEOUT_MS).unref();
		},
	};
}

/** Runs in the worker thread: answers requests. */
export function runThread(): void {
	const thread = createThread(workerData as ThreadStart);
	let isEnding = false;
	parentPort?.on('message', (message: [number, Request] | 'end') => {
		if (message === 'end') {
			isEnding = true;
			void endGit().then(() => process.exit());
			return;
		}
		const [number, request] = message;
		void answer(thread, request)
			.then((value) => parentPort?.postMessage([number, value]))
			.catch((error: unknown) => {
				if (!isEnding) throw error;
			});
	});
}

async function answer(thread: SearchThread, request: Request): Promise<unknown> {
	if (typeof request === 'object') return await thread.search(request.listed, request.withLong);
	return await thread[request]();
}

/** A search thread's work, done in the current thread. */
export function createThread({ root, path, text, git, ignored }: ThreadStart): SearchThread {
	const entries = prepareEntries(text);
	const files = new FileSearch(root, entries);
	let list: AsyncGenerator<Listed[]> | undefined;
	let history: AsyncGenerator<SearchedBatch> | undefined;
	return {
		list: async () => {
			list ??= listPath(root, path, { git, ignored });
			return await nextOf(list);
		},
		search: async (listed, withLong = false) => files.search(listed, withLong),
		history: async () => {
			history ??= searchHistory(git ?? '', root, path, entries);
			return await nextOf(history);
		},
		unsearchable: async () => unsearchableLines(text, entries),
		end: () => {
			void list?.return(undefined);
			void history?.return(undefined);
		},
	};
}

async function nextOf<Part>(parts: AsyncGenerator<Part, void>): Promise<Part | undefined> {
	const { value, done } = await parts.next();
	return done === true ? undefined : value;
}

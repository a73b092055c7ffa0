import { join } from 'node:path';
import { BrokerError } from '../errors.ts';
import { Collector, type Findings } from './findings.ts';
import { gitAbove, isRepository, type Listed } from './list-files.ts';
import type { SearchThread, ThreadStart } from './thread.ts';

const BATCH = 64;

const PROGRESS_INTERVAL_MS = 500;

export interface Progress {
	/** Versions in the history as well. */
	readonly files: number;
	readonly places: number;
	/** Of those that are listed. */
	readonly done: number;
}

export interface SearchOptions extends ThreadStart {
	readonly history: boolean;
	/** Real paths that are not looked at. */
	readonly except: readonly string[];
	readonly signal: AbortSignal;
	readonly onProgress?: ((progress: Progress) => void) | undefined;
	readonly threads: number;
	readonly start: (start: ThreadStart) => SearchThread;
}

/** Looks for the entries of a private file in a folder. @throws the reason of the signal */
export async function search(options: SearchOptions): Promise<Findings> {
	const { signal, onProgress, root, path, text, git, ignored, history, threads: threadCount } = options;
	const collector = new Collector();
	if (history && (git === undefined || !(await isRepository(git, root)))) {
		throw new BrokerError(git !== undefined && gitAbove(root) !== undefined ? 'git_failed' : 'no_history');
	}
	signal.throwIfAborted();
	const threads: SearchThread[] = [];
	const begin = () => {
		const thread = options.start({ root, path, text, git, ignored });
		threads.push(thread);
		return thread;
	};
	const end = () => {
		for (const thread of threads) thread.end();
	};
	signal.addEventListener('abort', end);
	const timer = setInterval(() => {
		const { files, versions } = collector.searched;
		onProgress?.({ files: files + versions, places: collector.total, done: collector.done });
	}, PROGRESS_INTERVAL_MS);
	const long: Listed[] = [];
	try {
		const first = begin();
		// To begin one takes as long as to search some thousand files.
		const second = threadCount > 1 && (path === '' || path.endsWith('/')) ? begin() : undefined;
		const batches = batchesOf(first, options);
		/** @param begun undefined to begin a thread once there is something for it */
		const searchBatches = async (begun?: SearchThread) => {
			let thread = begun;
			for await (const batch of batches) {
				thread ??= begin();
				const searched = await thread.search(batch);
				collector.add(searched);
				long.push(...(searched.long ?? []));
			}
		};
		const [unsearchable] = await Promise.all([
			// Not the one that lists: the others wait for that.
			(second ?? first).unsearchable(),
			history ? addHistory(begin(), collector) : undefined,
			searchBatches(first),
			...Array.from({ length: threadCount - 1 }, async (_, nth) => await searchBatches(nth === 0 ? second : undefined)),
		]);
		for (const file of long) collector.add(await first.search([file], true));
		return collector.result(unsearchable);
	} catch (error) {
		signal.throwIfAborted();
		throw error;
	} finally {
		clearInterval(timer);
		signal.removeEventListener('abort', end);
		end();
	}
}

async function addHistory(thread: SearchThread, collector: Collector): Promise<void> {
	for (let batch = await thread.history(); batch !== undefined; batch = await thread.history()) {
		collector.add(batch, true);
	}
}

async function* batchesOf(
	lister: SearchThread,
	{ root, except }: Pick<SearchOptions, 'root' | 'except'>,
): AsyncGenerator<Listed[]> {
	const list = () => {
		const listed = lister.list();
		listed.catch(() => {}); // As soon as it is waited for.
		return listed;
	};
	for (let next = list(), listed = await next; listed !== undefined; listed = await next) {
		// While these are searched.
		next = list();
		const files = listed.filter(({ path }) => !except.includes(join(root, path)));
		for (let at = 0; at < files.length; at += BATCH) yield files.slice(at, at + BATCH);
	}
}

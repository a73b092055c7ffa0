import { join } from 'node:path';
import { BrokerError } from '../errors.ts';
import { Collector, type Findings } from './findings.ts';
import { gitAbove, isRepository, type Listed } from './list-files.ts';
import type { SearchThread, ThreadStart } from './thread.ts';

const BATCH_FILES = 64;

/** Lists that are requested ahead: for most projects all, so the total number of files is known early. */
const LISTS_AHEAD = 100;

const PROGRESS_INTERVAL_MS = 500;

export interface Progress {
	/** Including versions in the history. */
	readonly files: number;
	readonly places: number;
	/** How many of the listed files were handled. */
	readonly done: number;
	/** The number that `done` will reach, once known. Never known for a search in the history. */
	readonly total: number | undefined;
}

export interface SearchOptions extends ThreadStart {
	readonly history: boolean;
	/** Real paths to skip. */
	readonly except: readonly string[];
	readonly signal: AbortSignal;
	readonly onProgress?: ((progress: Progress) => void) | undefined;
	readonly threads: number;
	readonly start: (start: ThreadStart) => SearchThread;
}

/** Searches a folder for a private file's entries. @throws the signal's reason */
export async function search(options: SearchOptions): Promise<Findings> {
	const { signal, onProgress, root, path, text, git, ignored, history, threads: threadCount } = options;
	const collector = new Collector();
	let total: number | undefined;
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
		onProgress?.({ files: files + versions, places: collector.total, done: collector.done, total });
	}, PROGRESS_INTERVAL_MS);
	const long: Listed[] = [];
	try {
		const first = begin();
		// Starting a thread takes as long as searching some thousand files.
		const second = threadCount > 1 && (path === '' || path.endsWith('/')) ? begin() : undefined;
		const batches = batchesOf(first, options, (count) => {
			if (!history) total = count;
		});
		/** @param begun undefined to start a thread only when there is work for it */
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
			// Not on the listing thread: the others wait for its lists.
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

/** @param onListed receives the number of files once all are listed */
async function* batchesOf(
	lister: SearchThread,
	{ root, except }: Pick<SearchOptions, 'root' | 'except'>,
	onListed: (count: number) => void,
): AsyncGenerator<Listed[]> {
	let count = 0;
	const list = async () => {
		const listed = (await lister.list())?.filter(({ path }) => !except.includes(join(root, path)));
		count += listed?.length ?? 0;
		if (listed === undefined) onListed(count);
		return listed;
	};
	const ahead: Promise<Listed[] | undefined>[] = [];
	const ask = () => {
		const listed = list();
		listed.catch(() => {}); // Awaited later; until then it must not count as unhandled.
		ahead.push(listed);
	};
	while (ahead.length < LISTS_AHEAD) ask();
	for (let files = await ahead.shift(); files !== undefined; files = await ahead.shift()) {
		// Requested while these are searched.
		ask();
		for (let at = 0; at < files.length; at += BATCH_FILES) yield files.slice(at, at + BATCH_FILES);
	}
}

import type { Certainty, Occurrence } from '../redaction/occurrences.ts';
import { referenceTo } from '../redaction/tokens.ts';
import type { Unsearched } from './list-files.ts';
import type { Place } from './places.ts';
import type { HistoryText, SearchedBatch, SearchedFile } from './search-files.ts';

/** For further files, only the number of places is kept. */
const MAX_FILES = 10_000;

/** Places that are kept in all files together. */
const MAX_PLACES = 100_000;

/** Limit of remembered names. Beyond it, a name can be reported more than once. */
const MAX_NAMES = 100_000;

/** Paths that are named for each reason why files were not searched. */
const MAX_NAMED = 20;

/** An entry that a file's or folder's name repeats. */
export interface NamePlace {
	readonly entry: number;
	readonly certainty: Certainty;
}

export interface FoundFile {
	/** Entries in it are replaced by references. A folder's path ends with `/`. */
	readonly path: string;
	/** In the history: the first commit that has it. */
	readonly commit?: string | undefined;
	/** Set if the place is not in a file. */
	readonly of?: HistoryText | undefined;
	readonly inName: readonly NamePlace[];
	/** The first places, in ascending order. */
	readonly places: readonly Place[];
	/** The number of all places. */
	readonly count: number;
}

export interface Counted {
	readonly count: number;
	/** The first paths, in ascending order. */
	readonly paths: readonly string[];
}

export interface Searched {
	readonly files: number;
	/** File versions in the history. */
	readonly versions: number;
	readonly bytes: number;
}

/** A search's result, in bounded memory. Its paths repeat no entry. */
export interface Findings {
	readonly searched: Searched;
	/** Sorted by path. */
	readonly files: readonly FoundFile[];
	/** Number of further files with places, about which nothing else is kept. */
	readonly moreFiles: number;
	readonly total: number;
	/** Number of places by the private file's line, ascending. */
	readonly entries: ReadonlyMap<number, number>;
	readonly unsearched: ReadonlyMap<Unsearched, Counted>;
	/** Lines of the private file that a search does not cover. */
	readonly unsearchable: readonly number[];
}

type Where = Pick<SearchedFile, 'path' | 'inName'> & {
	readonly commit?: string | undefined;
	readonly of?: HistoryText | undefined;
};

type NewPlaces = Pick<SearchedFile, 'counts'> & Partial<Pick<FoundFile, 'places' | 'inName'>>;

/** Collects the results of a search's parts. */
export class Collector {
	/** By commit and path; the path is not masked. */
	readonly #files = new Map<string, FoundFile>();
	#moreFiles = 0;
	#searched: Searched = { files: 0, versions: 0, bytes: 0 };
	#total = 0;
	#kept = 0;
	#done = 0;
	readonly #entries = new Map<number, number>();
	readonly #unsearched = new Map<Unsearched, { count: number; paths: string[] }>();
	readonly #named = new Set<string>();

	get total(): number {
		return this.#total;
	}

	/** How many files were handled, searched or not. */
	get done(): number {
		return this.#done;
	}

	get searched(): Searched {
		return this.#searched;
	}

	/** @param isHistory whether the batch holds versions from the history */
	add({ count, bytes, files }: SearchedBatch, isHistory = false): void {
		this.#done += count;
		let left = count;
		for (const file of files) {
			const { places, counts, reason } = file;
			if (reason !== undefined) {
				this.#leaveOut(file, reason);
				left -= 1;
			}
			if (reason !== 'ignored') this.#addNames(file);
			if (places.length > 0) this.#add(file, { places, counts });
		}
		const searched = this.#searched;
		const more = isHistory ? { versions: searched.versions + left } : { files: searched.files + left };
		this.#searched = { ...searched, ...more, bytes: searched.bytes + bytes };
	}

	result(unsearchable: readonly number[]): Findings {
		const entries = [...this.#entries].sort(([a], [b]) => a - b);
		return {
			searched: this.#searched,
			files: [...this.#files.values()].sort(inOrder),
			moreFiles: this.#moreFiles,
			total: this.#total,
			entries: new Map(entries),
			unsearched: this.#unsearched,
			unsearchable,
		};
	}

	/** Reports a folder's name once, not for each file in it. */
	#addNames({ path, inName, commit }: SearchedFile): void {
		const byName = new Map<string, NamePlace[]>();
		for (const { end, line: entry, certainty } of inName) {
			const slash = path.indexOf('/', end - 1);
			const named = slash < 0 ? path : path.slice(0, slash + 1);
			byName.set(named, [...(byName.get(named) ?? []), { entry, certainty }]);
		}
		for (const [named, places] of byName) {
			if (this.#named.has(named)) continue;
			if (this.#named.size < MAX_NAMES) this.#named.add(named);
			const counts = new Map<number, number>();
			for (const { entry } of places) counts.set(entry, (counts.get(entry) ?? 0) + 1);
			this.#add({ path: named, inName, commit }, { inName: places, counts });
		}
	}

	#add({ path, inName, commit, of }: Where, { counts, ...found }: NewPlaces): void {
		const places = found.places?.slice(0, MAX_PLACES - this.#kept);
		let count = 0;
		for (const [entry, each] of counts) {
			count += each;
			this.#entries.set(entry, (this.#entries.get(entry) ?? 0) + each);
		}
		this.#total += count;
		const key = [commit, of, path].join('\0');
		const known = this.#files.get(key);
		if (known === undefined && this.#files.size === MAX_FILES) {
			this.#moreFiles += 1;
			return;
		}
		const file = known ?? { path: masked(path, inName), commit, of, inName: [], places: [], count: 0 };
		this.#kept += places?.length ?? 0;
		this.#files.set(key, { ...file, ...found, places: places ?? file.places, count: count + file.count });
	}

	#leaveOut({ path, inName }: SearchedFile, reason: Unsearched): void {
		const known = this.#unsearched.get(reason) ?? { count: 0, paths: [] };
		this.#unsearched.set(reason, known);
		known.count += 1;
		const shown = masked(path, inName);
		if (known.paths.length === MAX_NAMED && shown > (known.paths.at(-1) ?? '')) return;
		known.paths = [...known.paths, shown].sort().slice(0, MAX_NAMED);
	}
}

/** Present files first, then the history. */
function inOrder(a: FoundFile, b: FoundFile): number {
	const [one, other] = [a, b].map(({ commit = '', of = '', path }) =>
		commit === '' ? `0${path}` : `1${path}\0${of}\0${commit}`,
	);
	return (one ?? '') < (other ?? '') ? -1 : 1;
}

/** A path with its entries replaced by references. */
function masked(path: string, inName: readonly Occurrence[]): string {
	let written = '';
	let done = 0;
	for (const { start, end, line } of inName) {
		// Occurrences can overlap, and can extend beyond a folder's name.
		const last = Math.min(end, path.endsWith('/') ? path.length - 1 : path.length);
		if (start >= last || last <= done) continue;
		written += path.slice(done, start) + referenceTo(line);
		done = last;
	}
	return written + path.slice(done);
}

import type { Certainty, Occurrence } from '../redaction/occurrences.ts';
import { referenceTo } from '../redaction/tokens.ts';
import type { Unsearched } from './list-files.ts';
import type { Place } from './places.ts';
import type { HistoryText, SearchedBatch, SearchedFile } from './search-files.ts';

/** Of more files with places only the counts are kept. */
const MAX_FILES = 10_000;

/** In all files, so many places are kept. */
const MAX_PLACES = 100_000;

/** Of more files and folders whose names were told a name can be told again. */
const MAX_NAMES = 100_000;

/** So many paths are named of those that were not searched for one reason. */
const MAX_NAMED = 20;

/** A part of the name of a file or a folder that stands for an entry. */
export interface NamePlace {
	readonly entry: number;
	readonly certainty: Certainty;
}

export interface FoundFile {
	/** With a reference in the place of what stands for an entry; of a folder with a `/` at its end. */
	readonly path: string;
	/** In the history: the first one that has it. */
	readonly commit?: string | undefined;
	/** Of what is no file. */
	readonly of?: HistoryText | undefined;
	readonly inName: readonly NamePlace[];
	/** The first ones, in ascending order. */
	readonly places: readonly Place[];
	/** All of them. */
	readonly count: number;
}

export interface Counted {
	readonly count: number;
	/** The first ones, in ascending order. */
	readonly paths: readonly string[];
}

export interface Searched {
	readonly files: number;
	/** Of files in the history. */
	readonly versions: number;
	readonly bytes: number;
}

/** What a search has found, in bounded memory. No path holds what stands for an entry. */
export interface Findings {
	readonly searched: Searched;
	/** In the order of their paths. */
	readonly files: readonly FoundFile[];
	/** Further files with places, of which nothing else is kept. */
	readonly moreFiles: number;
	readonly total: number;
	/** By the line of the private file, ascending. */
	readonly entries: ReadonlyMap<number, number>;
	readonly unsearched: ReadonlyMap<Unsearched, Counted>;
	/** Lines of the private file. */
	readonly unsearchable: readonly number[];
}

type Where = Pick<SearchedFile, 'path' | 'inName'> & {
	readonly commit?: string | undefined;
	readonly of?: HistoryText | undefined;
};

type NewPlaces = Pick<SearchedFile, 'counts'> & Partial<Pick<FoundFile, 'places' | 'inName'>>;

/** Collects what the parts of a search have found. */
export class Collector {
	/** By commit and path, as it is. */
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

	/** How many were looked at, searched or not. */
	get done(): number {
		return this.#done;
	}

	get searched(): Searched {
		return this.#searched;
	}

	/** @param isHistory whether they are versions in the history */
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

	/** Of a folder the name is told once, not with each file in it. */
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

/** Files as they are now first, then the history. */
function inOrder(a: FoundFile, b: FoundFile): number {
	const [one, other] = [a, b].map(({ commit = '', of = '', path }) =>
		commit === '' ? `0${path}` : `1${path}\0${of}\0${commit}`,
	);
	return (one ?? '') < (other ?? '') ? -1 : 1;
}

/** A path with a reference in the place of what stands for an entry. */
function masked(path: string, inName: readonly Occurrence[]): string {
	let written = '';
	let done = 0;
	for (const { start, end, line } of inName) {
		// They can overlap, and go on behind a folder.
		const last = Math.min(end, path.endsWith('/') ? path.length - 1 : path.length);
		if (start >= last || last <= done) continue;
		written += path.slice(done, start) + referenceTo(line);
		done = last;
	}
	return written + path.slice(done);
}

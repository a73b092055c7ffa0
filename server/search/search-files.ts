import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { type Entries, mayHold, type Occurrence, occurrencesIn } from '../redaction/occurrences.ts';
import { toUtf8 } from './encoding.ts';
import { type Listed, reasonOf, type Unsearched } from './list-files.ts';
import type { Place } from './places.ts';
import { isWithin } from './scope.ts';
import { placesIn } from './search-text.ts';

/** In bytes. */
export const MAX_FILE_LENGTH = 50 * 1024 * 1024;

/** In bytes. A longer file is read by one thread only, at the end. */
const SHORT_FILE_BYTES = 4 * 1024 * 1024;

/** Places that are kept for each file; further ones are only counted. */
const MAX_PLACES_IN_FILE = 1_000;

/** How often a file that changes all the time is read. */
const ATTEMPTS = 3;

/** Size limit of the cache of folders. */
const MAX_FOLDERS = 10_000;

/** Texts in the history outside of files. */
export type HistoryText = 'author' | 'message' | 'ref';

export interface SearchedFile {
	readonly path: string;
	/** In the history: the first commit that has it. */
	readonly commit?: string;
	/** Set if the text is not a file's. */
	readonly of?: HistoryText;
	readonly places: readonly Place[];
	/** Number of places by the private file's line. */
	readonly counts: ReadonlyMap<number, number>;
	/** Entries in the path. */
	readonly inName: readonly Occurrence[];
	/** Why it was not searched; undefined if it was. */
	readonly reason: Unsearched | undefined;
}

export interface SearchedBatch {
	/** How many listed files were handled. */
	readonly count: number;
	readonly bytes: number;
	/** Only files with something to report. */
	readonly files: readonly SearchedFile[];
	/** Files that are too long for this pass. */
	readonly long?: readonly Listed[];
}

/** Searches one folder's files. Blocks, so it needs its own thread. */
export class FileSearch {
	readonly #root: string;
	readonly #entries: Entries;
	readonly #buffer = Buffer.allocUnsafeSlow(SHORT_FILE_BYTES);
	#long: Buffer | undefined;
	/** Cache: whether a folder's real path is inside the root. */
	readonly #isInside = new Map<string, boolean>();

	/** @param root a real path: absolute, with links resolved */
	constructor(root: string, entries: Entries) {
		this.#root = root;
		this.#entries = entries;
	}

	/** @param withLong whether to search long files: only one thread may, because they take memory */
	search(listed: readonly Listed[], withLong: boolean): SearchedBatch {
		let bytes = 0;
		const long: Listed[] = [];
		// One check for all names takes next to no time.
		const mayBeInNames = mayHold(listed.map(({ path }) => path).join('\n'), this.#entries);
		const files = listed.flatMap((file): SearchedFile[] => {
			const { path } = file;
			const { text, reason } = file.reason === undefined ? this.#read(path, withLong) : { reason: file.reason };
			if (reason === 'long') {
				long.push(file);
				return [];
			}
			bytes += text?.length ?? 0;
			const inName = mayBeInNames ? occurrencesIn(path, this.#entries) : [];
			const found = text === undefined ? { places: [], counts: NONE } : searchText(text, this.#entries);
			return [{ path, inName, ...found, reason }];
		});
		return { count: listed.length - long.length, bytes, files: files.filter(isReportable), long };
	}

	/** For a link, reads its target's path as text: links are not followed. */
	#read(path: string, withLong: boolean): { readonly text?: Buffer; readonly reason: Unsearched | 'long' | undefined } {
		const file = join(this.#root, path);
		try {
			if (!this.#isInsideRoot(dirname(path))) return { reason: 'link' };
			const bytes = this.#bytesOf(file, withLong);
			if (typeof bytes === 'string') return { reason: bytes };
			const text = toUtf8(bytes);
			return typeof text === 'string' ? { reason: text } : { text, reason: undefined };
		} catch (error) {
			const { code } = Object(error) as NodeJS.ErrnoException;
			if (code === 'ELOOP') return { text: readLink(file), reason: this.#leadsOut(file) ? 'link' : undefined };
			// Node cannot open a name that is not UTF-8.
			return { reason: path.includes('\ufffd') ? 'unreadable' : reasonOf(error) };
		}
	}

	/** @returns bytes that are valid until the next file is read */
	#bytesOf(path: string, withLong: boolean): Buffer | Unsearched | 'long' {
		const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
		const file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
		try {
			// Most files are short, and asking for the size takes as long as reading. One read may return only a part.
			let length = 0;
			for (let read = -1; read !== 0 && length < SHORT_FILE_BYTES; length += read) {
				read = fs.readSync(file, this.#buffer, length, SHORT_FILE_BYTES - length, length);
			}
			if (length < SHORT_FILE_BYTES) return this.#buffer.subarray(0, length);
			if (!withLong) return 'long';
			this.#long ??= Buffer.allocUnsafeSlow(MAX_FILE_LENGTH);
			return readLong(file, this.#long);
		} finally {
			fs.closeSync(file);
		}
	}

	#isInsideRoot(folder: string): boolean {
		let isInside = this.#isInside.get(folder);
		if (isInside === undefined) {
			if (this.#isInside.size > MAX_FOLDERS) this.#isInside.clear();
			const path = join(this.#root, folder);
			isInside = fs.realpathSync.native(path) === path;
			this.#isInside.set(folder, isInside);
		}
		return isInside;
	}

	#leadsOut(link: string): boolean {
		try {
			return !isWithin(fs.realpathSync.native(link), this.#root);
		} catch {
			return false; // The target does not exist.
		}
	}
}

const NONE: ReadonlyMap<number, number> = new Map();

function isReportable({ places, inName, reason }: SearchedFile): boolean {
	return places.length + inName.length > 0 || reason !== undefined;
}

/** @param text UTF-8 */
export function searchText(text: Buffer, entries: Entries): Pick<SearchedFile, 'places' | 'counts'> {
	const places: Place[] = [];
	const counts = new Map<number, number>();
	for (const place of placesIn(text, entries)) {
		counts.set(place.entry, (counts.get(place.entry) ?? 0) + 1);
		if (places.length < MAX_PLACES_IN_FILE) places.push(place);
	}
	return { places, counts };
}

function readLink(path: string): Buffer {
	return fs.readlinkSync(path, 'buffer');
}

/** @param buffer receives the bytes */
function readLong(file: number, buffer: Buffer): Buffer | Unsearched {
	for (let attempt = 1; ; attempt++) {
		const { size, mtimeMs } = fs.fstatSync(file);
		if (size > MAX_FILE_LENGTH) return 'too_large';
		let length = 0;
		for (let read = -1; read !== 0 && length < size; length += read) {
			read = fs.readSync(file, buffer, length, size - length, length);
		}
		const after = fs.fstatSync(file);
		if (length === size && after.size === size && after.mtimeMs === mtimeMs) return buffer.subarray(0, size);
		if (attempt === ATTEMPTS) return 'changing';
	}
}

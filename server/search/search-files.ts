import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { type Entries, type Occurrence, occurrencesIn } from '../redaction/occurrences.ts';
import { toUtf8 } from './encoding.ts';
import { type Listed, reasonOf, type Unsearched } from './list-files.ts';
import type { Place } from './places.ts';
import { isWithin } from './scope.ts';
import { placesIn } from './search-text.ts';

/** In bytes. */
const MAX_FILE_LENGTH = 50 * 1024 * 1024;

/** Of more places in one file only the count is kept. */
const MAX_PLACES_IN_FILE = 1_000;

/** A file that is written all the time is read so often. */
const ATTEMPTS = 3;

const MAX_FOLDERS = 10_000;

export interface SearchedFile {
	readonly path: string;
	readonly places: readonly Place[];
	/** By the line of the private file, how many places there are. */
	readonly counts: ReadonlyMap<number, number>;
	/** In the path. */
	readonly inName: readonly Occurrence[];
	/** Why it was not searched, or not as a whole. */
	readonly reason: Unsearched | undefined;
}

export interface SearchedBatch {
	/** How many were listed. */
	readonly count: number;
	readonly bytes: number;
	/** Those of which there is something to tell. */
	readonly files: readonly SearchedFile[];
}

/** Searches files of one folder. It blocks: for a thread of its own. */
export class FileSearch {
	readonly #root: string;
	readonly #entries: Entries;
	/** Whether a folder is where its path says. */
	readonly #isInside = new Map<string, boolean>();

	/** @param root a real path: absolute, without links */
	constructor(root: string, entries: Entries) {
		this.#root = root;
		this.#entries = entries;
	}

	search(listed: readonly Listed[]): SearchedBatch {
		let bytes = 0;
		const files = listed.map(({ path, reason: known }): SearchedFile => {
			const { text, reason } = known === undefined ? this.#read(path) : { reason: known };
			bytes += text?.length ?? 0;
			const inName = occurrencesIn(path, this.#entries);
			const found = text === undefined ? { places: [], counts: NONE } : searchText(text, this.#entries);
			return { path, inName, ...found, reason };
		});
		return { count: listed.length, bytes, files: files.filter(isToTell) };
	}

	/** Of a link its target's path: it is not followed. */
	#read(path: string): { readonly text?: Buffer; readonly reason: Unsearched | undefined } {
		const file = join(this.#root, path);
		try {
			if (!this.#isInsideRoot(dirname(path))) return { reason: 'link' };
			const stats = fs.lstatSync(file);
			if (stats.isSymbolicLink()) {
				return { text: fs.readlinkSync(file, 'buffer'), reason: this.#leadsOut(file) ? 'link' : undefined };
			}
			if (!stats.isFile()) return { reason: 'special' };
			if (stats.size > MAX_FILE_LENGTH) return { reason: 'too_large' };
			const { bytes, isChanging } = readFile(file);
			const text = toUtf8(bytes);
			return typeof text === 'string' ? { reason: text } : { text, reason: isChanging ? 'changing' : undefined };
		} catch (error) {
			// A name that is no UTF-8 can not be asked for.
			return { reason: path.includes('\ufffd') ? 'unreadable' : reasonOf(error) };
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
			return false; // It leads nowhere.
		}
	}
}

const NONE: ReadonlyMap<number, number> = new Map();

function isToTell({ places, inName, reason }: SearchedFile): boolean {
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

function readFile(path: string): { readonly bytes: Buffer; readonly isChanging: boolean } {
	const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
	const file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	try {
		for (let attempt = 1; ; attempt++) {
			const before = fs.fstatSync(file);
			const bytes = readAll(file, Math.min(before.size, MAX_FILE_LENGTH));
			const after = fs.fstatSync(file);
			const isChanging = after.size !== before.size || after.mtimeMs !== before.mtimeMs;
			if (!isChanging || attempt === ATTEMPTS) return { bytes, isChanging };
		}
	} finally {
		fs.closeSync(file);
	}
}

function readAll(file: number, size: number): Buffer {
	const buffer = Buffer.allocUnsafe(size);
	let length = 0;
	while (length < size) {
		const read = fs.readSync(file, buffer, length, size - length, length);
		if (read === 0) break;
		length += read;
	}
	return buffer.subarray(0, length);
}

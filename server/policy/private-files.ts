import type { PrivateContent } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import { withTimeout } from '../paths/file-system.ts';
import type { LoadedFile } from '../record/agents.ts';
import type { PreparedRuns } from '../redaction/file-runs.ts';

/** Results are compared with at most so many files, in the map's order, and so many UTF-16 code units in all. */
export const MAX_FILES = 200;
export const MAX_LENGTH = 4_000_000;

/** How often files are checked for changes. */
const REFRESH_INTERVAL_MS = 1_000;

type Content = Pick<PrivateContent, 'entries' | 'paths' | 'off'>;

export interface PrivateFilesParts {
	readonly map: { resolve(entry: { readonly path: string }): string };
	/** The text of a Markdown file, now. @throws BrokerError */
	readonly readMarkdown: (path: string) => Promise<string>;
	readonly files: { readonly platform: NodeJS.Platform };
	/** A monotonic clock, in milliseconds. */
	readonly now: () => number;
}

/** The private files that results are compared with. They are prepared once, and again after a change. */
export class PrivateFiles {
	readonly #parts: PrivateFilesParts;
	/** By path, in the order of the map. */
	#files: ReadonlyMap<string, LoadedFile> = new Map();
	#prepared: PreparedRuns | undefined;
	/** Why results cannot be compared. */
	#fault: BrokerError | undefined;
	#content: Content | undefined;
	#refreshed = Number.NEGATIVE_INFINITY;
	#refreshing: Promise<void> = Promise.resolve();

	constructor(parts: PrivateFilesParts) {
		this.#parts = parts;
	}

	get isEmpty(): boolean {
		return this.#prepared === undefined && this.#fault === undefined;
	}

	/** Begins to read what has changed. A tool call usually takes longer, so its result need not wait. */
	refresh(content: Content): void {
		const now = this.#parts.now();
		if (content === this.#content && now - this.#refreshed < REFRESH_INTERVAL_MS) return;
		this.#content = content;
		this.#refreshed = now;
		this.#refreshing = this.#refreshing
			.then(async () => await this.#read(content))
			.then(
				() => {
					this.#fault = undefined;
				},
				(error: unknown) => {
					this.#fault = BrokerError.from(error);
				},
			);
	}

	/**
	 * The path of a file that a text repeats.
	 *
	 * @param known paths of files that the caller may have
	 * @throws BrokerError if the private files could not be read
	 */
	async repeatedIn(text: string, known: readonly string[]): Promise<string | undefined> {
		await this.#refreshing;
		if (this.#fault !== undefined) throw this.#fault;
		if (this.#prepared === undefined) return undefined;
		const { repeatedFile } = await import('../redaction/file-runs.ts');
		// Compares the texts, since two keys can lead to copies of one.
		const texts = known.map((path) => this.#files.get(path)?.text);
		// UTF-16 that a program took for bytes.
		const read = this.#isWindows ? text.replaceAll('\0', '') : text;
		return repeatedFile(read, this.#prepared, (path) => texts.includes(this.#files.get(path)?.text))?.path;
	}

	async #read({ entries, paths, off }: Content): Promise<void> {
		const { map, readMarkdown } = this.#parts;
		const isOff = off.includes('results');
		const written = [...entries.values(), ...paths.map((path) => ({ path }))].slice(0, isOff ? 0 : MAX_FILES);
		if (written.length + this.#files.size === 0) return;
		const resolved = [...new Set(written.map((entry) => map.resolve(entry)))];
		const read = await Promise.all(
			resolved.map(async (path) => {
				const known = this.#files.get(path);
				// If the file system does not answer, the last text stays: no tool can read the file now, either.
				const text = await withTimeout<string | undefined>(readMarkdown(path), known?.text);
				if (text === undefined) return undefined;
				return known?.text === text ? known : { path, text };
			}),
		);
		const compared = withinBounds(read.filter((file) => file !== undefined));
		const files = new Map(compared.map((file) => [file.path, file]));
		const isSame =
			files.size === this.#files.size && [...files].every(([path, file]) => this.#files.get(path) === file);
		if (isSame) return;
		const { prepareRuns } = await import('../redaction/file-runs.ts');
		this.#prepared =
			files.size === 0 ? undefined : prepareRuns([...files.values()].flatMap((file) => this.#readings(file)));
		this.#files = files;
	}

	get #isWindows(): boolean {
		return this.#parts.files.platform === 'win32';
	}

	/** A file, and how Windows PowerShell 5.1 reads it without a byte-order mark. */
	#readings(file: LoadedFile): readonly LoadedFile[] {
		const isSame = !this.#isWindows || /^\p{ASCII}*$/u.test(file.text);
		return isSame ? [file] : [file, { ...file, text: new TextDecoder('windows-1252').decode(Buffer.from(file.text)) }];
	}
}

/** The files within the limits above. @param files in the map's order */
export function withinBounds<F extends Pick<LoadedFile, 'text'>>(files: readonly F[]): F[] {
	let left = MAX_LENGTH;
	return files.slice(0, MAX_FILES).filter(({ text }) => {
		if (text.length > left) return false;
		left -= text.length;
		return true;
	});
}

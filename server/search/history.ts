import { once } from 'node:events';
import { type Entries, occurrencesIn } from '../redaction/occurrences.ts';
import { toUtf8 } from './encoding.ts';
import { GitError, partsOf, startGit } from './git.ts';
import { firstPart } from './list-files.ts';
import { MAX_FILE_LENGTH, type SearchedBatch, type SearchedFile, searchText } from './search-files.ts';

/** A version of a file, as a commit introduced it. */
interface Version {
	readonly commit: string;
	readonly path: string;
	/** Undefined if the content was searched under another path. */
	readonly blob: string | undefined;
}

/** Versions that are searched at a time. */
const BATCH_VERSIONS = 256;

const COMMIT = 'commit ';

/** A commit's header, followed by its changes. NUL ends each part. */
const FORMAT = 'commit %H%x00%an <%ae>%x00%cn <%ce>%x00%B%x00';

/** `--relative`: only files below the folder. */
const LOG = [
	...['log', '--all', '--reverse', '--no-abbrev', '--no-renames', '-m', '--relative', '-z'],
	`--format=${FORMAT}`,
];
const REFS = [
	'for-each-ref',
	'--format=%(objectname)%00%(objecttype) %(*objecttype)%00%(refname)%00%(taggername) %(taggeremail)%00%(contents)%00%01',
];

/**
 * Searches every version of every file that a ref leads to, each blob once; commit messages and authors, each author once;
 * and the names and texts of refs and tags.
 *
 * @param path as in a listing: '' for everything
 */
export async function* searchHistory(
	git: string,
	root: string,
	path: string,
	entries: Entries,
): AsyncGenerator<SearchedBatch> {
	const texts = new TextSearch(entries);
	let batch: Version[] = [];
	if (path === '') {
		for await (const part of partsOf(git, root, REFS, '\x01')) {
			const [object = '', types = '', name = '', tagger = '', contents = ''] = part.toString().trimStart().split('\0');
			texts.search(name, { commit: object, of: 'ref' });
			texts.search(tagger, { commit: object, of: 'author' });
			// For a ref to a commit, the contents are the commit's message.
			if (name.startsWith('refs/tags/')) texts.search(contents, { commit: object, of: 'message' });
			// A tag can point to a file that is in no commit, to a folder (which counts as binary), or to another tag.
			if (/(blob|tree|tag) ?$/.test(types)) batch.push({ commit: object, path: name, blob: `${object}^{}` });
		}
	}
	if ((await firstPart(git, root, ['rev-parse', '--is-shallow-repository'])) === 'true') {
		const [places, counts] = [[], new Map()];
		yield { count: 1, bytes: 0, files: [{ path: '.git/shallow', places, counts, inName: [], reason: 'not_fetched' }] };
	}
	const missing = await notFetched(git, root);
	const blobs = new BlobReader(git, root, missing);
	try {
		for await (const version of versionsOf(git, root, path, texts, missing)) {
			batch.push(version);
			if (batch.length < BATCH_VERSIONS) continue;
			yield await searchVersions(batch, blobs, entries, texts);
			batch = [];
		}
		yield await searchVersions(batch, blobs, entries, texts);
	} finally {
		blobs.end();
	}
}

const IS_PARTIAL = ['config', '--get-regexp', String.raw`^(extensions\.partialclone|remote\..*\.promisor)$`];
const MISSING = ['rev-list', '--objects', '--all', '--missing=print'];

/** Objects that a partial clone lacks. If git is asked for one of them, it exits. */
async function notFetched(git: string, root: string): Promise<ReadonlySet<string>> {
	const missing = new Set<string>();
	if ((await firstPart(git, root, IS_PARTIAL)) === undefined) return missing;
	for await (const part of partsOf(git, root, MISSING, '\n')) {
		const line = part.toString();
		if (line.startsWith('?')) missing.add(line.slice(1));
	}
	return missing;
}

async function searchVersions(
	batch: readonly Version[],
	blobs: BlobReader,
	entries: Entries,
	texts: TextSearch,
): Promise<SearchedBatch> {
	let [versions, bytes] = [0, 0];
	const files: SearchedFile[] = [];
	for (const { commit, path, blob } of batch) {
		const inName = occurrencesIn(path, entries);
		if (blob === undefined) {
			if (inName.length > 0) files.push({ path, commit, inName, places: [], counts: new Map(), reason: undefined });
			continue;
		}
		versions++;
		const content = await blobs.read(blob);
		const text = typeof content === 'string' ? content : toUtf8(content);
		if (typeof text === 'string') {
			files.push({ path, commit, inName, places: [], counts: new Map(), reason: text });
			continue;
		}
		bytes += text.length;
		const found = searchText(text, entries);
		if (found.places.length + inName.length > 0) files.push({ path, commit, inName, ...found, reason: undefined });
	}
	return { count: versions, bytes, files: [...texts.take(), ...files] };
}

/** Each blob and each path, with the first commit that has it. Passes commit messages and authors to `texts`. */
async function* versionsOf(
	git: string,
	root: string,
	path: string,
	texts: TextSearch,
	missing: ReadonlySet<string>,
): AsyncGenerator<Version> {
	try {
		yield* loggedVersions(git, root, [...LOG, '--raw', ...(path === '' ? [] : ['--', path])], texts);
	} catch (error) {
		const [blob] = missing;
		if (blob === undefined || !(error instanceof GitError)) throw error;
		// A clone without all of its trees: git cannot list each commit's changes.
		yield { commit: '', path: '.git/objects', blob };
		if (path === '') yield* loggedVersions(git, root, LOG, texts);
	}
}

async function* loggedVersions(
	git: string,
	root: string,
	args: readonly string[],
	texts: TextSearch,
): AsyncGenerator<Version> {
	/** Blobs and paths in one set: a path equals an object's name only by chance. */
	const seen = new Set<string>();
	let commit = '';
	/** How many parts of the header follow. */
	let header = 0;
	let blob: string | undefined;
	for await (const part of partsOf(git, root, args)) {
		const text = part.toString();
		if (header > 0) {
			header -= 1;
			texts.search(text, { commit, of: header === 0 ? 'message' : 'author' });
		} else if (blob !== undefined) {
			const isNew = blob !== '' && !seen.has(blob);
			if (isNew || !seen.has(text)) yield { commit, path: text, blob: isNew ? blob : undefined };
			seen.add(blob).add(text);
			blob = undefined;
		} else if (text.trimStart().startsWith(COMMIT)) {
			commit = text.trimStart().slice(COMMIT.length);
			header = 3;
		} else {
			// A deleted file has no new mode; a submodule has no blob.
			const [, mode, object] = /^\n*:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) /.exec(text) ?? [];
			if (object !== undefined) blob = mode === '000000' || mode === '160000' ? '' : object;
		}
	}
}

/** Searches texts outside of files, each once. */
class TextSearch {
	readonly #entries: Entries;
	readonly #seen = new Set<string>();
	#found: SearchedFile[] = [];

	constructor(entries: Entries) {
		this.#entries = entries;
	}

	search(text: string, of: Required<Pick<SearchedFile, 'commit' | 'of'>>): void {
		const name = `${of.of === 'author' ? '' : of.commit}\0${text}`;
		if (this.#seen.has(name)) return;
		if (this.#seen.size < 100_000) this.#seen.add(name);
		const found = searchText(Buffer.from(text), this.#entries);
		if (found.places.length > 0) this.#found.push({ path: '', ...of, inName: [], ...found, reason: undefined });
	}

	take(): SearchedFile[] {
		const found = this.#found;
		this.#found = [];
		return found;
	}
}

/** Reads blobs through one git process. */
class BlobReader {
	readonly #missing: ReadonlySet<string>;
	readonly #child: ReturnType<typeof startGit>;
	readonly #chunks: AsyncIterator<Buffer>;
	#rest: Buffer = Buffer.alloc(0);

	constructor(git: string, root: string, missing: ReadonlySet<string>) {
		this.#missing = missing;
		this.#child = startGit(git, root, ['cat-file', '--batch'], { stdin: 'pipe' });
		this.#child.on('error', () => {});
		this.#child.stdin?.on('error', () => {});
		this.#chunks = (this.#child.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
	}

	/** @returns the blob's bytes, or why they are missing */
	async read(blob: string): Promise<Buffer | 'not_fetched' | 'too_large' | 'unreadable'> {
		if (this.#missing.has(blob)) return 'not_fetched';
		const { stdin } = this.#child;
		if (stdin?.write(`${blob}\n`) === false) await once(stdin, 'drain');
		while (!this.#rest.includes('\n')) await this.#more();
		const end = this.#rest.indexOf('\n');
		const size = Number(this.#rest.toString('latin1', 0, end).split(' ')[2]);
		this.#rest = this.#rest.subarray(end + 1);
		if (Number.isNaN(size)) return 'unreadable'; // The object is missing or damaged.
		if (size > MAX_FILE_LENGTH) {
			for (let left = size + 1; left > 0; ) {
				if (this.#rest.length === 0) await this.#more();
				const taken = Math.min(left, this.#rest.length);
				left -= taken;
				this.#rest = this.#rest.subarray(taken);
			}
			return 'too_large';
		}
		const parts: Buffer[] = [];
		for (let left = size + 1; ; ) {
			const part = this.#rest.subarray(0, left);
			parts.push(part);
			left -= part.length;
			this.#rest = this.#rest.subarray(part.length);
			if (left === 0) return Buffer.concat(parts).subarray(0, size);
			await this.#more();
		}
	}

	end(): void {
		this.#child.kill();
	}

	async #more(): Promise<void> {
		const { done, value } = await this.#chunks.next();
		if (done === true) throw new GitError('cat-file');
		this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
	}
}

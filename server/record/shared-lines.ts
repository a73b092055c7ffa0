import { type BigIntStats, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { retryIfBusy, retryReadIfBusy } from '../bootstrap/retry.mjs';
import { listFolder } from './list-folder.ts';

const FILE = 'record.ndjson';

/**
 * Lines that several processes add without a lock. Each addition is one flushed write. On local disks it overwrites no
 * other: O_APPEND, and on Windows FILE_APPEND_DATA without FILE_WRITE_DATA. To remove lines, a process renames the file, and
 * writes the lines that count into a new one. So a writer checks afterwards that its file still has its name, and a reader
 * reads all files of the folder.
 */
export class SharedLines {
	readonly #folder: string;
	readonly #path: string;
	/** The last read: the file, its size, the end of its last whole line, and the names of all files. */
	#read: (FileState & { readonly end: bigint; readonly names: string }) | undefined;

	constructor(folder: string) {
		this.#folder = folder;
		this.#path = join(folder, FILE);
	}

	/** Resolves when the lines are on the disk, with the names of new files and folders. */
	async add(lines: readonly string[]): Promise<void> {
		// Begins with a line end: a line cut off by a power failure must not swallow the next one.
		const text = Buffer.from(`\n${lines.map((line) => `${line}\n`).join('')}`);
		for (;;) {
			const made = await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 });
			const file = await retryIfBusy(() => fs.open(this.#path, 'a', 0o600));
			try {
				const { bytesWritten } = await file.write(text);
				if (bytesWritten < text.length) throw new Error('The disk is full.');
				await file.sync();
				const written = await file.stat({ bigint: true });
				if ((await this.#stat()).id !== idOf(written)) continue;
				if (written.size > bytesWritten) return;
				await syncFolder(this.#folder);
				for (let path = this.#folder; made !== undefined && path.length >= made.length; path = dirname(path)) {
					await syncFolder(dirname(path));
				}
				return;
			} finally {
				await file.close();
			}
		}
	}

	/**
	 * The lines added since the last call, or all if anything else happened. One call at a time.
	 *
	 * @param beforeAll called before all lines are read
	 */
	async read(beforeAll: () => Promise<void>): Promise<{ readonly lines: readonly string[]; readonly areAll: boolean }> {
		for (;;) {
			const now = await this.#stat();
			const read = this.#read;
			// Without the file, only the names show whether renamed files have come.
			const isSame = read?.id === now.id && (now.id !== '' || read.names === String(await this.#names()));
			if (isSame && read.size === now.size) return { lines: [], areAll: false };
			const areAll = !isSame || read.size > now.size;
			if (areAll) await beforeAll();
			const {
				lines,
				end,
				id,
				names = '',
			} = areAll ? await this.#readAllAtOnce() : await readFrom(this.#path, read.end);
			// The file was renamed meanwhile.
			if (id !== now.id) continue;
			this.#read = { ...now, end, names };
			return { lines, areAll };
		}
	}

	/** Removes lines. @param shorten returns those that count */
	async shorten(shorten: (lines: readonly string[]) => readonly string[]): Promise<void> {
		const aside = join(this.#folder, `${crypto.randomUUID()}.ndjson`);
		await retryIfBusy(() => fs.rename(this.#path, aside)).catch(ignoreMissing);
		const names = await this.#names();
		const { lines } = await this.#readAll(names);
		await this.add(shorten(lines));
		const read = names.filter((name) => name !== FILE);
		for (const name of read) await retryIfBusy(() => fs.rm(join(this.#folder, name), { force: true }));
	}

	/** All lines. The id is `changed` if files came or went while they were read. */
	async #readAllAtOnce(): Promise<Part & { readonly names: string }> {
		const names = await this.#names();
		const read = await this.#readAll(names);
		const { id } = await this.#stat();
		const isSame = String(await this.#names()) === String(names);
		return { ...read, id: isSame ? id : 'changed', names: String(names) };
	}

	async #readAll(names: readonly string[]): Promise<{ readonly lines: readonly string[]; readonly end: bigint }> {
		let lines: readonly string[] = [];
		let end = 0n;
		for (const name of names) {
			const read = await readFrom(join(this.#folder, name), 0n);
			lines = lines.concat(read.lines);
			if (name === FILE) end = read.end;
		}
		return { lines, end };
	}

	async #names(): Promise<string[]> {
		const names = (await listFolder(this.#folder)) ?? [];
		return names.filter((name) => name.endsWith('.ndjson')).sort();
	}

	async #stat(): Promise<FileState> {
		const stats = await fs.stat(this.#path, { bigint: true }).catch(ignoreMissing);
		return stats === undefined ? { id: '', size: 0n } : { id: idOf(stats), size: stats.size };
	}
}

interface FileState {
	/** Empty if there is no file. */
	readonly id: string;
	readonly size: bigint;
}

interface Part {
	readonly id: string;
	readonly lines: readonly string[];
	readonly end: bigint;
	readonly names?: string;
}

/**
 * With the creation time: a new file can get the inode number of a removed one. On NTFS it cannot, and there a new file of
 * the same name can get the creation time of the removed one ("tunneling").
 */
function idOf({ ino, birthtimeNs }: BigIntStats): string {
	return `${ino} ${birthtimeNs}`;
}

/** Whole lines only: another process may be writing the last one. */
async function readFrom(path: string, start: bigint): Promise<Part> {
	const file = await retryReadIfBusy(() => fs.open(path, 'r')).catch(ignoreMissing);
	if (file === undefined) return { id: 'gone', lines: [], end: 0n };
	try {
		const stats = await file.stat({ bigint: true });
		const buffer = Buffer.alloc(Math.max(0, Number(stats.size - start)));
		const { bytesRead } = await file.read(buffer, 0, buffer.length, Number(start));
		const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
		const lines = buffer.toString('utf8', 0, end).split('\n');
		return { id: idOf(stats), lines: lines.filter(Boolean), end: start + BigInt(end) };
	} finally {
		await file.close();
	}
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'ENOENT') throw error;
}

/** Flushes the name of a new file to the disk. Windows cannot flush folders. */
async function syncFolder(path: string): Promise<void> {
	if (process.platform === 'win32') return;
	const folder = await fs.open(path, 'r');
	await folder.sync().finally(() => folder.close());
}

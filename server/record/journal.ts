import { type BigIntStats, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { BrokerError } from '../errors.ts';
import { lazily } from '../lazily.ts';
import { sha256 } from '../text/digest.ts';
import { OLDER_FOLDERS, readOlder } from './older-folders.ts';

const lineSchema = lazily(() =>
	z.object({
		session: z._default(z.string(), ''),
		/** A subagent's id; empty for the main agent. Undefined if the line is of the whole session. */
		agent: z.optional(z.string()),
		/** `plugin:agent` or `agent`. */
		type: z._default(z.string(), ''),
		/** The transcript of the session's main thread: absolute. */
		transcript: z._default(z.string(), ''),
		/** Milliseconds since 1970. */
		since: z._default(z.number(), 0),
		/** The agent has got a private file. */
		loaded: z._default(z.boolean(), false),
		/** The process id of the client that runs it. */
		client: z.optional(z.number()),
		/** Nothing is left of what the agent has got: earlier lines do not count as loads any more. */
		cleaned: z._default(z.boolean(), false),
		/** The session, and the agent if there is one, hold private data. */
		private: z._default(z.boolean(), false),
		/** Digests of the names of holders, of lines that are gone. */
		marks: z._default(z.array(z.string()), []),
	}),
);

type Line = z.infer<ReturnType<typeof lineSchema>>;

/** What happened: an agent got a private file, or private data; or a session turned out to hold some. */
export type Entry = Pick<Line, 'session'> & Partial<Pick<Line, 'agent' | 'type' | 'transcript' | 'loaded' | 'private'>>;

/** That an agent has got a private file. Holds nothing of its content, and neither key nor path of it. */
export type Load = Readonly<Pick<Line, 'session' | 'type' | 'transcript' | 'since'>> & {
	readonly agent: string;
	/** The process id of the client that runs it. */
	readonly client?: number | undefined;
	readonly isPrivate: boolean;
};

/** A session, or one of its agents. The id of a subagent is one of all sessions. */
export interface Holder {
	readonly session: string;
	readonly agent?: string;
}

/** About as long as Claude Code keeps transcripts. */
const LOAD_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

/** A thousand times what somebody has who scans once a workday. */
const MAX_MARKS = 20_000;

/** So many lines may say nothing new. */
const MAX_WASTE = 100;

const FILE = 'record.ndjson';

/**
 * Who has got what, for all processes and sessions: lines that are only added, so that several processes can write at a
 * time. What is added is on the disk before anything goes out.
 */
export class Journal {
	readonly #data: string;
	readonly #folder: string;
	readonly #path: string;
	readonly #now: () => number;
	readonly #report: (error: BrokerError) => void;
	readonly #client: number | undefined;
	#index: Index;
	/** What this process has added. It counts even if somebody removes the file. */
	#own: Line[] = [];
	/** What was read of the file: which one it was, its size then, and up to where. */
	#read: (FileState & { readonly end: bigint }) | undefined;
	#reading: Promise<void> = Promise.resolve();
	readonly #told = new Set<string>();
	#isUnreadable = false;
	#hasOlder = false;

	/**
	 * @param data the data folder
	 * @param now milliseconds since 1970
	 * @param report told once of what cannot be read
	 * @param client its process id
	 */
	constructor(data: string, now: () => number, report: (error: BrokerError) => void, client?: number) {
		this.#data = data;
		this.#folder = join(data, 'record');
		this.#path = join(this.#folder, FILE);
		this.#now = now;
		this.#report = report;
		this.#client = client;
		this.#index = new Index(now);
	}

	/** Writes down what happened, in one step. It counts in memory at once. @throws BrokerError `state_unwritable` */
	async add(entries: readonly Entry[]): Promise<void> {
		const lines = entries.map((entry) => lineSchema().parse({ ...entry, since: this.#now(), client: this.#client }));
		for (const line of lines) this.#index.hold(line);
		const fresh = lines.filter((line) => factsOf(line).some((fact) => !this.#index.written.has(fact)));
		if (fresh.length === 0) return;
		try {
			await this.#append(fresh);
		} catch (cause) {
			throw new BrokerError('state_unwritable', { cause });
		}
		this.#own.push(...fresh);
		for (const line of fresh) this.#index.add(line);
	}

	/** Notes that nothing is left of what agents have got. What was never written down needs no note. */
	async forget(agents: readonly { readonly session: string; readonly agent: string }[]): Promise<void> {
		const known = new Set((await this.loads()).map(keyOf));
		const lines = agents.filter((agent) => known.has(keyOf(agent)));
		if (lines.length === 0) return;
		const cleaned = lines.map(({ session, agent }) => lineSchema().parse({ session, agent, cleaned: true }));
		await this.#append(cleaned);
	}

	/** The agents that have got a private file, in any process. The same list until something changes. */
	async loads(): Promise<readonly Load[]> {
		await this.#refresh();
		return this.#index.loads();
	}

	/** Whether a session or an agent holds private data, or may hold some since nobody can look. */
	async holds(holder: Holder): Promise<boolean> {
		if (this.#index.holds(holder)) return true;
		await this.#refresh();
		return this.#isUnreadable || this.#index.holds(holder);
	}

	/** Leaves out of the file what says nothing any more: loads of more than 30 days ago, and doubles. */
	async compact(): Promise<void> {
		await this.#refresh();
		if (this.#isUnreadable || !(this.#hasOlder || this.#index.waste() > MAX_WASTE || this.#index.hasExpired)) return;
		const folder = this.#folder;
		// Whoever adds a line to the renamed file notices it and adds it again; whoever reads, reads all files.
		const renamed = `${crypto.randomUUID()}.ndjson`;
		await fs.rename(this.#path, join(folder, renamed)).catch(ignoreMissing);
		const names = await this.#names();
		const index = await this.#readAll(names);
		await this.#append(index.lines());
		for (const name of names) if (name !== FILE) await fs.rm(join(folder, name), { force: true });
		for (const name of OLDER_FOLDERS) await fs.rm(join(this.#data, name), { recursive: true, force: true });
	}

	/** One look after the other: one that began before a line was added must not stand for one after it. */
	async #refresh(): Promise<void> {
		const reading = this.#reading.then(async () => {
			try {
				await this.#look();
				this.#isUnreadable = false;
			} catch (cause) {
				if (!this.#isUnreadable) this.#report(new BrokerError('state_unreadable', { cause }));
				this.#isUnreadable = true;
			}
		});
		this.#reading = reading;
		await reading;
	}

	async #look(): Promise<void> {
		const { id, size } = await this.#stat();
		const read = this.#read;
		if (read?.id === id && read.size === size) return;
		if (read?.id === id && read.size < size) {
			const more = await readFrom(this.#path, read.end).catch(ignoreMissing);
			if (more?.id !== id) return await this.#look(); // It is being compacted.
			this.#addText(this.#index, more.text);
			this.#read = { id, size, end: more.end };
			return;
		}
		const index = await this.#readAll(await this.#names());
		// A compaction can have moved lines from a file that was not read yet to one that was.
		if ((await this.#stat()).id !== id) return await this.#look();
		for (const line of this.#own) index.add(line);
		this.#index = index;
		this.#read = { id, size, end: index.end };
	}

	async #stat(): Promise<FileState> {
		const stats = await fs.stat(this.#path, { bigint: true }).catch(ignoreMissing);
		return stats === undefined ? { id: '', size: 0n } : { id: idOf(stats), size: stats.size };
	}

	async #names(): Promise<string[]> {
		const names = (await fs.readdir(this.#folder).catch(ignoreMissing)) ?? [];
		return names.filter((name) => name.endsWith('.ndjson'));
	}

	async #readAll(names: readonly string[]): Promise<Index> {
		const index = new Index(this.#now);
		const older = await readOlder(this.#data, (path) => this.#tellUnreadable(path));
		this.#hasOlder = older !== undefined;
		if (older !== undefined) {
			index.mark(older.marks);
			for (const { isPrivate, ...load } of older.loads) {
				index.add(lineSchema().parse({ ...load, loaded: true, private: isPrivate !== false }));
			}
		}
		for (const name of names) {
			const read = await readFrom(join(this.#folder, name), 0n).catch(ignoreMissing);
			if (read === undefined) continue;
			this.#addText(index, read.text);
			if (name === FILE) index.end = read.end;
		}
		return index;
	}

	#addText(index: Index, text: string): void {
		for (const line of text.split('\n')) {
			if (line === '') continue;
			try {
				const read = lineSchema().parse(JSON.parse(line));
				index.add(read);
				if (read.cleaned) this.#own = this.#own.filter((own) => !own.loaded || keyOf(own) !== keyOf(read));
			} catch {
				// Nothing went out for a line that was not written wholly.
				this.#tellUnreadable(this.#path);
			}
		}
	}

	#tellUnreadable(path: string): void {
		if (this.#told.has(path)) return;
		this.#told.add(path);
		this.#report(new BrokerError('state_unreadable', { note: `It is ${path}` }));
	}

	async #append(lines: readonly Line[]): Promise<void> {
		// A line that a power failure has cut off must not take the next one along.
		const text = Buffer.from(`\n${lines.map((line) => `${JSON.stringify(shortened(line))}\n`).join('')}`);
		for (;;) {
			const made = await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 });
			const file = await fs.open(this.#path, 'a', 0o600);
			try {
				const { bytesWritten } = await file.write(text);
				if (bytesWritten < text.length) throw new Error('The disk is full.');
				await file.sync();
				const written = await file.stat({ bigint: true });
				const there = await fs.stat(this.#path, { bigint: true }).catch(ignoreMissing);
				if (there?.ino !== written.ino) continue; // It is being compacted.
				if (written.size > bytesWritten) return;
				await syncFolder(this.#folder);
				// Each folder that was made has its name in the one above it.
				for (let path = this.#folder; made !== undefined && path.length >= made.length; path = dirname(path)) {
					await syncFolder(dirname(path));
				}
				return;
			} finally {
				await file.close();
			}
		}
	}
}

/** What lines say together. */
class Index {
	readonly #now: () => number;
	readonly #loads = new Map<string, Load>();
	#list: readonly Load[] | undefined;
	/** By name. */
	readonly #holders = new Set<string>();
	readonly #marks = new Set<string>();
	/** The facts of the lines that were read or written. */
	readonly written = new Set<string>();
	#lines = 0;
	hasExpired = false;
	/** Up to where the file was read. */
	end = 0n;

	constructor(now: () => number) {
		this.#now = now;
	}

	hold({ session, agent, private: isPrivate }: Line): void {
		if (!isPrivate) return;
		this.#holders.add(nameOf({ session }));
		if (agent !== undefined) this.#holders.add(nameOf({ session, agent }));
	}

	mark(marks: readonly string[]): void {
		for (const mark of marks) this.#marks.add(mark.slice(0, MARK_LENGTH));
	}

	add(line: Line): void {
		const { session, agent = '', type, transcript, since, client, loaded } = line;
		const key = keyOf(line);
		this.#lines += 1;
		if (line.cleaned) {
			for (const fact of this.written) if (fact.startsWith(`loaded ${key} `)) this.written.delete(fact);
			if (this.#loads.delete(key)) this.#list = undefined;
			return;
		}
		this.mark(line.marks);
		this.hold(line);
		const isExpired = loaded && this.#now() - since > LOAD_LIFETIME_MS;
		this.hasExpired ||= isExpired;
		if (isExpired) return;
		for (const fact of factsOf(line)) this.written.add(fact);
		if (!loaded || line.agent === undefined) return;
		const known = this.#loads.get(key);
		const isPrivate = line.private || known?.isPrivate === true;
		if (known?.isPrivate === isPrivate && known.client === client) return;
		const first = Math.min(since, known?.since ?? since);
		this.#loads.set(key, { session, agent, type, transcript, since: first, client, isPrivate });
		this.#list = undefined;
	}

	loads(): readonly Load[] {
		this.#list ??= [...this.#loads.values()];
		return this.#list;
	}

	holds(holder: Holder): boolean {
		const name = nameOf(holder);
		return this.#holders.has(name) || (this.#marks.size > 0 && this.#marks.has(markOf(name)));
	}

	/** How many lines say nothing that others do not say. */
	waste(): number {
		return this.#lines - this.#loads.size;
	}

	/** The fewest lines that say the same. */
	lines(): Line[] {
		const marks = [...this.#marks, ...[...this.#holders].map(markOf)];
		const lines = [...this.#loads.values()].map(({ isPrivate, ...load }) => ({
			...load,
			...{ loaded: true, cleaned: false, private: isPrivate, marks: [] },
		}));
		return [lineSchema().parse({ marks: [...new Set(marks)].slice(-MAX_MARKS) }), ...lines];
	}
}

const MARK_LENGTH = 16;

function keyOf({ session, agent = '' }: { readonly session: string; readonly agent?: string | undefined }): string {
	return `${session}\0${agent}`;
}

function nameOf({ session, agent }: Holder): string {
	// The NUL keeps the names of agents apart from those of sessions.
	if (agent === undefined) return session;
	return agent === '' ? `${session}\0main` : `\0${agent}`;
}

function markOf(name: string): string {
	return sha256(name).slice(0, MARK_LENGTH);
}

/** What a line says, each as a text. */
function factsOf({ session, agent, client, loaded, private: isPrivate }: Line): string[] {
	const facts = isPrivate ? [`private ${nameOf({ session })}`] : [];
	if (agent === undefined) return facts;
	if (isPrivate) facts.push(`private ${nameOf({ session, agent })}`);
	return loaded ? [...facts, `loaded ${keyOf({ session, agent })} ${client}`] : facts;
}

/** Without what a line does not say. */
function shortened(line: Line): object {
	const isSaid = ([name, value]: [string, unknown]) =>
		name === 'agent' ? value !== undefined : Boolean(value) && !(Array.isArray(value) && value.length === 0);
	return Object.fromEntries(Object.entries(line).filter(isSaid));
}

interface FileState {
	/** Which file it is; empty if there is none. */
	readonly id: string;
	readonly size: bigint;
}

/** The number of a file that is gone can be given to a new one. */
function idOf({ ino, birthtimeNs }: BigIntStats): string {
	return `${ino} ${birthtimeNs}`;
}

/** Whole lines only: another process can be writing the last one. */
async function readFrom(path: string, start: bigint): Promise<{ id: string; text: string; end: bigint }> {
	const file = await fs.open(path, 'r');
	try {
		const stats = await file.stat({ bigint: true });
		const id = idOf(stats);
		const buffer = Buffer.alloc(Math.max(0, Number(stats.size - start)));
		const { bytesRead } = await file.read(buffer, 0, buffer.length, Number(start));
		const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
		return { id, text: buffer.toString('utf8', 0, end), end: start + BigInt(end) };
	} finally {
		await file.close();
	}
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'ENOENT') throw error;
}

/** The name of a new file lasts when its folder was written. Windows has no such thing. */
async function syncFolder(path: string): Promise<void> {
	if (process.platform === 'win32') return;
	const folder = await fs.open(path, 'r');
	await folder.sync().finally(() => folder.close());
}

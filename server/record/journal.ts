import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { retryIfBusy } from '../bootstrap/retry.mjs';
import { BrokerError } from '../errors.ts';
import { sha256 } from '../text/digest.ts';
import { OLDER_FOLDERS, type Older, readOlder } from './older-folders.ts';
import { SharedLines } from './shared-lines.ts';

interface Line {
	readonly session?: string;
	/** A subagent's id; empty for the main agent. Undefined if the line is about the whole session. */
	readonly agent?: string | undefined;
	/** `plugin:agent` or `agent`. */
	readonly type?: string;
	/** The transcript of the session's main thread: absolute. */
	readonly transcript?: string;
	/** Milliseconds since 1970. */
	readonly since?: number;
	readonly loaded?: boolean;
	/** The process id of the client that runs it. */
	readonly client?: number | undefined;
	/** Nothing that the agent has loaded is left in Claude Code's files: earlier lines no longer count as loads. */
	readonly cleaned?: boolean;
	/** The session, and the agent if there is one, hold private data. */
	readonly private?: boolean;
	/** Digests of the names of holders, from lines that were removed. */
	readonly marks?: readonly string[];
}

/** The `typeof` of each field. */
const FIELDS: Readonly<Record<keyof Line, string>> = {
	...{ session: 'string', agent: 'string', type: 'string', transcript: 'string', since: 'number', client: 'number' },
	...{ loaded: 'boolean', cleaned: 'boolean', private: 'boolean', marks: 'object' },
};

/** An agent got a private file or private data, or a session turned out to be private. */
export type Entry = Pick<Line, 'agent' | 'type' | 'transcript' | 'loaded' | 'private'> & { readonly session: string };

/** An agent got a private file. Contains neither its content nor its key or path. */
export type Load = Readonly<Required<Pick<Line, 'session' | 'type' | 'transcript' | 'since'>>> & {
	readonly agent: string;
	/** The process id of the client that runs it. */
	readonly client?: number | undefined;
	readonly isPrivate: boolean;
};

/** A session, or one of its agents. The id of a subagent is unique among all sessions. */
export interface Holder {
	readonly session: string;
	readonly agent?: string | undefined;
}

/** About as long as Claude Code keeps transcripts. */
const LOAD_LIFETIME_MS = 30 * 24 * 60 * 60 * 1_000;

/** A thousand times the marks of a user who scans once a workday. */
const MAX_MARKS = 20_000;

/** A session of an older version can still run this long. It reads only its own folders, so they stay until then. */
const OLDER_LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000;

/** Redundant lines before the file is shortened. */
const MAX_WASTE = 100;

/** Records who got private data, in all processes and sessions. It is on the disk before the data goes out. */
export class Journal {
	readonly #data: string;
	readonly #lines: SharedLines;
	readonly #now: () => number;
	readonly #report: (error: BrokerError) => void;
	readonly #client: number | undefined;
	#index: Index;
	/** The lines that this process has added. They count even if somebody removes the file. */
	#own: Line[] = [];
	#reading: Promise<void> = Promise.resolve();
	#isUnreadable = false;
	#older: Older | undefined;
	readonly #reported = new Set<string>();

	/**
	 * @param report called once for each file that cannot be read
	 * @param client the client's process id
	 */
	constructor(data: string, now: () => number, report: (error: BrokerError) => void, client?: number) {
		this.#data = data;
		this.#lines = new SharedLines(join(data, 'record'));
		this.#now = now;
		this.#report = report;
		this.#client = client;
		this.#index = new Index(now);
	}

	/** Adds all or nothing. It counts in memory at once. @throws BrokerError `state_unwritable` */
	async add(entries: readonly Entry[]): Promise<void> {
		const lines = entries.map((entry) => ({ ...entry, since: this.#now(), client: this.#client }));
		// Somebody can have removed the file.
		await this.#refresh();
		const fresh = lines.filter((line) => !this.#index.isWritten(line));
		for (const line of fresh) this.#index.addHolders(line);
		if (fresh.length === 0) return;
		try {
			await this.#lines.add(fresh.map((line) => JSON.stringify(line)));
		} catch (cause) {
			throw new BrokerError('state_unwritable', { cause });
		}
		this.#own.push(...fresh);
		for (const line of fresh) this.#index.add(line);
	}

	/** Records that nothing is left of what agents have loaded. Skips agents without a recorded load. */
	async forget(agents: readonly { readonly session: string; readonly agent: string }[]): Promise<void> {
		const known = new Set((await this.loads()).map(keyOf));
		const lines = agents.filter((agent) => known.has(keyOf(agent)));
		if (lines.length === 0) return;
		const cleaned = lines.map(({ session, agent }) => ({ session, agent, cleaned: true }));
		await this.#lines.add(cleaned.map((line) => JSON.stringify(line)));
	}

	/** The agents that got a private file, in any process. Returns the same list until something changes. */
	async loads(): Promise<readonly Load[]> {
		await this.#refresh();
		return this.#index.loads();
	}

	/** Whether a session or an agent holds private data. True if the record cannot be read. */
	async holds(holder: Holder): Promise<boolean> {
		if (this.#index.holds(holder)) return true;
		await this.#refresh();
		return this.#isUnreadable || this.#index.holds(holder);
	}

	/** Shortens the file if that is worth it: drops loads of more than 30 days ago, and duplicates. */
	async compact(): Promise<void> {
		await this.#refresh();
		const isOlderGone = this.#older !== undefined && this.#now() - this.#older.changed > OLDER_LIFETIME_MS;
		const isWorthIt = isOlderGone || this.#index.waste() > MAX_WASTE || this.#index.hasExpired;
		if (this.#isUnreadable || !isWorthIt) return;
		await this.#lines.shorten((lines) => this.#indexOf(lines).lines());
		if (!isOlderGone) return;
		for (const name of OLDER_FOLDERS) {
			await retryIfBusy(() => fs.rm(join(this.#data, name), { recursive: true, force: true }));
		}
	}

	/** One read after the other: a read that began before a line was added must not answer for a later one. */
	async #refresh(): Promise<void> {
		const reading = this.#reading.then(async () => {
			try {
				await this.#read();
				this.#isUnreadable = false;
			} catch (cause) {
				if (!this.#isUnreadable) this.#report(new BrokerError('state_unreadable', { cause }));
				this.#isUnreadable = true;
			}
		});
		this.#reading = reading;
		await reading;
	}

	async #read(): Promise<void> {
		const { lines, areAll } = await this.#lines.read(async () => {
			// Before the lines: what is no longer in the folders is in the lines by then.
			this.#older = await readOlder(this.#data, (path) => this.#reportUnreadable(path));
		});
		if (!areAll) {
			this.#addTo(this.#index, lines);
			return;
		}
		const index = this.#indexOf(lines);
		for (const line of this.#own) index.add(line, false);
		this.#index = index;
	}

	#indexOf(lines: readonly string[]): Index {
		const index = new Index(this.#now);
		index.mark(this.#older?.marks ?? []);
		for (const { isPrivate, ...load } of this.#older?.loads ?? []) {
			index.add({ ...load, loaded: true, private: isPrivate !== false }, false);
		}
		this.#addTo(index, lines);
		return index;
	}

	#addTo(index: Index, lines: readonly string[]): void {
		for (const line of lines) {
			try {
				const read = toLine(line);
				index.add(read);
				if (read.cleaned) this.#own = this.#own.filter((own) => !own.loaded || keyOf(own) !== keyOf(read));
			} catch {
				// Ignored: nothing goes out for a line that is not written completely.
				this.#reportUnreadable(join(this.#data, 'record'));
			}
		}
	}

	#reportUnreadable(path: string): void {
		if (this.#reported.has(path)) return;
		this.#reported.add(path);
		this.#report(new BrokerError('state_unreadable', { note: `The file is ${path}` }));
	}
}

class Index {
	readonly #now: () => number;
	readonly #loads = new Map<string, Load>();
	#list: readonly Load[] | undefined;
	readonly #holders = new Set<string>();
	readonly #marks = new Set<string>();
	/** Names of holders and keys of loads that may have no line in the file. */
	readonly #unwritten = new Set<string>();
	#lines = 0;
	hasExpired = false;

	constructor(now: () => number) {
		this.#now = now;
	}

	/** Adds the holders of a line, which may not be written yet. */
	addHolders(line: Line): void {
		for (const name of holdersIn(line)) {
			if (!this.#holders.has(name)) this.#unwritten.add(name);
			this.#holders.add(name);
		}
	}

	/** Whether the file already says all that a line says. */
	isWritten(line: Line): boolean {
		const key = keyOf(line);
		const isLoadWritten =
			!line.loaded ||
			(this.#loads.get(key)?.client === line.client && this.#loads.has(key) && !this.#unwritten.has(key));
		return isLoadWritten && holdersIn(line).every((name) => this.#holders.has(name) && !this.#unwritten.has(name));
	}

	mark(marks: readonly string[]): void {
		for (const mark of marks) this.#marks.add(mark.slice(0, MARK_LENGTH));
	}

	/** @param isWritten whether the file certainly has the line */
	add(line: Line, isWritten = true): void {
		const { session = '', agent = '', type = '', transcript = '', since = 0, client, loaded } = line;
		const key = keyOf(line);
		if (isWritten) this.#lines += 1;
		if (line.cleaned) {
			if (this.#loads.delete(key)) this.#list = undefined;
			return;
		}
		if (line.marks !== undefined) this.mark(line.marks);
		this.addHolders(line);
		if (isWritten) for (const name of holdersIn(line)) this.#unwritten.delete(name);
		const isExpired = loaded === true && this.#now() - since > LOAD_LIFETIME_MS;
		this.hasExpired ||= isExpired && isWritten;
		if (!loaded || isExpired) return;
		const known = this.#loads.get(key);
		if (isWritten) this.#unwritten.delete(key);
		else if (known === undefined) this.#unwritten.add(key);
		const isPrivate = line.private === true || known?.isPrivate === true;
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

	waste(): number {
		return this.#lines - this.#loads.size;
	}

	/** The fewest lines that say the same. */
	lines(): string[] {
		const marks = [...this.#marks, ...[...this.#holders].map(markOf)];
		const lines = [...this.#loads.values()].map(({ isPrivate, ...load }) => ({
			...load,
			...{ loaded: true, private: isPrivate },
		}));
		return [{ marks: [...new Set(marks)].slice(-MAX_MARKS) }, ...lines].map((line) => JSON.stringify(line));
	}
}

/** In hexadecimal digits. */
const MARK_LENGTH = 16;

function keyOf({ session = '', agent = '' }: Pick<Line, 'session' | 'agent'>): string {
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

/** The names of the session and the agent that hold private data by a line. */
function holdersIn({ session = '', agent, private: isPrivate }: Line): readonly string[] {
	if (isPrivate !== true) return [];
	return [session, nameOf({ session, agent })];
}

/** Ignores fields of later versions. Without a schema, which is several times slower. @throws Error if it is no line */
function toLine(text: string): Line {
	const line = JSON.parse(text);
	let isValid = line?.constructor === Object;
	for (const name in line) {
		const type = FIELDS[name as keyof Line];
		if (type !== undefined && typeof line[name] !== type) isValid = false;
	}
	if (!isValid) throw new TypeError('No line of the record.');
	return line;
}

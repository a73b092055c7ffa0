import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { BrokerError } from '../errors.ts';
import { writeAtomically } from '../files/write-atomically.ts';
import { lazy } from '../memoize.ts';
import { sha256 } from '../text/digest.ts';

const recordSchema = lazy(() =>
	z.strictObject({
		/** The session's id. */
		session: z.string(),
		/** The subagent's id; empty for a main thread that was started as an agent. */
		agent: z.string(),
		/** What it is, `plugin:agent` or `agent`. */
		type: z.string(),
		/** The transcript of the session's main thread: absolute. */
		transcript: z.string(),
		/** Milliseconds since 1970. */
		since: z.number(),
		/** Where nothing of what it has loaded is private data. */
		isPrivate: z.optional(z.literal(false)),
	}),
);

/** That an agent has loaded private context. Holds nothing of the content, and neither key nor path of it. */
export type LoadRecord = z.infer<ReturnType<typeof recordSchema>>;

/** In milliseconds: about as long as Claude Code keeps transcripts. */
const LIFETIME = 30 * 24 * 60 * 60 * 1_000;

/** All in one file, since to read many files takes time. One that is not in it is read by itself. */
const COPY = '.all';

/** So many are read as fast one by one, and have no copy. */
const FEW = 10;

/** Milliseconds. A folder changed less than this ago can change again without a new time stamp. */
const TOO_FRESH = 50;

/**
 * The agents that have loaded private context, in this session or another: one small file each, since sessions run at
 * the same time.
 */
export class LoadRecords {
	readonly #folder: string;
	readonly #now: () => number;
	readonly #onUnreadable: (error: BrokerError) => void;
	#isTold = false;
	/** What was found last, and when the folder had changed last. */
	#listed: { readonly at: bigint; readonly records: readonly LoadRecord[] } | undefined;
	/** By file name; a record does not change, since what is private has a name of its own. */
	readonly #known = new Map<string, LoadRecord | undefined>();

	/**
	 * @param folder made when the first record is written
	 * @param now milliseconds since 1970
	 * @param onUnreadable told once of a record that is not valid
	 */
	constructor(folder: string, now: () => number, onUnreadable: (error: BrokerError) => void) {
		this.#folder = folder;
		this.#now = now;
		this.#onUnreadable = onUnreadable;
	}

	/** Writes one down, before the content is given out. @throws BrokerError `state_unwritable` */
	async add(record: Omit<LoadRecord, 'since'>): Promise<void> {
		const name = nameOf(record);
		if (this.#known.get(name) !== undefined) return;
		const whole = { ...record, since: this.#now() };
		try {
			await writeAtomically(join(this.#folder, name), JSON.stringify(whole));
		} catch (cause) {
			throw new BrokerError('state_unwritable', { cause });
		}
		this.#known.set(name, whole);
	}

	/** All of them, also those that other sessions have added. The same list as long as nothing was added or removed. */
	async all(): Promise<readonly LoadRecord[]> {
		const { mtimeNs } = (await fs.stat(this.#folder, { bigint: true }).catch(() => undefined)) ?? {};
		if (mtimeNs !== undefined && this.#listed?.at === mtimeNs) return this.#listed.records;
		const names = await this.#names();
		if (this.#known.size === 0 && names.length > FEW) {
			const copied = await this.#copy();
			for (const name of names) if (copied.has(name)) this.#known.set(name, copied.get(name));
		}
		const records = (await Promise.all(names.map((name) => this.#read(name)))).filter((record) => record !== undefined);
		const isOld = mtimeNs !== undefined && Date.now() - Number(mtimeNs / 1_000_000n) > TOO_FRESH;
		this.#listed = isOld ? { at: mtimeNs, records } : undefined;
		return records;
	}

	/** Whether there is a record that an agent has loaded private data, or may be one: what can't be read counts. */
	async mayHold(session: string, agent: string): Promise<boolean> {
		const name = nameOf({ session, agent });
		if (this.#known.get(name) !== undefined) return true;
		try {
			await fs.lstat(join(this.#folder, name));
			return true;
		} catch (error) {
			return (error as NodeJS.ErrnoException).code !== 'ENOENT';
		}
	}

	/** Removes those that are older than 30 days, and writes the others into one file, too. */
	async tidy(): Promise<void> {
		for (const { session, agent, isPrivate, since } of await this.all()) {
			if (this.#now() - since <= LIFETIME) continue;
			const name = nameOf({ session, agent, ...(isPrivate === false ? { isPrivate } : {}) });
			this.#known.delete(name);
			await fs.rm(join(this.#folder, name), { force: true });
		}
		const valid = [...this.#known].filter(([, record]) => record !== undefined);
		if (valid.length <= FEW) return;
		const copied = await this.#copy();
		if (copied.size === valid.length && valid.every(([name]) => copied.has(name))) return;
		await writeAtomically(join(this.#folder, COPY), JSON.stringify(valid));
	}

	/** Those of the one file, by name. It only saves time: without it each is read by itself. */
	async #copy(): Promise<ReadonlyMap<string, LoadRecord>> {
		const text = await fs.readFile(join(this.#folder, COPY), 'utf8').catch(() => '[]');
		try {
			return new Map(z.array(z.tuple([z.string(), recordSchema()])).parse(JSON.parse(text)));
		} catch {
			return new Map();
		}
	}

	async #names(): Promise<string[]> {
		try {
			return (await fs.readdir(this.#folder)).filter((name) => /^[0-9a-f]+(\.open)?\.json$/.test(name));
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
			if (!this.#isTold) this.#onUnreadable(new BrokerError('state_unreadable', { cause: error }));
			this.#isTold = true;
			return [...this.#known.keys()];
		}
	}

	async #read(name: string): Promise<LoadRecord | undefined> {
		if (!this.#known.has(name)) this.#known.set(name, await this.#parse(name));
		return this.#known.get(name);
	}

	async #parse(name: string): Promise<LoadRecord | undefined> {
		try {
			return recordSchema().parse(JSON.parse(await fs.readFile(join(this.#folder, name), 'utf8')));
		} catch (cause) {
			// Another session removed it as old.
			if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
			this.#onUnreadable(new BrokerError('state_unreadable', { note: `It is ${join(this.#folder, name)}`, cause }));
			return undefined;
		}
	}
}

/** The name of a record's file. One of what is not private can't take the place of the other. */
function nameOf({ session, agent, isPrivate }: Pick<LoadRecord, 'session' | 'agent' | 'isPrivate'>): string {
	const digest = sha256(`${session}\0${agent}`).slice(0, 32);
	return isPrivate === false ? `${digest}.open.json` : `${digest}.json`;
}

import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { BrokerError } from '../errors.ts';
import { writeAtomically } from '../files/write-atomically.ts';
import { lazily } from '../lazily.ts';
import { sha256 } from '../text/digest.ts';

const recordSchema = lazily(() =>
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

/**
 * The agents that have loaded private context, in this session or another: one small file each, since sessions run at
 * the same time.
 */
export class LoadRecords {
	readonly #folder: string;
	readonly #now: () => number;
	readonly #onUnreadable: (error: BrokerError) => void;
	#isTold = false;
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

	/** All of them, also those that other sessions have added. */
	async all(): Promise<readonly LoadRecord[]> {
		const names = await this.#names();
		const records = await Promise.all(names.map((name) => this.#read(name)));
		return records.filter((record) => record !== undefined);
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

	/** Removes those that are older than 30 days. */
	async removeOld(): Promise<void> {
		for (const name of await this.#names()) {
			const record = await this.#read(name);
			if (record !== undefined && this.#now() - record.since > LIFETIME) {
				this.#known.delete(name);
				await fs.rm(join(this.#folder, name), { force: true });
			}
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

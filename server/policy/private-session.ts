import { BrokerError } from '../errors.ts';

/** Where it is written down which sessions hold private data. */
export interface PrivateSessionStore {
	/** @throws BrokerError `state_unwritable` */
	add(session: string): Promise<void>;
	/** Whether a session has a mark, or may have one. */
	has(session: string): Promise<boolean>;
}

/**
 * Whether the session that this process serves holds private data. Once it does, it does for good: also in the sessions
 * that follow in this process, and in later processes of the session.
 */
export class PrivateSession {
	readonly #store: PrivateSessionStore;
	readonly #report: (error: BrokerError) => void;
	#isMarked = false;
	/** A process sees more than one id where the person starts over in it. What is going on about each. */
	readonly #met = new Map<string, Promise<void>>();
	/** The ids of which the mark is written down. */
	readonly #written = new Set<string>();

	/** @param report told of a mark that could not be passed on */
	constructor(store: PrivateSessionStore, report: (error: BrokerError) => void) {
		this.#store = store;
		this.#report = report;
	}

	get isMarked(): boolean {
		return this.#isMarked;
	}

	/** Whether an id is one of this session. */
	knows(session: string): boolean {
		return this.#met.has(session);
	}

	/** A session is known, of the environment or of an event. Resolves when it is known whether that session holds private data. */
	async meet(session: string): Promise<void> {
		if (session === '') return;
		if (!this.#met.has(session)) this.#lookUp(session);
		await this.#met.get(session);
	}

	/** Looks up all that is known once more, since another process can serve the same session. */
	async settled(): Promise<void> {
		await Promise.all(this.#met.values());
		if (!this.#isMarked) for (const session of this.#met.keys()) this.#lookUp(session);
		await Promise.all(this.#met.values());
	}

	/**
	 * Private data is about to be given out. It counts in memory from this very moment on.
	 *
	 * @throws BrokerError `state_unwritable`: then it must not be given out
	 */
	async mark(): Promise<void> {
		this.#isMarked = true;
		await Promise.all([...this.#met.keys()].map((session) => this.#write(session)));
	}

	/** It has turned out that the session holds private data. */
	async learn(): Promise<void> {
		this.#isMarked = true;
		const missing = [...this.#met.keys()].filter((session) => !this.#written.has(session));
		const writing = missing.map((session) => this.#write(session));
		await Promise.all(writing).catch((error: unknown) => this.#report(BrokerError.from(error)));
	}

	#lookUp(session: string): void {
		this.#met.set(session, this.#look(session));
	}

	async #look(session: string): Promise<void> {
		// Where it can't be looked up, it may be.
		const isWritten = await this.#store.has(session).catch(() => true);
		if (isWritten || this.#isMarked) await this.learn();
	}

	async #write(session: string): Promise<void> {
		await this.#store.add(session);
		this.#written.add(session);
	}
}

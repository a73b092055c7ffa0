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
	/** A process sees more than one id where the person starts over in it. When each was looked up. */
	readonly #met = new Map<string, Promise<void>>();

	/**
	 * @param known ids that are known before any event comes
	 * @param report told of a mark that could not be passed on
	 */
	constructor(store: PrivateSessionStore, known: readonly string[], report: (error: BrokerError) => void) {
		this.#store = store;
		this.#report = report;
		for (const session of known) void this.meet(session);
	}

	get isMarked(): boolean {
		return this.#isMarked;
	}

	/** Whether the process knows which session it serves. */
	get isKnown(): boolean {
		return this.#met.size > 0;
	}

	/** An event of a session has come. Resolves when it is known whether that session holds private data. */
	async meet(session: string): Promise<void> {
		if (session === '') return;
		const met = this.#met.get(session) ?? this.#lookUp(session);
		this.#met.set(session, met);
		await met;
	}

	/** Resolves when nothing that is known has still to be looked up. */
	async settled(): Promise<void> {
		await Promise.all(this.#met.values());
	}

	/**
	 * Private data is about to be given out. It counts in memory from this very moment on.
	 *
	 * @throws BrokerError `state_unwritable`: then it must not be given out
	 */
	async mark(): Promise<void> {
		this.#isMarked = true;
		await Promise.all([...this.#met.keys()].map((session) => this.#store.add(session)));
	}

	/** Where nobody can tell. */
	markInMemory(): void {
		this.#isMarked = true;
	}

	async #lookUp(session: string): Promise<void> {
		if (await this.#store.has(session)) this.#isMarked = true;
		else if (this.#isMarked)
			await this.#store.add(session).catch((error: unknown) => this.#report(BrokerError.from(error)));
	}
}

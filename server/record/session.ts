import { Copies } from '../claude-code/session-copies.ts';
import { FORK } from '../claude-code/tools.ts';
import { BrokerError } from '../errors.ts';
import type { Entry, Journal } from './journal.ts';

/** Who a hook says makes a call; agent and type are empty for the main agent. */
export interface Caller {
	readonly session_id: string;
	readonly agent_id: string;
	readonly agent_type: string;
	/** Of the session's main thread: absolute. */
	readonly transcript_path: string;
}

export function asCaller({ session_id, agent_id, agent_type, transcript_path }: Caller): Caller {
	return { session_id, agent_id, agent_type, transcript_path };
}

/**
 * The session that this process serves, and who in it holds private data. Once it does, it does for good: also in the
 * sessions that follow in this process, and in later processes of the session.
 */
export class Session {
	readonly #journal: Pick<Journal, 'add' | 'holds'>;
	readonly #report: (error: BrokerError) => void;
	#isPrivate = false;
	/** A private result went to somebody whom no hook had announced. */
	#canBeAnybody = false;
	/** By id, the look for what the journal says. A process sees more than one id if the person starts over in it. */
	readonly #looks = new Map<string, Promise<void>>();
	/** The sessions that began as copies of private ones. */
	readonly #copies: Copies;
	/** The sessions that began as copies of others whose main agent holds private data. */
	readonly #copiesOfHolders: Copies;

	/** @param report told of a mark that could not be passed on */
	constructor(journal: Pick<Journal, 'add' | 'holds'>, report: (error: BrokerError) => void) {
		this.#journal = journal;
		this.#report = report;
		this.#copies = new Copies((session) => journal.holds({ session }));
		this.#copiesOfHolders = new Copies((session) => journal.holds({ session, agent: '' }));
	}

	/** Whether it holds private data, as far as was looked up. It stays so. */
	get isPrivate(): boolean {
		return this.#isPrivate;
	}

	/** An id of the session is known. Resolves when it was looked up. */
	async track(id: string): Promise<void> {
		if (id === '') return;
		if (!this.#looks.has(id)) this.#look(id);
		await this.#looks.get(id);
	}

	/** Looks all ids up once more, since another process can serve the same session. */
	async refresh(): Promise<void> {
		await Promise.all(this.#looks.values());
		if (!this.#isPrivate) for (const id of this.#looks.keys()) this.#look(id);
		await Promise.all(this.#looks.values());
	}

	/**
	 * Private data is about to be given out. It counts in memory from this very moment on.
	 *
	 * @param entries who gets it
	 * @throws BrokerError `state_unwritable`: then it must not be given out
	 */
	async mark(entries: readonly Entry[]): Promise<void> {
		this.#isPrivate = true;
		const named = new Set(entries.map(({ session }) => session));
		const others = [...this.#looks.keys()].filter((id) => !named.has(id));
		await this.#journal.add([...entries, ...others.map((session) => ({ session, private: true }))]);
	}

	/** It has turned out that the session holds private data. */
	async markFound(): Promise<void> {
		await this.mark([]).catch((error: unknown) => this.#report(BrokerError.from(error)));
	}

	/** Nobody knows who is about to get private data: from now on everybody counts as a holder. */
	suspectAll(): void {
		this.#canBeAnybody = true;
	}

	/** Whether the session of a call is a copy of a private one, which holds what that one held. */
	async isCopy(caller: Caller): Promise<boolean> {
		return await this.#copies.has(caller);
	}

	/** Whether an agent has private data in its context. A fork that the person has started has that of the main agent. */
	async holdsPrivateData(caller: Caller): Promise<boolean> {
		if (await this.#holds(caller.session_id, caller.agent_id)) return true;
		if (caller.agent_id !== '' && caller.agent_type !== FORK) return false;
		// The main agent of a copied session knows what that of the other one knew.
		return (await this.#holds(caller.session_id, '')) || (await this.#copiesOfHolders.has(caller));
	}

	async #holds(session: string, agent: string): Promise<boolean> {
		return this.#canBeAnybody || (await this.#journal.holds({ session, agent }));
	}

	#look(id: string): void {
		const looking = async () => {
			// Where it cannot be looked up, it may be.
			const isPrivate = await this.#journal.holds({ session: id }).catch(() => true);
			if (isPrivate || this.#isPrivate) await this.markFound();
		};
		this.#looks.set(id, looking());
	}
}

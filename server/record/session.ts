import { SessionCopies } from '../claude-code/session-copies.ts';
import { FORK } from '../claude-code/tools.ts';
import { BrokerError } from '../errors.ts';
import type { Entry, Journal } from './journal.ts';

/** Who makes a call, by a hook. The main agent has no id, and no type unless it was started as an agent. */
export interface Caller {
	readonly session_id: string;
	readonly agent_id: string;
	readonly agent_type: string;
	/** The main thread's transcript: absolute. */
	readonly transcript_path: string;
}

export function asCaller({ session_id, agent_id, agent_type, transcript_path }: Caller): Caller {
	return { session_id, agent_id, agent_type, transcript_path };
}

/** The session that this process serves. Once private, it stays private: after /clear, and in later processes. */
export class Session {
	readonly #journal: Pick<Journal, 'add' | 'holds'>;
	readonly #report: (error: BrokerError) => void;
	#isPrivate = false;
	/** A private result went to an agent that no hook had announced. */
	#suspectsAll = false;
	/** Lookups in the journal, by session id. After /clear a process has another id. */
	readonly #lookups = new Map<string, Promise<void>>();
	readonly #copies: SessionCopies;
	/** Copies of sessions whose main agent holds private data. */
	readonly #copiesOfHolders: SessionCopies;

	constructor(journal: Pick<Journal, 'add' | 'holds'>, report: (error: BrokerError) => void) {
		this.#journal = journal;
		this.#report = report;
		this.#copies = new SessionCopies((session) => journal.holds({ session }));
		this.#copiesOfHolders = new SessionCopies((session) => journal.holds({ session, agent: '' }));
	}

	/** By the lookups so far. */
	get isPrivate(): boolean {
		return this.#isPrivate;
	}

	/** Looks up an id of the session, once. */
	async track(id: string): Promise<void> {
		if (id === '') return;
		if (!this.#lookups.has(id)) this.#lookUp(id);
		await this.#lookups.get(id);
	}

	/** Looks up all ids again: another process can serve the same session. */
	async refresh(): Promise<void> {
		await Promise.all(this.#lookups.values());
		if (!this.#isPrivate) for (const id of this.#lookups.keys()) this.#lookUp(id);
		await Promise.all(this.#lookups.values());
	}

	/** To be called before private data goes out. Counts in memory at once. @throws BrokerError: then it must not go out */
	async mark(entries: readonly Entry[]): Promise<void> {
		this.#isPrivate = true;
		const named = new Set(entries.map(({ session }) => session));
		const others = [...this.#lookups.keys()].filter((id) => !named.has(id));
		await this.#journal.add([...entries, ...others.map((session) => ({ session, private: true }))]);
	}

	/** Marks a session that turned out to be private. A failed write is only reported. */
	async markFound(): Promise<void> {
		await this.mark([]).catch((error: unknown) => this.#report(BrokerError.from(error)));
	}

	/** From now on every agent counts as a holder: it is unknown who gets private data. */
	suspectAll(): void {
		this.#suspectsAll = true;
	}

	async isCopy(caller: Caller): Promise<boolean> {
		return await this.#copies.has(caller);
	}

	async holdsPrivateData(caller: Caller): Promise<boolean> {
		if (await this.#holds(caller.session_id, caller.agent_id)) return true;
		if (caller.agent_id !== '' && caller.agent_type !== FORK) return false;
		// A forked agent has the context of the main agent, a copied session that of the original.
		return (await this.#holds(caller.session_id, '')) || (await this.#copiesOfHolders.has(caller));
	}

	async #holds(session: string, agent: string): Promise<boolean> {
		return this.#suspectsAll || (await this.#journal.holds({ session, agent }));
	}

	#lookUp(id: string): void {
		const looking = async () => {
			// What cannot be looked up may be private.
			const isPrivate = await this.#journal.holds({ session: id }).catch(() => true);
			if (isPrivate || this.#isPrivate) await this.markFound();
		};
		this.#lookups.set(id, looking());
	}
}

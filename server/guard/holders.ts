import type { HookEvent } from './hook.ts';
import type { PrivateSessionStore } from './private-session.ts';

/** An agent; the main one of its session where the id is empty. */
export type AgentOfSession = Pick<HookEvent, 'session_id' | 'agent_id'>;

/**
 * Which agents have got private data, in this process or an earlier one. For good, and by their ids alone: the records of
 * loads end after 30 days, and one that can't be read tells of no agent in another session.
 */
export class Holders {
	readonly #store: PrivateSessionStore;
	readonly #here = new Set<string>();
	/** A result went to somebody whom no hook had announced: it can be anybody. */
	#canBeAnybody = false;

	constructor(store: PrivateSessionStore) {
		this.#store = store;
	}

	/**
	 * An agent is about to get some.
	 *
	 * @param caller undefined where nobody knows who
	 * @throws BrokerError `state_unwritable`
	 */
	async add(caller: AgentOfSession | undefined): Promise<void> {
		if (caller === undefined) {
			this.#canBeAnybody = true;
			return;
		}
		this.#here.add(nameOf(caller));
		await this.#store.add(nameOf(caller));
	}

	async has(caller: AgentOfSession): Promise<boolean> {
		if (this.#canBeAnybody || this.#here.has(nameOf(caller))) return true;
		return await this.#store.has(nameOf(caller));
	}
}

/** In the store of sessions; the NUL keeps it apart from every id. A subagent's id is one of all sessions. */
function nameOf({ session_id, agent_id }: AgentOfSession): string {
	return agent_id === '' ? `${session_id}\0main` : `\0${agent_id}`;
}

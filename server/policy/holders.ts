import type { HookEvent } from '../claude-code/hooks.ts';
import { Copies } from '../claude-code/session-copies.ts';
import { FORK } from '../claude-code/tools.ts';
import type { LoadRecord } from '../record/load-records.ts';
import type { GuardOptions } from './guard-options.ts';

/** An agent; the main one of its session where the id is empty. */
export type AgentOfSession = Pick<HookEvent, 'session_id' | 'agent_id'>;

/**
 * Which agents have got private data, in this process or an earlier one. For good, and by their ids alone: the records of
 * loads end after 30 days, and one that can't be read tells of no agent in another session.
 */
export class Holders {
	readonly #store: GuardOptions['privateSessions'];
	readonly #records: Pick<GuardOptions['records'], 'all' | 'mayHold'>;
	/** The sessions that began as copies of others whose main agent has got some. */
	readonly #copies = new Copies((session) => this.#hasGot({ session_id: session, agent_id: '' }));
	readonly #here = new Set<string>();
	/** A result went to somebody whom no hook had announced: it can be anybody. */
	#canBeAnybody = false;

	/** @param records of the loads, of this version and of earlier ones, which wrote nothing else down */
	constructor(store: GuardOptions['privateSessions'], records: Pick<GuardOptions['records'], 'all' | 'mayHold'>) {
		this.#store = store;
		this.#records = records;
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

	/** Whether an agent has private data in its context. A fork that the person has started has that of the main agent. */
	async has(agent: Pick<HookEvent, 'session_id' | 'agent_id' | 'agent_type' | 'transcript_path'>): Promise<boolean> {
		if (await this.#hasGot(agent)) return true;
		if (agent.agent_id !== '' && agent.agent_type !== FORK) return false;
		// The main agent of a copied session knows what that of the other one knew.
		return (await this.#hasGot({ ...agent, agent_id: '' })) || (await this.#copies.has(agent));
	}

	async #hasGot(agent: AgentOfSession): Promise<boolean> {
		if (this.#canBeAnybody || this.#here.has(nameOf(agent))) return true;
		const records = await this.#records.all();
		const ofPrivate = records.filter(({ isPrivate }) => isPrivate !== false);
		if (isRecorded(agent, ofPrivate) || (await this.#records.mayHold(agent.session_id, agent.agent_id))) return true;
		return await this.#store.has(nameOf(agent));
	}
}

/** Whether one of the records is of an agent. An id of a subagent is one of all sessions. */
export function isRecorded({ agent_id, session_id }: AgentOfSession, records: readonly LoadRecord[]): boolean {
	return records.some(({ agent, session }) => agent === agent_id && (agent_id !== '' || session === session_id));
}

/** In the store of sessions; the NUL keeps it apart from every id. A subagent's id is one of all sessions. */
function nameOf({ session_id, agent_id }: AgentOfSession): string {
	return agent_id === '' ? `${session_id}\0main` : `\0${agent_id}`;
}

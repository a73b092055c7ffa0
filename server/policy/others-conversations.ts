import { BoundedMap } from '../bounded-map.ts';
import type { HookEvent } from '../claude-code/hooks.ts';
import { SessionCopies, sourcesByCommandLine } from '../claude-code/session-copies.ts';
import type { Journal } from '../record/journal.ts';

/** The conversations in which another main agent has loaded, and their copies. */
export class OthersConversations {
	readonly #journal: Pick<Journal, 'loads'>;
	/** By the type of the main agent. */
	readonly #copies = new BoundedMap<string, SessionCopies>(100);

	constructor(journal: Pick<Journal, 'loads'>) {
		this.#journal = journal;
	}

	/** Whether another main agent has loaded in the conversation of an event, or in its original. */
	async began(event: HookEvent): Promise<boolean> {
		const sessions = await this.#sessionsOfOthers(event.agent_type);
		if (sessions.length === 0 || sessions.includes(event.session_id)) return sessions.length > 0;
		const isOther = async (session: string) => (await this.#sessionsOfOthers(event.agent_type)).includes(session);
		const copies = this.#copies.get(event.agent_type) ?? new SessionCopies(isOther, sourcesByCommandLine);
		this.#copies.set(event.agent_type, copies);
		return await copies.has(event);
	}

	async #sessionsOfOthers(mainType: string): Promise<string[]> {
		const loads = await this.#journal.loads();
		return loads.filter(({ agent, type }) => agent === '' && type !== mainType).map(({ session }) => session);
	}
}

import type { LoadRecord } from '../session-state/load-records.ts';

/** Whether private context was given out in the session that this process serves. Once it was, it stays so. */
export class PrivateSession {
	#isMarked = false;
	/** A process sees more than one id where the person starts over in it. */
	readonly #sessions = new Set<string>();

	get isMarked(): boolean {
		return this.#isMarked;
	}

	mark(): void {
		this.#isMarked = true;
	}

	/** An event of this session has come. */
	meet(session: string): void {
		if (session !== '') this.#sessions.add(session);
	}

	/** Takes into account what an earlier process of a session that goes on has given out. */
	recall(records: readonly LoadRecord[]): void {
		if (records.some(({ session }) => this.#sessions.has(session))) this.mark();
	}
}

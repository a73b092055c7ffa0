import type { LoadRecord } from '../record/load-records.ts';

/** In milliseconds. The call follows its hook at once, unless a rule of the user's own has Claude Code ask first. */
const LIFETIME = 60_000;

/** That one tool call may load one key. */
export interface Approval {
	readonly toolUseId: string;
	readonly key: string;
	/** Who makes the call. */
	readonly caller: Omit<LoadRecord, 'since'>;
}

/** The approvals that were given and not yet used, at most one for a tool use. They end with the process. */
export class Approvals {
	/** By tool-use id. */
	readonly #held = new Map<string, Approval & { readonly since: number }>();
	readonly #now: () => number;

	/** @param now a clock that is never set back, in milliseconds */
	constructor(now: () => number) {
		this.#now = now;
	}

	/** Gives one, in place of what the same tool use may have. */
	give(approval: Approval): void {
		const now = this.#now();
		this.#held.set(approval.toolUseId, { ...approval, since: now });
		// Those whose call never came would stay.
		for (const [id, { since }] of this.#held) {
			if (now - since >= LIFETIME) this.#held.delete(id);
		}
	}

	withdraw(toolUseId: string): void {
		this.#held.delete(toolUseId);
	}

	/**
	 * Uses up what a tool use has, whether or not it fits.
	 *
	 * @returns the approval, if it is for this key and fresh
	 */
	use(toolUseId: string, key: string): Approval | undefined {
		const approval = this.#held.get(toolUseId);
		this.withdraw(toolUseId);
		const fits = approval?.key === key && this.#now() - approval.since < LIFETIME;
		return fits ? approval : undefined;
	}
}

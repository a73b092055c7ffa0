import { BoundedMap } from '../bounded-map.ts';
import type { Agent } from './agents.ts';
import type { DelegatedCall, Delegation } from './delegation.ts';
import type { Load } from './journal.ts';
import type { Caller } from './session.ts';

/** Of calls of which nothing is heard any more the oldest are forgotten, but for those that wait for an agent's answer. */
const MAX_TOOL_USES = 5_000;

/** The call follows its hook at once, unless a rule of the user's own has Claude Code ask first. */
const APPROVAL_LIFETIME_MS = 60_000;

/** That one tool call may load one key. */
export interface Approval {
	readonly key: string;
	/** Who makes the call. */
	readonly caller: Omit<Load, 'since' | 'isPrivate'>;
}

/** That a tool call starts an agent. */
export interface Launch {
	/** The type of the agent; undefined if the call does not name it, as a skill's. */
	readonly type: string | undefined;
	readonly starter: string;
	agent: Agent | undefined;
	/** Whether the client has told that it is that agent. Of agents of one type that start together, it can be another. */
	isSure: boolean;
	isOver: boolean;
}

/** What is known of one use of a tool. */
export interface ToolUse {
	/** The subagent that makes the call, whether or not it was let pass. */
	caller?: Caller;
	/** Who makes the call if it was let pass, and has not come yet. */
	announced?: Caller;
	approval?: Approval & { readonly since: number };
	launch?: Launch;
	/** What the executor is for that it starts. */
	delegation?: Delegation;
	/** The call that an executor makes, and its outcome so far. */
	delegated?: DelegatedCall;
	/** The lines of private files that its result quoted. Another hook can put them back. */
	quoted?: readonly number[];
}

/** The tool uses of which something is known, by id. */
export class ToolUses {
	readonly #uses = new BoundedMap<string, ToolUse>(MAX_TOOL_USES, ({ launch }) => launch?.isOver !== false);
	readonly #now: () => number;

	/** @param now a clock that is never set back, in milliseconds */
	constructor(now: () => number) {
		this.#now = now;
	}

	get(id: string): ToolUse | undefined {
		return this.#uses.get(id);
	}

	/** Takes something down. An event without an id is of no use that anybody could ask about. */
	note(id: string, known: ToolUse): void {
		if (id === '') return;
		const use = { ...this.#uses.get(id), ...known };
		// Gateways number tool uses anew: one that comes up again is not the oldest any more.
		this.#uses.delete(id);
		this.#uses.set(id, use);
	}

	all(): Iterable<ToolUse> {
		return this.#uses.values();
	}

	/** Approves a load, in place of what the same tool use may have. */
	approve(id: string, approval: Approval): void {
		this.note(id, { approval: { ...approval, since: this.#now() } });
	}

	withdraw(id: string): void {
		delete this.#uses.get(id)?.approval;
	}

	/**
	 * Uses up the approval of a tool use, whether or not it fits.
	 *
	 * @returns it, if it is for this key and fresh
	 */
	takeApproval(id: string, key: string): Approval | undefined {
		const approval = this.#uses.get(id)?.approval;
		this.withdraw(id);
		return approval?.key === key && this.#now() - approval.since < APPROVAL_LIFETIME_MS ? approval : undefined;
	}

	/** Who makes a call, asked once; undefined if no hook has announced it. */
	takeCaller(id: string | undefined): Caller | undefined {
		const use = this.#uses.get(id ?? '');
		const caller = use?.announced;
		delete use?.announced;
		return caller;
	}
}

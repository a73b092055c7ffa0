import { BoundedMap } from '../bounded-map.ts';
import type { Agent } from './agents.ts';
import type { Load } from './journal.ts';
import type { Caller } from './session.ts';

/** The oldest are forgotten, except those that wait for an agent's answer. */
const MAX_TOOL_USES = 5_000;

/** A call follows its hook at once, unless a rule of the user makes Claude Code ask first. */
const APPROVAL_LIFETIME_MS = 60_000;

export interface Approval {
	/** Its full name. */
	readonly tool: string;
	readonly key: string;
	/** The caller's working folder: absolute. */
	readonly cwd: string;
	readonly caller: Omit<Load, 'since' | 'isPrivate'>;
}

export interface Launch {
	/** Undefined if the call names none, for example a skill's. */
	readonly type: string | undefined;
	readonly starter: string;
	agent: Agent | undefined;
	/** Whether the call asks for it. The agent's file can ask for it as well. */
	readonly isInBackground: boolean;
	/** Whether the client named the agent. Until then, it can be another one of the same type. */
	isConfirmed: boolean;
	isOver: boolean;
}

export interface DelegatedCall {
	readonly tool: string;
	readonly argumentsDigest: string;
	readonly isAsRequested: boolean;
	/** Milliseconds since 1970. */
	readonly since: number;
	/** Whether the server gave no result: the agent gets the broker's own error. */
	hasFailed: boolean;
	outcome: 'ok' | 'error' | 'unknown';
	bytes?: number;
	sha256?: string;
}

/** The task of an executor, and what it has done. */
export interface Delegation {
	readonly starter: Pick<Caller, 'session_id' | 'agent_id'>;
	/** Unique. Claude Code stores it with the agent. */
	readonly description: string;
	/** The tool's full name. */
	readonly name: string;
	readonly argumentsDigest: string;
	/** The executor's id, once it is known. */
	agent: string | undefined;
	readonly calls: Map<string, DelegatedCall>;
}

export interface ToolUse {
	/** The subagent that makes the call, whether or not the call is allowed. */
	caller?: Caller;
	/** The caller, if the call is allowed and has not come yet. */
	announced?: Caller;
	approval?: Approval & { readonly since: number };
	launch?: Launch;
	delegation?: Delegation;
	delegated?: DelegatedCall;
	/** The lines of private files that were in its result. Another hook can put them back. */
	quoted?: readonly number[];
}

export class ToolUses {
	readonly #uses = new BoundedMap<string, ToolUse>(MAX_TOOL_USES, ({ launch }) => launch?.isOver !== false);
	readonly #now: () => number;

	/** @param now a monotonic clock, in milliseconds */
	constructor(now: () => number) {
		this.#now = now;
	}

	get(id: string): ToolUse | undefined {
		return this.#uses.get(id);
	}

	note(id: string, known: ToolUse): void {
		if (id === '') return;
		const use = { ...this.#uses.get(id), ...known };
		// Gateways use ids again: a repeated id is the newest, no longer the oldest.
		this.#uses.delete(id);
		this.#uses.set(id, use);
	}

	all(): Iterable<ToolUse> {
		return this.#uses.values();
	}

	approve(id: string, approval: Approval): void {
		this.note(id, { approval: { ...approval, since: this.#now() } });
	}

	withdraw(id: string): void {
		delete this.#uses.get(id)?.approval;
	}

	/** Uses up an approval. @returns undefined if it is not for this key and tool, or too old */
	takeApproval(id: string, key: string, tool: string): Approval | undefined {
		const approval = this.#uses.get(id)?.approval;
		this.withdraw(id);
		const isFor = approval?.tool === tool && approval.key === key;
		return isFor && this.#now() - approval.since < APPROVAL_LIFETIME_MS ? approval : undefined;
	}

	/** Who makes a call, once; undefined if no hook has announced it. */
	takeCaller(id: string | undefined): Caller | undefined {
		const use = this.#uses.get(id ?? '');
		const caller = use?.announced;
		delete use?.announced;
		return caller;
	}
}

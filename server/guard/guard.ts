import type { Entries } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import { Approvals } from './approvals.ts';
import { type ClientInfo, type ClientKind, kindOfClient } from './client.ts';
import { decide, tooOld } from './decide.ts';
import { allowCall, denyCall, type HookAnswer, type HookEvent } from './hook.ts';

/** A request to call a tool of the broker, as far as it says who makes it. */
export interface Call {
	/** What the client introduced itself as; undefined before it has. */
	readonly client: ClientInfo | undefined;
	/** `_meta["claudecode/toolUseId"]`: a model's use of the tool. Claude Code's own calls, for hooks, have none. */
	readonly toolUseId: string | undefined;
}

export interface GuardOptions {
	/** What the user's map holds now. @throws BrokerError */
	readonly entries: () => Promise<Entries>;
	readonly environment: NodeJS.ProcessEnv;
	/** A clock that is never set back, in milliseconds. */
	readonly now: () => number;
	/** Told of every refusal. */
	readonly report: (error: BrokerError) => void;
	/** Told once, where the key alone decides. */
	readonly onKeyOnly: () => void;
}

/**
 * Decides which call may load private context. It approves a call when Claude Code's hook announces it, and lets it pass
 * when it comes: what no hook announced does not pass, so hooks that are off, removed or too slow fail closed.
 */
export class Guard {
	readonly #options: GuardOptions;
	readonly #approvals: Approvals;
	#wasClaudeCode = false;
	#wasKeyOnly = false;
	#wasAsked = false;

	constructor(options: GuardOptions) {
		this.#options = options;
		this.#approvals = new Approvals(options.now);
	}

	/** Takes note of how the client introduces itself. One that was Claude Code once stays it. */
	meet(client: ClientInfo | undefined): ClientKind {
		const kind = kindOfClient(client, this.#options.environment);
		if (kind !== 'key_only') this.#wasClaudeCode = true;
		else if (this.#wasClaudeCode) return 'hooks';
		else if (!this.#wasKeyOnly) {
			this.#wasKeyOnly = true;
			this.#options.onKeyOnly();
		}
		return kind;
	}

	/** Whether a call can be one that Claude Code makes for a hook: no model can make it. */
	isHookCall(call: Call): boolean {
		return this.meet(call.client) !== 'key_only' && call.toolUseId === undefined;
	}

	/** Answers a hook, and approves the tool call that it announces or takes an approval of it back. */
	async answer(event: HookEvent, { client }: Call): Promise<HookAnswer> {
		this.#wasAsked = true;
		const kind = this.meet(client);
		const map = await this.#map();
		// No wait from here on: of two answers about the same tool use the later one counts.
		const decision = decide(event, map, { kind, client });
		if (decision === undefined) return {};
		if ('approve' in decision) {
			this.#approvals.give(decision.approve);
			return allowCall();
		}
		this.#approvals.withdraw(event.tool_use_id);
		this.#options.report(decision.refuse);
		return denyCall(decision.refuse);
	}

	/**
	 * Lets a call pass that was approved; its approval is used up in any case.
	 *
	 * @returns the agent that calls, or undefined where the key alone decides
	 * @throws BrokerError `caller_unverified`, `client_too_old`
	 */
	admit({ client, toolUseId }: Call, key: string): string | undefined {
		const kind = this.meet(client);
		if (kind === 'key_only') return undefined;
		const approval = toolUseId === undefined ? undefined : this.#approvals.use(toolUseId, key);
		if (kind === 'too_old') throw tooOld(client);
		if (approval !== undefined) return approval.agent;
		throw new BrokerError('caller_unverified', { detail: this.#wasAsked ? NOT_APPROVED : HOOKS_OFF });
	}

	async #map(): Promise<Entries | BrokerError> {
		try {
			return await this.#options.entries();
		} catch (error) {
			if (error instanceof BrokerError) return error;
			throw error;
		}
	}
}

const NOT_APPROVED = 'There is no approval for this call, or it was used or given more than 60 seconds ago.';

const HOOKS_OFF =
	'No hook of Claude Code has asked the broker about this call or one before it: hooks are off, or those of the plugin were removed.';

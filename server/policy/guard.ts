import type { ClientInfo, ClientKind } from '../claude-code/client.ts';
import type { HookAnswer, HookEvent } from '../claude-code/hooks.ts';
import { LOAD_CONTEXT } from '../claude-code/tools.ts';
import { BrokerError } from '../errors.ts';
import type { Approval } from './approvals.ts';
import { beforePrompt, beforeRequest, beforeStop } from './conversation.ts';
import { withinDeadline } from './deadline.ts';
import { tooOld } from './decide-load.ts';
import type { Call, GuardOptions } from './guard-options.ts';
import { createKnown, type Known, privateEntries } from './known.ts';
import { beforeLoad } from './load.ts';
import { MapNotice } from './map-notice.ts';
import { PassingCalls } from './passing-calls.ts';
import { refuse } from './refuse.ts';
import { afterTool, beforeTool } from './tool-call.ts';

/**
 * Decides which call may load private context, and keeps what was loaded from everybody else.
 *
 * It approves a call when Claude Code's hook announces it, and lets it pass when it comes: what no hook announced does
 * not pass, so hooks that are off, removed or too slow fail closed.
 */
export class Guard {
	readonly #known: Known;
	readonly #notice: MapNotice;
	/** The calls of the shell and of servers behind the broker. */
	readonly passing: PassingCalls;
	#wasAsked = false;

	constructor(options: GuardOptions) {
		this.#known = createKnown(options);
		this.#notice = new MapNotice(options.map.file, this.#known.map);
		this.passing = new PassingCalls(this.#known);
	}

	/** Takes note of how the client introduces itself. */
	meet(client: ClientInfo | undefined): ClientKind {
		return this.#known.client.meet(client);
	}

	/** Whether a call can be one that Claude Code makes for a hook: no model can make it. */
	isHookCall(call: Call): boolean {
		return this.meet(call.client) !== 'key_only' && call.toolUseId === undefined;
	}

	/** Answers a hook. A fault of our own does not let anything pass. */
	async answer(event: HookEvent, { client }: Call): Promise<HookAnswer> {
		const { options, outgoing } = this.#known;
		let answer: HookAnswer;
		try {
			answer = await withinDeadline((isLate) => this.#decide(event, client, isLate), options.schedule);
		} catch (cause) {
			const error = BrokerError.from(cause);
			answer = isCall(event) ? refuse(event, error, options) : outgoing.withhold(event, error);
		}
		return this.#notice.beside(answer, event);
	}

	async #decide(event: HookEvent, client: ClientInfo | undefined, isLate: () => boolean): Promise<HookAnswer> {
		const known = this.#known;
		if (isCall(event)) this.#wasAsked = true;
		known.agents.see(event);
		this.meet(client);
		await known.session.meet(event.session_id);
		if (isCall(event) && event.tool_name === LOAD_CONTEXT) return await beforeLoad(event, client, known, isLate);
		await known.map.read();
		if (isCall(event)) return await beforeTool(event, client, known, isLate);
		const attached = await this.#beforeAttaching(event);
		if (attached !== undefined) return attached;
		switch (event.hook_event_name) {
			case 'PostToolUse':
			case 'PostToolUseFailure':
				return await afterTool(event, client, known);
			case 'SubagentStop':
				return await beforeStop(event, client, known);
			case 'PostToolBatch':
				return await beforeRequest(event, known);
			case 'UserPromptSubmit':
				return await beforePrompt(event, known);
			default:
				return {};
		}
	}

	/** Whether Claude Code would put a private file into a request by itself. */
	async #beforeAttaching(event: HookEvent): Promise<HookAnswer | undefined> {
		const { map, attachments, options } = this.#known;
		const next = map.isOn('files') ? await (await attachments()).judge(event, privateEntries(map)) : undefined;
		if (next === undefined) return undefined;
		return refuse(event, new BrokerError('attached_file', { next }), options);
	}

	/**
	 * Lets a call pass that was approved; its approval is used up in any case.
	 *
	 * @returns the approval, or undefined where the key alone decides
	 * @throws BrokerError `caller_unverified`, `client_too_old`
	 */
	admit({ client, toolUseId }: Call, key: string): Approval | undefined {
		const kind = this.meet(client);
		if (kind === 'key_only') return undefined;
		const approval = toolUseId === undefined ? undefined : this.#known.approvals.use(toolUseId, key);
		if (kind === 'too_old') throw tooOld(client);
		if (approval !== undefined) return approval;
		throw new BrokerError('caller_unverified', { detail: this.#wasAsked ? NOT_APPROVED : HOOKS_OFF });
	}

	/**
	 * Takes note that a file is about to be given out, so that it is kept from all others and from the network.
	 *
	 * @param approval undefined where the key alone decides
	 * @param isPrivate whether it is private data
	 * @throws BrokerError `state_unwritable`
	 */
	async note(approval: Approval | undefined, path: string, text: string, isPrivate: boolean): Promise<void> {
		const { session, holders, answers, options } = this.#known;
		const caller = approval?.caller;
		const holder = isPrivate && caller && { session_id: caller.session, agent_id: caller.agent };
		await Promise.all([isPrivate && session.mark(), holder && holders.add(holder)]);
		if (caller === undefined) return;
		await options.records.add({ ...caller, ...(isPrivate ? {} : { isPrivate }) });
		answers.add(caller.agent, path, text);
	}

	/** Whether this session holds private data, as far as was looked up. It stays so. */
	get isPrivate(): boolean {
		return this.#known.session.isMarked;
	}
}

const NOT_APPROVED = 'There is no approval for this call, or it was used or given more than 60 seconds ago.';

const HOOKS_OFF =
	'No hook of Claude Code has asked the broker about this call or one before it: hooks are off, or those of the plugin were removed.';

/** Whether an event is that before a tool call. */
function isCall({ hook_event_name }: HookEvent): boolean {
	return hook_event_name === 'PreToolUse';
}

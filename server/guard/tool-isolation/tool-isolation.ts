import type { IsolatedTools } from '../../context-map/isolated-tools.ts';
import { BrokerError } from '../../errors.ts';
import type { Receipt } from '../../session-state/receipts.ts';
import { type AnnouncedCaller, OWN_TOOLS } from '../announced-calls.ts';
import { AGENT_TOOLS } from '../delegation.ts';
import { addContext, changeInput, changeOutput, type HookAnswer, type HookEvent, parseInput } from '../hook.ts';
import { agentDescription } from './agent-description.ts';
import { argumentsDigest } from './arguments-digest.ts';
import { isolatedOrigin, type ToolOrigin } from './called-tool.ts';
import { Errands, type StartedErrand, type ToolCall } from './errands.ts';
import { agentInput, EXECUTOR, errandOf, isOwnTool } from './hand-over.ts';
import { toolsInTranscript, warningsOfClient } from './known-tools.ts';
import { receiptText, STILL_RUNNING } from './receipt-text.ts';
import { firstPart, measure, textOfResult } from './tool-result.ts';

export interface ToolIsolationOptions {
	/** Where a tool that passes through the broker comes from, by the name that it has here; undefined for any other. */
	readonly originOf: (name: string) => ToolOrigin | undefined;
	readonly receipts: { add(receipt: Omit<Receipt, 'at'>): Promise<void> };
	/** A short text that is another each time. */
	readonly number: () => string;
	/** Told what a person should know: a sentence. */
	readonly warn: (sentence: string) => void;
}

/** Of calls that Claude Code never tells the outcome of, the oldest are dropped. */
const MOST_OPEN = 1_000;

/** A call of a subagent that is to get a receipt. */
interface OpenCall {
	readonly event: HookEvent;
	readonly call: ToolCall;
}

/**
 * Keeps isolated tools from the main agent, holds each executor to what it was started for, and takes down what
 * subagents have really run.
 */
export class ToolIsolation {
	readonly #options: ToolIsolationOptions;
	readonly #errands: Errands;
	/** By tool-use id. */
	readonly #open = new Map<string, OpenCall>();
	/** The sessions in which the names of the map were compared with the tools that there are. */
	readonly #compared = new Set<string>();

	constructor(options: ToolIsolationOptions) {
		this.#options = options;
		this.#errands = new Errands(options.number);
	}

	/**
	 * PreToolUse.
	 *
	 * @returns undefined where it has nothing to say
	 * @throws BrokerError where the call must not run
	 */
	async before(event: HookEvent, isolation: readonly IsolatedTools[]): Promise<HookAnswer | undefined> {
		const { tool_name, agent_id, agent_type } = event;
		if (agent_type === EXECUTOR && agent_id !== '') {
			await this.#hold(event);
			return undefined;
		}
		if (AGENT_TOOLS.includes(tool_name)) return this.#startExecutor(event);
		if (tool_name === 'SendMessage' && this.#errands.of(String(parseInput(event.tool_input).to)) !== undefined) {
			throw new BrokerError('executor_done');
		}
		if (!tool_name.startsWith('mcp__') || isolation.length === 0) return undefined;
		const origin = this.#isolatedOrigin(tool_name, isolation, serverOf(event));
		if (agent_id === '') {
			await this.#compareNames(event, isolation);
			if (origin !== undefined) throw handedOver(agentInput(origin, tool_name, parseInput(event.tool_input)));
		} else if (origin !== undefined) this.#begin(event, undefined);
		return undefined;
	}

	/**
	 * Looks once more at a call that passes through the broker, since hooks can be off.
	 *
	 * @param caller whom a hook has announced
	 * @param name of the tool, as the broker offers it
	 * @throws BrokerError where the call must not run
	 */
	permit(caller: AnnouncedCaller | undefined, name: string, isolation: readonly IsolatedTools[]): void {
		const full = `${OWN_TOOLS}${name}`;
		if (this.#isolatedOrigin(full, isolation, undefined) === undefined) return;
		if (caller === undefined || caller.agent_id === '') {
			throw new BrokerError('isolated_tool', { detail: 'No hook of Claude Code tells that a subagent calls.' });
		}
		if (caller.agent_type === EXECUTOR && this.#errands.of(caller.agent_id)?.name !== full) {
			throw new BrokerError('not_delegated');
		}
	}

	/** PostToolUse and PostToolUseFailure. @returns undefined where it has nothing to say */
	async after(event: HookEvent): Promise<HookAnswer | undefined> {
		if (AGENT_TOOLS.includes(event.tool_name)) return await this.#endExecutor(event);
		const open = this.#open.get(event.tool_use_id);
		if (open === undefined) return undefined;
		this.#open.delete(event.tool_use_id);
		const { call } = open;
		const isError = event.hook_event_name === 'PostToolUseFailure';
		call.outcome = isError ? 'error' : 'ok';
		const result = await textOfResult(isError ? event.error : event.tool_response, event.transcript_path);
		if (result !== undefined) Object.assign(call, measure(result.text));
		await this.#store(open);
		const part = result === undefined || isError ? undefined : firstPart(result, event.tool_name.startsWith(OWN_TOOLS));
		return part === undefined || event.agent_type !== EXECUTOR ? undefined : changeOutput(part);
	}

	/** UserPromptSubmit: the answer of an executor that went on in the background comes so. */
	beforePrompt(event: HookEvent): HookAnswer | undefined {
		const errand = this.#errands.inBackground((agent) => event.prompt.includes(agent));
		return errand && addContext(event.hook_event_name, receiptText(errand));
	}

	#startExecutor(event: HookEvent): HookAnswer | undefined {
		const { subagent_type, prompt, model } = parseInput(event.tool_input);
		if (subagent_type !== EXECUTOR) return undefined;
		const errand = errandOf(prompt);
		if (errand === undefined) throw new BrokerError('executor_prompt');
		if (isOwnTool(errand.name, this.#originOf(errand.name) !== undefined)) {
			throw new BrokerError('executor_prompt', { detail: 'It runs no tool of Context Broker itself.' });
		}
		const { description } = this.#errands.start(event.tool_use_id, errand);
		const input = { subagent_type, description, prompt, run_in_background: false };
		return changeInput(model === undefined ? input : { ...input, model });
	}

	/** @throws BrokerError `not_delegated` */
	async #hold(event: HookEvent): Promise<void> {
		const { agent_id, tool_name, transcript_path } = event;
		// Else the model can't see what it was started for.
		if (tool_name === 'ToolSearch') return;
		let errand = this.#errands.of(agent_id);
		if (errand === undefined) {
			const description = await agentDescription(transcript_path, agent_id);
			// Of two calls at once the other can have been first.
			errand = this.#errands.of(agent_id) ?? this.#errands.bind(agent_id, description);
		}
		if (errand?.name !== tool_name) throw new BrokerError('not_delegated');
		this.#begin(event, errand);
	}

	#begin(event: HookEvent, errand: StartedErrand | undefined): void {
		const digest = argumentsDigest(parseInput(event.tool_input));
		const asAsked = errand && errand.arguments === digest;
		const call: ToolCall = { tool: event.tool_name, arguments: digest, asAsked, outcome: 'unknown' };
		errand?.calls.set(event.tool_use_id, call);
		this.#open.set(event.tool_use_id, { event, call });
		const [oldest] = this.#open.keys();
		if (this.#open.size > MOST_OPEN && oldest !== undefined) this.#open.delete(oldest);
	}

	async #endExecutor(event: HookEvent): Promise<HookAnswer | undefined> {
		const errand = this.#errands.startedBy(event.tool_use_id);
		if (errand === undefined) return undefined;
		const { status, agentId } = parseInput(event.tool_response);
		if (typeof agentId === 'string') errand.agent ??= agentId;
		errand.isInBackground = status === 'async_launched';
		if (errand.isInBackground) return addContext(event.hook_event_name, STILL_RUNNING);
		for (const id of errand.calls.keys()) {
			const open = this.#open.get(id);
			this.#open.delete(id);
			if (open !== undefined) await this.#store(open);
		}
		return addContext(event.hook_event_name, receiptText(errand));
	}

	async #store({ event, call }: OpenCall): Promise<void> {
		const { session_id: session, agent_id: agent, agent_type: type } = event;
		await this.#options.receipts.add({ session, agent, type, ...call }).catch((error: NodeJS.ErrnoException) => {
			this.#options.warn(`A receipt could not be written: ${error.code ?? error.name}.`);
		});
	}

	/** Tells of names in the map that no tool has, as far as Claude Code lets it be known which there are. */
	async #compareNames({ session_id, transcript_path }: HookEvent, isolation: readonly IsolatedTools[]): Promise<void> {
		if (this.#compared.has(session_id) || !isolation.some(({ ofClient }) => ofClient)) return;
		this.#compared.add(session_id);
		const names = await toolsInTranscript(transcript_path);
		if (names === undefined) return;
		for (const sentence of warningsOfClient(isolation, names)) this.#options.warn(sentence);
	}

	#isolatedOrigin(name: string, isolation: readonly IsolatedTools[], server: string | undefined) {
		return isolatedOrigin({ name, server, origin: this.#originOf(name) }, isolation);
	}

	#originOf(name: string): ToolOrigin | undefined {
		return name.startsWith(OWN_TOOLS) ? this.#options.originOf(name.slice(OWN_TOOLS.length)) : undefined;
	}
}

function handedOver(input: object): BrokerError {
	const next = `Call the Agent tool with exactly this input; its last sentence you may change to what you need of the result: ${JSON.stringify(input)}`;
	return new BrokerError('isolated_tool', { next });
}

/** Which server Claude Code says that a tool is of. */
function serverOf({ mcp_server }: HookEvent): string | undefined {
	const { name } = parseInput(mcp_server);
	return typeof name === 'string' ? name : undefined;
}

import { BoundedMap } from '../../bounded-map.ts';
import { agentDescription, agentType } from '../../claude-code/agent-files.ts';
import { addContext, changeOutput, type HookAnswer, type HookEvent, parseInput } from '../../claude-code/hooks.ts';
import { notificationsIn } from '../../claude-code/notifications.ts';
import { firstPart, measure, textOfResult } from '../../claude-code/tool-results.ts';
import { AGENT_TOOLS, NOT_READY, OWN_TOOLS, SEND_MESSAGE, TASK_TOOLS, TOOL_SEARCH } from '../../claude-code/tools.ts';
import type { RelayedOrigin } from '../../context-map/isolated-tools.ts';
import { BrokerError } from '../../errors.ts';
import type { Agent, Agents } from '../../record/agents.ts';
import type { DelegatedCall, Delegation, ToolUses } from '../../record/tool-uses.ts';
import { digestOf, EXECUTOR, parseRequest, taskDescription } from './delegate.ts';
import { receiptText, runningText } from './receipt-text.ts';

export interface ExecutorOptions {
	/** By name; undefined for a tool that does not pass through the broker. */
	readonly originOf: (name: string) => RelayedOrigin | undefined;
	/** Milliseconds since 1970. */
	readonly clock: () => number;
	/** Makes the description of an executor unique. */
	readonly createSuffix: () => string;
}

export interface Verdict {
	readonly refuse?: BrokerError;
	readonly input?: object;
	/** Records that the call runs. */
	readonly begin?: () => void;
}

const MAX_RESULT_FILES = 1_000;

/** In characters. Claude Code cuts a longer error. */
const MAX_ERROR_LENGTH = 10_000;

/** What executors may run, and what they have run. */
export class Executors {
	readonly #options: ExecutorOptions;
	readonly #toolUses: ToolUses;
	readonly #agents: Agents;
	/** The files into which Claude Code has written results of earlier calls. */
	readonly #resultFiles = new BoundedMap<string, true>(MAX_RESULT_FILES);

	constructor(options: ExecutorOptions, toolUses: ToolUses, agents: Agents) {
		this.#options = options;
		this.#toolUses = toolUses;
		this.#agents = agents;
	}

	/** @throws BrokerError if the call must not run */
	async check(event: HookEvent): Promise<Verdict | undefined> {
		const { tool_name: tool, agent_id, agent_type, transcript_path } = event;
		if (agent_id !== '' && (agent_type === EXECUTOR || this.#delegationOf(agent_id) !== undefined)) {
			return await this.#checkCall(event);
		}
		if (AGENT_TOOLS.includes(tool)) return this.#checkLaunch(event);
		if (tool !== SEND_MESSAGE) return undefined;
		// Claude Code accepts an id in capitals, and with blanks around it.
		const receiver = String(parseInput(event.tool_input).to).trim().toLowerCase();
		const isExecutor = this.#delegationOf(receiver) || (await agentType(transcript_path, receiver)) === EXECUTOR;
		if (isExecutor) throw new BrokerError('executor_done');
		return undefined;
	}

	/** After a call. @param hasNotificationHook whether a hook is called for answers from the background */
	async after(event: HookEvent, hasNotificationHook: boolean): Promise<HookAnswer | undefined> {
		const { tool_name: tool, tool_use_id } = event;
		if (AGENT_TOOLS.includes(tool)) return this.#afterLaunch(event, hasNotificationHook);
		if (TASK_TOOLS.includes(tool)) {
			const { task_id, agentId } = parseInput(event.tool_input);
			const agent = String(task_id ?? agentId);
			const isRunning = NOT_READY.includes(parseInput(event.tool_response).retrieval_status);
			return this.#addReceipt(event, this.#delegationOf(agent), agent, isRunning, hasNotificationHook);
		}
		const use = this.#toolUses.get(tool_use_id);
		const call = use?.delegated;
		if (call === undefined) return undefined;
		delete use?.delegated;
		const part = call.hasFailed ? undefined : await this.#measure(call, event);
		return part === undefined ? undefined : changeOutput(part);
	}

	/** The receipts of executors whose answers come with the notifications in a prompt. */
	receiptsFor(prompt: string): string | undefined {
		const agents = new Set(notificationsIn(prompt).heads.map(({ task }) => task));
		const texts = [...agents].flatMap((agent) => {
			const delegation = this.#delegationOf(agent);
			return delegation === undefined ? [] : [receiptText(delegation, agent)];
		});
		return texts.length === 0 ? undefined : texts.join('\n');
	}

	/** @throws BrokerError `executor_prompt` */
	#checkLaunch({ tool_input, tool_use_id, session_id, agent_id }: HookEvent): Verdict | undefined {
		const { subagent_type, prompt, model } = parseInput(tool_input);
		if (subagent_type !== EXECUTOR) return undefined;
		const request = parseRequest(prompt);
		if (request === undefined) throw new BrokerError('executor_prompt');
		if (request.name.startsWith(OWN_TOOLS) && this.#options.originOf(request.name) === undefined) {
			throw new BrokerError('executor_prompt', { detail: 'It cannot run the own tools of Context Broker.' });
		}
		const delegation: Delegation = {
			starter: { session_id, agent_id },
			description: `${taskDescription(request)} (${this.#options.createSuffix()})`,
			name: request.name,
			argumentsDigest: digestOf(request.arguments),
			agent: undefined,
			calls: new Map(),
		};
		const { description } = delegation;
		return {
			input: { subagent_type, description, prompt, run_in_background: false, model },
			begin: () => this.#toolUses.note(tool_use_id, { delegation }),
		};
	}

	/** @throws BrokerError `not_delegated` */
	async #checkCall(event: HookEvent): Promise<Verdict | undefined> {
		const { agent_id, agent_type, tool_name, transcript_path } = event;
		// Without ToolSearch the model cannot see its tool.
		if (tool_name === TOOL_SEARCH) return undefined;
		let delegation = this.#delegationOf(agent_id);
		if (delegation === undefined) {
			const description = await agentDescription(transcript_path, agent_id);
			// If two calls run at once, the other one can have found it meanwhile.
			delegation = this.#delegationOf(agent_id) ?? this.#findDelegation(agent_id, description);
		}
		// A call without a type can be another agent's: see callerOf.
		if (delegation?.name !== tool_name || agent_type !== EXECUTOR) throw new BrokerError('not_delegated');
		return { begin: () => this.#begin(event, delegation) };
	}

	#begin({ tool_name: tool, tool_use_id, tool_input }: HookEvent, delegation: Delegation): void {
		const digest = digestOf(parseInput(tool_input));
		const delegated: DelegatedCall = {
			...{ tool, argumentsDigest: digest, isAsRequested: delegation.argumentsDigest === digest },
			...{ since: this.#options.clock(), hasFailed: false, outcome: 'unknown' },
		};
		delegation.calls.set(tool_use_id, delegated);
		this.#toolUses.note(tool_use_id, { delegated });
	}

	#delegationOf(agent: string): Delegation | undefined {
		return this.#agents.get(agent)?.delegation;
	}

	/** Finds the delegation of a new executor; undefined unless exactly one is possible. */
	#findDelegation(id: string, description: string | undefined): Delegation | undefined {
		const waiting = [...this.#toolUses.all()]
			.flatMap(({ delegation }) => delegation ?? [])
			.filter((one) => one.agent === undefined && one.description === (description ?? one.description));
		const [delegation] = waiting;
		const agent = this.#agents.get(id);
		if (delegation === undefined || agent === undefined || waiting.length > 1) return undefined;
		return assign(delegation, agent);
	}

	/** Records the result of a call. @returns the part that replaces one too long for the executor */
	async #measure(call: DelegatedCall, event: HookEvent): Promise<string | undefined> {
		const { tool_name: tool, transcript_path: transcript, error } = event;
		const origin = this.#options.originOf(tool);
		const isError = event.hook_event_name === 'PostToolUseFailure';
		call.outcome = isError ? 'error' : 'ok';
		if (isError) {
			// No digest of a cut text, which the server did not send, and none of private data, which can be guessed from it.
			if (error.length < MAX_ERROR_LENGTH && !origin?.isPrivate) Object.assign(call, measure(error));
			return undefined;
		}
		const place = { tool, transcript, since: call.since, isTaken: (file: string) => this.#resultFiles.has(file) };
		const result = await textOfResult(event.tool_response, place);
		if (result === undefined) return undefined;
		if (result.file !== undefined) this.#resultFiles.set(result.file, true);
		if (!origin?.isPrivate) Object.assign(call, measure(result.text));
		return firstPart(result, origin?.isListedLarge === true);
	}

	#afterLaunch(event: HookEvent, hasNotificationHook: boolean): HookAnswer | undefined {
		const delegation = this.#toolUses.get(event.tool_use_id)?.delegation;
		const { status, agentId } = parseInput(event.tool_response);
		const executor = typeof agentId === 'string' ? this.#agents.get(agentId) : undefined;
		if (delegation !== undefined && executor !== undefined && delegation.agent === undefined) {
			assign(delegation, executor);
		}
		const agent = delegation?.agent ?? 'unknown';
		return this.#addReceipt(event, delegation, agent, status === 'async_launched', hasNotificationHook);
	}

	#addReceipt(
		{ hook_event_name, agent_id }: HookEvent,
		delegation: Delegation | undefined,
		agent: string,
		isRunning: boolean,
		hasNotificationHook: boolean,
	): HookAnswer | undefined {
		if (delegation === undefined) return undefined;
		// No hook is called for the notifications to a subagent.
		const receiptsFollow = agent_id === '' && hasNotificationHook;
		const text = isRunning ? runningText(delegation, agent, receiptsFollow) : receiptText(delegation, agent);
		return addContext(hook_event_name, text);
	}
}

function assign(delegation: Delegation, executor: Agent): Delegation {
	delegation.agent = executor.id;
	executor.delegation = delegation;
	return delegation;
}

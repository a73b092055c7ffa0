import { BoundedMap } from '../../bounded-map.ts';
import { agentDescription, agentType } from '../../claude-code/agent-files.ts';
import { addContext, changeOutput, type HookAnswer, type HookEvent, parseInput } from '../../claude-code/hooks.ts';
import { toolsInTranscript } from '../../claude-code/known-tools.ts';
import { clientPrefix, OWN_SERVER } from '../../claude-code/tool-names.ts';
import { firstPart, measure, textOfResult } from '../../claude-code/tool-results.ts';
import {
	AGENT_TOOLS,
	isMcpTool,
	LOAD_CONTEXT,
	NOT_READY,
	OWN_TOOLS,
	RUN_SHELL_COMMAND,
	SEND_MESSAGE,
	serverOfResource,
	TASK_TOOLS,
	TOOL_SEARCH,
} from '../../claude-code/tools.ts';
import { type IsolatedTools, isWhollyIsolated, type RelayedOrigin } from '../../context-map/isolated-tools.ts';
import { BrokerError } from '../../errors.ts';
import type { AnnouncedCaller } from '../announced-calls.ts';
import { callerOf } from '../caller.ts';
import { argumentsDigest } from './arguments-digest.ts';
import { isolatedOrigin } from './called-tool.ts';
import { Errands, type StartedErrand, type Starter, type ToolCall } from './errands.ts';
import { EXECUTOR, errandOf, isOwnTool, wayOn } from './hand-over.ts';
import { warningsOfClient } from './known-tools.ts';
import { receiptText, runningText } from './receipt-text.ts';

export interface ToolIsolationOptions {
	/** Where a tool that passes through the broker comes from, by the name that it has here; undefined for any other. */
	readonly originOf: (name: string) => RelayedOrigin | undefined;
	/** Milliseconds since 1970. */
	readonly clock: () => number;
	/** A short text that is another each time. */
	readonly number: () => string;
	/** Told what a person should know: a sentence. */
	readonly warn: (sentence: string) => void;
}

/** Of calls that Claude Code never tells the outcome of, the oldest are dropped. */
const MOST_OPEN = 1_000;

/** A call of an executor, of which no outcome is known yet. */
interface OpenCall {
	readonly call: ToolCall;
	/** Milliseconds since 1970. */
	readonly since: number;
	/** Whether the broker has no result of the server for it; what the agent gets then is the broker's own words. */
	hasFailed: boolean;
}

/** What isolation makes of a call. */
export interface Verdict {
	readonly refuse?: BrokerError;
	/** The input with which it is to go on. */
	readonly input?: object;
	/** Takes down that it runs. */
	readonly begin?: () => void;
}

/** A tool that passes through the broker: its name there, and where it comes from. */
export interface RelayedTool {
	readonly name: string;
	readonly origin: RelayedOrigin;
}

/**
 * Keeps isolated tools from the main agent, holds each executor to what it was started for, and takes down what
 * executors have really run.
 */
export class ToolIsolation {
	readonly #options: ToolIsolationOptions;
	readonly #errands: Errands;
	/** By tool-use id. */
	readonly #open = new BoundedMap<string, OpenCall>(MOST_OPEN);
	/** The files with results that Claude Code has put aside, of the calls that are over. */
	readonly #files = new Set<string>();
	/** What the map said last when its names were compared with the tools that there are, by session. */
	readonly #compared = new Map<string, readonly IsolatedTools[]>();

	constructor(options: ToolIsolationOptions) {
		this.#options = options;
		this.#errands = new Errands(options.number);
	}

	/**
	 * PreToolUse.
	 *
	 * @returns undefined where it has nothing to say
	 */
	async judge(event: HookEvent, isolation: readonly IsolatedTools[]): Promise<Verdict | undefined> {
		try {
			return await this.#judge(event, isolation);
		} catch (error) {
			if (error instanceof BrokerError) return { refuse: error };
			throw error;
		}
	}

	/** @throws BrokerError where the call must not run */
	async #judge(event: HookEvent, isolation: readonly IsolatedTools[]): Promise<Verdict | undefined> {
		const { tool_name, agent_id, agent_type } = event;
		if (agent_id !== '' && (agent_type === EXECUTOR || this.#errands.of(agent_id) !== undefined)) {
			return await this.#hold(event);
		}
		if (AGENT_TOOLS.includes(tool_name)) return this.#executorOf(event);
		if (tool_name === SEND_MESSAGE && (await this.#isExecutor(addressee(event), event))) {
			throw new BrokerError('executor_done');
		}
		const server = serverOfResource(tool_name, parseInput(event.tool_input));
		if (server !== undefined && callerOf(event).kind !== 'subagent' && isWhollyIsolated(server, isolation)) {
			throw new BrokerError('isolated_tool', RESOURCE);
		}
		if (!isMcpTool(tool_name) || isolation.length === 0) return undefined;
		if (callerOf(event).kind === 'subagent') return undefined;
		const called = { name: tool_name, server: serverOf(event), origin: this.#originOf(tool_name) };
		await this.#compareNames(event, isolation);
		const origin = isolatedOrigin(called, isolation);
		if (origin === undefined) return undefined;
		throw new BrokerError('isolated_tool', { next: wayOn(origin, tool_name, parseInput(event.tool_input)) });
	}

	/**
	 * Looks once more at a call that passes through the broker, since hooks can be off.
	 *
	 * @param caller whom a hook has announced
	 * @throws BrokerError where the call must not run
	 */
	permit(
		caller: AnnouncedCaller | undefined,
		{ name, origin }: RelayedTool,
		isolation: readonly IsolatedTools[],
	): void {
		const full = `${OWN_TOOLS}${name}`;
		if (isolatedOrigin({ name: full, server: undefined, origin }, isolation) === undefined) return;
		if (caller === undefined || callerOf(caller).kind !== 'subagent') {
			throw new BrokerError('isolated_tool', { detail: 'No hook of Claude Code tells that a subagent calls.' });
		}
		if (caller.agent_type === EXECUTOR && this.#errands.of(caller.agent_id)?.name !== full) {
			throw new BrokerError('not_delegated');
		}
	}

	/** Who has started an executor, and gets what that one got; undefined for any other agent. */
	starterOf({ agent_id }: AnnouncedCaller): Starter | undefined {
		return this.#errands.of(agent_id)?.starter;
	}

	/** A call that was to pass through the broker has got no result of the server. */
	noteFailed(toolUseId: string): void {
		const open = this.#open.get(toolUseId);
		if (open !== undefined) open.hasFailed = true;
	}

	/**
	 * PostToolUse and PostToolUseFailure.
	 *
	 * @param hearsOfNotifications whether a hook is asked before what a background agent answers reaches the main agent
	 * @returns undefined where it has nothing to say
	 */
	async after(event: HookEvent, hearsOfNotifications: boolean): Promise<HookAnswer | undefined> {
		if (AGENT_TOOLS.includes(event.tool_name)) return this.#endExecutor(event, hearsOfNotifications);
		if (TASK_TOOLS.includes(event.tool_name)) return this.#endTask(event, hearsOfNotifications);
		const open = this.#open.get(event.tool_use_id);
		if (open === undefined) return undefined;
		this.#open.delete(event.tool_use_id);
		const part = open.hasFailed ? undefined : await this.#measure(open, event);
		return part === undefined ? undefined : changeOutput(part);
	}

	/** UserPromptSubmit: the answer of an executor that went on in the background comes so. */
	beforePrompt({ prompt, hook_event_name }: HookEvent): HookAnswer | undefined {
		// What the agent says comes after what Claude Code says of it.
		const notifications = prompt.split('<task-notification>').slice(1);
		const heads = notifications.map((notification) => notification.split('<result>')[0] ?? '');
		const agents = heads.map((head) => /<task-id>([^<]+)<\/task-id>/.exec(head)?.[1] ?? '');
		const texts = [...new Set(agents)].flatMap((agent) => {
			const errand = this.#errands.of(agent);
			return errand === undefined ? [] : [receiptText(errand, agent)];
		});
		return texts.length === 0 ? undefined : addContext(hook_event_name, texts.join('\n'));
	}

	/** Takes down what a call has given. @returns what an executor gets in the place of what is too long for it */
	async #measure({ call, since }: OpenCall, event: HookEvent): Promise<string | undefined> {
		const { tool_name: tool, transcript_path: transcript } = event;
		const origin = this.#originOf(tool);
		const isError = event.hook_event_name === 'PostToolUseFailure';
		call.outcome = isError ? 'error' : 'ok';
		if (isError) {
			// A digest of what was cut would be of nothing that the server sent; one of private data can be guessed from.
			if (event.error.length < LONGEST_ERROR && !origin?.isPrivate) Object.assign(call, measure(event.error));
			return undefined;
		}
		const place = { tool, transcript, since, isTaken: (file: string) => this.#files.has(file) };
		const result = await textOfResult(event.tool_response, place);
		if (result === undefined) return undefined;
		if (result.file !== undefined) this.#files.add(result.file);
		if (!origin?.isPrivate) Object.assign(call, measure(result.text));
		return firstPart(result, origin?.isListedLarge === true);
	}

	/** @throws BrokerError `executor_prompt` */
	#executorOf(event: HookEvent): Verdict | undefined {
		const { subagent_type, prompt, model } = parseInput(event.tool_input);
		if (subagent_type !== EXECUTOR) return undefined;
		const errand = errandOf(prompt);
		if (errand === undefined) throw new BrokerError('executor_prompt');
		if (isOwnTool(errand.name, this.#originOf(errand.name) !== undefined)) {
			throw new BrokerError('executor_prompt', { detail: 'It runs no tool of Context Broker itself.' });
		}
		const planned = this.#errands.plan(errand, event);
		const input = { subagent_type, description: planned.description, prompt, run_in_background: false };
		return {
			input: model === undefined ? input : { ...input, model },
			begin: () => this.#errands.start(event.tool_use_id, planned),
		};
	}

	/** Whether an agent is an executor, of this process or an earlier one. */
	async #isExecutor(agent: string, { transcript_path }: HookEvent): Promise<boolean> {
		return this.#errands.of(agent) !== undefined || (await agentType(transcript_path, agent)) === EXECUTOR;
	}

	/** @throws BrokerError `not_delegated` */
	async #hold(event: HookEvent): Promise<Verdict | undefined> {
		const { agent_id, agent_type, tool_name, transcript_path } = event;
		// Else the model can't see what it was started for.
		if (tool_name === TOOL_SEARCH) return undefined;
		let errand = this.#errands.of(agent_id);
		if (errand === undefined) {
			const description = await agentDescription(transcript_path, agent_id);
			// Of two calls at once the other can have been first.
			errand = this.#errands.of(agent_id) ?? this.#errands.bind(agent_id, description);
		}
		// Without a type it can be another agent's call: see callerOf.
		if (errand?.name !== tool_name || agent_type !== EXECUTOR) throw new BrokerError('not_delegated');
		return { begin: () => this.#begin(event, errand) };
	}

	#begin({ tool_name, tool_use_id, tool_input }: HookEvent, errand: StartedErrand): void {
		const digest = argumentsDigest(parseInput(tool_input));
		const asAsked = errand.arguments === digest;
		const call: ToolCall = { tool: tool_name, arguments: digest, asAsked, outcome: 'unknown' };
		errand.calls.set(tool_use_id, call);
		this.#open.set(tool_use_id, { call, since: this.#options.clock(), hasFailed: false });
	}

	#endExecutor(event: HookEvent, hearsOfNotifications: boolean): HookAnswer | undefined {
		const errand = this.#errands.startedBy(event.tool_use_id);
		if (errand === undefined) return undefined;
		const { status, agentId } = parseInput(event.tool_response);
		if (typeof agentId === 'string') errand.agent ??= agentId;
		const agent = errand.agent ?? 'unknown';
		// Of a subagent's own notifications no hook hears.
		const comes = event.agent_id === '' && hearsOfNotifications;
		const text = status === 'async_launched' ? runningText(errand, agent, comes) : receiptText(errand, agent);
		return addContext(event.hook_event_name, text);
	}

	/** A tool has given what an agent in the background has answered, or told that it goes on. */
	#endTask(event: HookEvent, hearsOfNotifications: boolean): HookAnswer | undefined {
		const agent = taskOf(event);
		const errand = this.#errands.of(agent);
		if (errand === undefined) return undefined;
		const isRunning = NOT_READY.includes(parseInput(event.tool_response).retrieval_status);
		const comes = event.agent_id === '' && hearsOfNotifications;
		const text = isRunning ? runningText(errand, agent, comes) : receiptText(errand, agent);
		return addContext(event.hook_event_name, text);
	}

	/** Tells of names in the map that no tool has, as far as Claude Code lets it be known which there are. */
	async #compareNames({ session_id, transcript_path }: HookEvent, isolation: readonly IsolatedTools[]): Promise<void> {
		if (this.#compared.get(session_id) === isolation || !isolation.some(({ runByClient }) => runByClient)) return;
		this.#compared.set(session_id, isolation);
		const names = await toolsInTranscript(transcript_path);
		if (names === undefined) return;
		for (const sentence of warningsOfClient(isolation, names)) this.#options.warn(sentence);
	}

	/**
	 * Whether a tool is one of the broker, or of a server behind it. That its name begins so is not enough: a server of
	 * Claude Code can be called `plugin_context-broker_broker__x`.
	 */
	isOfBroker(event: HookEvent): boolean {
		const { tool_name: name } = event;
		const server = serverOf(event);
		if (server === OWN_SERVER) return true;
		if (server !== undefined && clientPrefix(server) !== OWN_TOOLS) return false;
		return name === LOAD_CONTEXT || name === RUN_SHELL_COMMAND || this.#originOf(name) !== undefined;
	}

	#originOf(name: string): RelayedOrigin | undefined {
		return name.startsWith(OWN_TOOLS) ? this.#options.originOf(name.slice(OWN_TOOLS.length)) : undefined;
	}
}

const RESOURCE = {
	detail: 'So do the resources of its server.',
	next: 'Have a subagent read it: start one with the Agent tool, and tell it the server and the URI.',
};

/** Claude Code cuts an error that is longer, in characters. */
const LONGEST_ERROR = 10_000;

/** The agent whose answer one of them gives. */
function taskOf({ tool_input }: HookEvent): string {
	const { task_id, agentId } = parseInput(tool_input);
	return String(task_id ?? agentId);
}

/** To whom a message goes; Claude Code takes an id in capitals and with blanks around it too. */
function addressee({ tool_input }: HookEvent): string {
	return String(parseInput(tool_input).to).trim().toLowerCase();
}

/** Which server Claude Code says that a tool is of. */
function serverOf({ mcp_server }: HookEvent): string | undefined {
	const { name } = parseInput(mcp_server);
	return typeof name === 'string' ? name : undefined;
}

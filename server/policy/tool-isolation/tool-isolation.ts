import { type HookAnswer, type HookEvent, parseInput } from '../../claude-code/hooks.ts';
import { toolsInTranscript } from '../../claude-code/known-tools.ts';
import { clientPrefix, OWN_SERVER } from '../../claude-code/tool-names.ts';
import { isMcpTool, LOADING_TOOLS, OWN_TOOLS, RUN_SHELL_COMMAND, serverOfResource } from '../../claude-code/tools.ts';
import { type IsolatedTools, isWhollyIsolated, type RelayedOrigin } from '../../context-map/isolated-tools.ts';
import { BrokerError } from '../../errors.ts';
import type { Agents } from '../../record/agents.ts';
import type { Caller } from '../../record/session.ts';
import type { ToolUses } from '../../record/tool-uses.ts';
import { callerOf } from '../caller.ts';
import { delegationHint, EXECUTOR } from './delegate.ts';
import { type ExecutorOptions, Executors, type Verdict } from './executors.ts';
import { isolatedOrigin, unknownClientTools } from './isolated-origin.ts';

/** `originOf` gets the name that the tool has at the broker. */
export interface ToolIsolationOptions extends ExecutorOptions {
	readonly warn: (sentence: string) => void;
}

/** A tool that passes through the broker: its name there, and where it comes from. */
export interface RelayedTool {
	readonly name: string;
	readonly origin: RelayedOrigin;
}

/** Keeps isolated tools from the main agent, and all other tools from an executor. */
export class ToolIsolation {
	readonly #options: ToolIsolationOptions;
	readonly #agents: Agents;
	readonly #executors: Executors;
	/** The session and the map for which the names of tools were compared last. */
	#compared: { readonly session: string; readonly isolation: readonly IsolatedTools[] } | undefined;

	constructor(options: ToolIsolationOptions, toolUses: ToolUses, agents: Agents) {
		this.#options = options;
		this.#agents = agents;
		this.#executors = new Executors({ ...options, originOf: (name) => this.#originOf(name) }, toolUses, agents);
	}

	async check(event: HookEvent, isolation: readonly IsolatedTools[]): Promise<Verdict | undefined> {
		try {
			const verdict = await this.#executors.check(event);
			if (verdict === undefined && callerOf(event).kind !== 'subagent') await this.#checkTool(event, isolation);
			return verdict;
		} catch (error) {
			if (error instanceof BrokerError) return { refuse: error };
			throw error;
		}
	}

	/** @throws BrokerError `isolated_tool`, `ambiguous_tool` */
	async #checkTool(event: HookEvent, isolation: readonly IsolatedTools[]): Promise<void> {
		const { tool_name: name } = event;
		const input = parseInput(event.tool_input);
		const resourceServer = serverOfResource(name, input);
		if (resourceServer !== undefined && isWhollyIsolated(resourceServer, isolation)) {
			throw new BrokerError('isolated_tool', RESOURCE);
		}
		if (!isMcpTool(name) || isolation.length === 0) return;
		await this.#warnOfUnknown(event, isolation);
		const origin = isolatedOrigin({ name, server: serverOf(event), origin: this.#originOf(name) }, isolation);
		if (origin !== undefined) throw new BrokerError('isolated_tool', { next: delegationHint(origin, name, input) });
	}

	/** Checks a relayed call again, since hooks can be off. @throws BrokerError if the call must not run */
	permit(caller: Caller | undefined, { name, origin }: RelayedTool, isolation: readonly IsolatedTools[]): void {
		const full = `${OWN_TOOLS}${name}`;
		if (isolatedOrigin({ name: full, server: undefined, origin }, isolation) === undefined) return;
		if (caller === undefined || callerOf(caller).kind !== 'subagent') {
			throw new BrokerError('isolated_tool', {
				detail: 'No hook of Claude Code has reported that a subagent is calling.',
			});
		}
		if (caller.agent_type === EXECUTOR && this.#agents.get(caller.agent_id)?.delegation?.name !== full) {
			throw new BrokerError('not_delegated');
		}
	}

	/** After a call: see {@link Executors}. */
	async after(event: HookEvent, hasNotificationHook: boolean): Promise<HookAnswer | undefined> {
		return await this.#executors.after(event, hasNotificationHook);
	}

	receiptsFor(prompt: string): string | undefined {
		return this.#executors.receiptsFor(prompt);
	}

	/** The prefix is not enough: a server of Claude Code can be called `plugin_context-broker_broker__x`. */
	isOfBroker(event: HookEvent): boolean {
		const { tool_name: name } = event;
		const server = serverOf(event);
		if (server === OWN_SERVER) return true;
		if (server !== undefined && clientPrefix(server) !== OWN_TOOLS) return false;
		return LOADING_TOOLS.includes(name) || name === RUN_SHELL_COMMAND || this.#originOf(name) !== undefined;
	}

	async #warnOfUnknown(
		{ session_id: session, transcript_path }: HookEvent,
		isolation: readonly IsolatedTools[],
	): Promise<void> {
		const isSame = this.#compared?.session === session && this.#compared.isolation === isolation;
		if (isSame || !isolation.some(({ runByClient }) => runByClient)) return;
		this.#compared = { session, isolation };
		const names = await toolsInTranscript(transcript_path);
		for (const sentence of names ? unknownClientTools(isolation, names) : []) this.#options.warn(sentence);
	}

	#originOf(name: string): RelayedOrigin | undefined {
		return name.startsWith(OWN_TOOLS) ? this.#options.originOf(name.slice(OWN_TOOLS.length)) : undefined;
	}
}

const RESOURCE = {
	detail: 'This holds for the resources of its server too.',
	next: 'Let a subagent read it: start one with the Agent tool, and tell it the server and the URI.',
};

function serverOf({ mcp_server }: HookEvent): string | undefined {
	const { name } = parseInput(mcp_server);
	return typeof name === 'string' ? name : undefined;
}

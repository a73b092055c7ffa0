import { BoundedMap } from '../bounded-map.ts';
import { foldName } from '../claude-code/agent-names.ts';
import { type HookEvent, parseInput } from '../claude-code/hooks.ts';
import type { NotificationHead } from '../claude-code/notifications.ts';
import { AGENT_TOOLS, ANSWER_TOOLS, SEND_MESSAGE, SKILL, WORKFLOW } from '../claude-code/tools.ts';
import { asCaller } from './session.ts';
import type { Delegation, Launch, ToolUses } from './tool-uses.ts';

export interface LoadedFile {
	readonly path: string;
	readonly text: string;
}

/** A subagent that hooks of this process have reported. */
export interface Agent {
	readonly id: string;
	/** `plugin:agent` or `agent`. */
	type: string;
	readonly session: string;
	/** The main thread's transcript: absolute. */
	readonly transcript: string;
	/** "" for the main agent; undefined if no known tool call started it. */
	starter: string | undefined;
	/** The starter's description of the task; "" if unknown. */
	description: string;
	/** Whether its answer comes as a notification, not as the result of a tool. */
	isInBackground: boolean;
	/** Whether it has answered, and made no call since. */
	hasStopped: boolean;
	attempts: number;
	readonly files: LoadedFile[];
	delegation?: Delegation;
}

interface AgentInput {
	readonly subagent_type?: unknown;
	readonly run_in_background?: unknown;
	readonly to?: unknown;
}

/** Besides those that have loaded: they are never forgotten. */
const MAX_AGENTS = 1_000;

/** Who started which agent, what it has loaded, and which agent a text is from. */
export class Agents {
	readonly #agents = new BoundedMap<string, Agent>(MAX_AGENTS, ({ files }) => files.length === 0);
	readonly #toolUses: ToolUses;
	/** Loaded by a main thread that was started as an agent. */
	readonly #filesOfMain: LoadedFile[] = [];
	#hasTypedCommand = false;
	startsWorkflows = false;

	constructor(toolUses: ToolUses) {
		this.#toolUses = toolUses;
	}

	/** Updates from any event. A new agent is matched with the oldest launch that fits. */
	observe(event: HookEvent): void {
		const { agent_id: id, agent_type: type, hook_event_name, tool_use_id, prompt } = event;
		if (event.tool_name === WORKFLOW) this.startsWorkflows = true;
		if (hook_event_name === 'UserPromptExpansion' || prompt.startsWith('/')) {
			this.#hasTypedCommand = true;
			// The person may have refused a launch that still waits for its agent: the next agent is the command's.
			for (const launch of this.#launches()) if (launch.starter === '') launch.isOver = true;
		}
		if (id === '') return;
		this.#toolUses.note(tool_use_id, { caller: asCaller(event) });
		const known = this.#agents.get(id);
		if (known !== undefined) {
			// The launch can have another spelling of the type, or none.
			if (type !== '') known.type = type;
			if (hook_event_name === 'PreToolUse') known.hasStopped = false;
			return;
		}
		const waiting = this.#launches().filter(({ agent, isOver }) => agent === undefined && !isOver);
		const launch =
			waiting.find((one) => one.type !== undefined && foldName(one.type) === foldName(type)) ??
			waiting.find((one) => one.type === undefined);
		const agent = this.#add(id, { ...placeOf(event), type, starter: launch?.starter });
		if (launch !== undefined) launch.agent = agent;
	}

	/** Records an allowed call that starts or resumes an agent. @param input the changed input, if not the event's */
	launch(event: HookEvent, input: AgentInput = parseInput(event.tool_input)): void {
		const { tool_name, tool_use_id, agent_id: starter } = event;
		const receiver = this.#agents.get(String(input.to));
		// It answers the sender now.
		if (tool_name === SEND_MESSAGE && receiver !== undefined) receiver.starter = starter;
		if (!AGENT_TOOLS.includes(tool_name) && tool_name !== SKILL) return;
		const { subagent_type } = input;
		const type = typeof subagent_type === 'string' ? subagent_type : undefined;
		const isInBackground = input.run_in_background === true;
		const launch = { type, starter, agent: undefined, isInBackground, isConfirmed: false, isOver: false };
		this.#toolUses.note(tool_use_id, { launch });
	}

	/** Records the end of a call. An agent that it started has answered, or runs in the background. */
	end(event: HookEvent): void {
		const launch = this.#toolUses.get(event.tool_use_id)?.launch;
		if (launch !== undefined) launch.isOver = true;
		if (!AGENT_TOOLS.includes(event.tool_name)) return;
		const { agentId: id } = parseInput(event.tool_response);
		if (typeof id !== 'string') return;
		const { subagent_type, description } = parseInput(event.tool_input);
		const type = String(subagent_type ?? '');
		const agent = this.#agents.get(id) ?? this.#add(id, { ...placeOf(event), type, starter: event.agent_id });
		agent.starter = event.agent_id;
		agent.description = String(description ?? '');
		// No call waits for its answer to a later message.
		agent.isInBackground = true;
		if (launch === undefined) return;
		for (const other of this.#launches()) if (other.agent === agent) other.agent = launch.agent;
		launch.agent = agent;
		launch.isConfirmed = true;
	}

	/** Records a load. @returns the same object for the same version of a file, since to prepare one is slow */
	load(
		caller: Pick<Agent, 'type' | 'session' | 'transcript'> & { readonly agent: string },
		file: LoadedFile,
	): LoadedFile {
		const { agent: id, ...of } = caller;
		const files = id === '' ? this.#filesOfMain : (this.#agents.get(id) ?? this.#add(id, of)).files;
		const isSame = ({ path, text }: LoadedFile) => path === file.path && text === file.text;
		const known = this.filesOf(['', ...this.ids()]).find(isSame) ?? file;
		if (!files.includes(known)) files.push(known);
		return known;
	}

	filesOf(ids: Iterable<string>): LoadedFile[] {
		const files = [...ids].flatMap((id) => (id === '' ? this.#filesOfMain : (this.#agents.get(id)?.files ?? [])));
		return [...new Set(files)];
	}

	get haveLoaded(): boolean {
		return this.#filesOfMain.length > 0 || [...this.#agents.values()].some(({ files }) => files.length > 0);
	}

	get(id: string): Agent | undefined {
		return this.#agents.get(id);
	}

	ids(): Iterable<string> {
		return this.#agents.keys();
	}

	all(): Iterable<Agent> {
		return this.#agents.values();
	}

	/** Whether a typed command can have started an agent. No hook sees the answer of such an agent. */
	isFromCommand(id: string): boolean {
		return this.#hasTypedCommand && id !== '' && this.#agents.get(id)?.starter === undefined;
	}

	/** Whether no hook can check an agent's answer. @param hasNotificationHook whether one is called before notifications */
	isUncheckable(id: string, hasNotificationHook: boolean): boolean {
		const { isInBackground = false, starter } = this.#agents.get(id) ?? {};
		// Its first call can come before the result that reports it in the background.
		const wasAskedFor = this.#launches().some(({ agent, ...launch }) => agent?.id === id && launch.isInBackground);
		return ((isInBackground || wasAskedFor) && !(starter === '' && hasNotificationHook)) || this.isFromCommand(id);
	}

	/** An agent, and all that it started, directly or not. */
	familyOf(id: string): string[] {
		const family = [id];
		for (const member of family) {
			for (const agent of this.#agents.values()) {
				// The main agent has no family: it would contain all agents.
				if (agent.starter === member && member !== '' && !family.includes(agent.id)) family.push(agent.id);
			}
		}
		return family;
	}

	/** The agents whose words the result of a call can contain. */
	sourcesOf({ tool_name, tool_use_id, tool_input, tool_response }: ToolResult): string[] {
		const [input, response] = [parseInput(tool_input), parseInput(tool_response)];
		const started = typeof response.agentId === 'string' ? [response.agentId] : this.#startedBy(tool_use_id);
		const named = ANSWER_TOOLS.includes(tool_name) ? [input.task_id, input.agentId, input.to] : [];
		const sources = [...started, ...named].filter((id) => typeof id === 'string');
		return [...new Set(sources)].flatMap((id) => this.familyOf(id));
	}

	/** The agents whose answers are in notifications, or that started the commands whose output is there. */
	sourcesOfNotifications(heads: readonly NotificationHead[]): string[] {
		const ids = heads.flatMap(({ task, toolUse }) => [task, this.#toolUses.get(toolUse)?.caller?.agent_id ?? '']);
		return [...new Set(ids)].filter((id) => id !== '').flatMap((id) => this.familyOf(id));
	}

	#startedBy(toolUse: string): (string | undefined)[] {
		const launch = this.#toolUses.get(toolUse)?.launch;
		if (launch?.type === undefined || launch.isConfirmed) return [launch?.agent?.id];
		const alike = this.#launches().filter(({ type, isConfirmed }) => type === launch.type && !isConfirmed);
		return alike.map(({ agent }) => agent?.id);
	}

	#launches(): Launch[] {
		return [...this.#toolUses.all()].map(({ launch }) => launch).filter((launch) => launch !== undefined);
	}

	#add(
		id: string,
		of: Pick<Agent, 'type' | 'session' | 'transcript'> & { readonly starter?: string | undefined },
	): Agent {
		const rest = { description: '', isInBackground: false, hasStopped: false, attempts: 0, files: [] };
		const agent = { id, starter: undefined, ...of, ...rest };
		this.#agents.set(id, agent);
		return agent;
	}
}

export type ToolResult = Pick<HookEvent, 'tool_name' | 'tool_use_id' | 'tool_input' | 'tool_response'>;

function placeOf({
	session_id: session,
	transcript_path: transcript,
}: HookEvent): Pick<Agent, 'session' | 'transcript'> {
	return { session, transcript };
}

import { BoundedMap } from '../bounded-map.ts';
import { foldName } from '../claude-code/agent-names.ts';
import { type HookEvent, parseInput } from '../claude-code/hooks.ts';
import type { NotificationHead } from '../claude-code/notifications.ts';
import { AGENT_TOOLS, ANSWER_TOOLS, SEND_MESSAGE, SKILL, WORKFLOW } from '../claude-code/tools.ts';
import type { Delegation } from './delegation.ts';
import { asCaller } from './session.ts';
import type { Launch, ToolUses } from './tool-uses.ts';

/** A private file, as an agent has got it. */
export interface LoadedFile {
	readonly path: string;
	readonly text: string;
}

/** A subagent, as far as the hooks of this process tell. */
export interface Agent {
	readonly id: string;
	/** What it is, `plugin:agent` or `agent`. */
	type: string;
	readonly session: string;
	/** The transcript of the session's main thread: absolute. */
	readonly transcript: string;
	/** The agent that started it, "" for the main agent; undefined if no tool call did, or none that a hook announced. */
	starter: string | undefined;
	/** What whoever started it calls its task; "" where that is not known. */
	description: string;
	/** Whether its answer comes later, as a notification, and not as the result of a tool. */
	isInBackground: boolean;
	/** Whether it has answered, and not gone on since. */
	hasStopped: boolean;
	/** How often it was asked to answer again. */
	attempts: number;
	/** What it has loaded in this process. */
	readonly files: LoadedFile[];
	/** What it is for if it is an executor. */
	delegation?: Delegation;
}

/** Agents of which nothing is heard any more are forgotten, but for those that have loaded something. */
const MAX_AGENTS = 1_000;

/** Who started which agent, what it has loaded, and which agent a text is from. */
export class Agents {
	readonly #agents = new BoundedMap<string, Agent>(MAX_AGENTS, ({ files }) => files.length === 0);
	readonly #toolUses: ToolUses;
	/** What a main thread has loaded that was started as an agent. */
	readonly #filesOfMain: LoadedFile[] = [];
	#hasTypedCommand = false;
	/** Whether a workflow was started, so that an agent can be of one. */
	startsWorkflows = false;

	constructor(toolUses: ToolUses) {
		this.#toolUses = toolUses;
	}

	/** An event came. Of a new agent it is the first: the oldest launch that fits started it. */
	see(event: HookEvent): void {
		const { agent_id: id, agent_type: type, hook_event_name, tool_use_id, prompt } = event;
		if (event.tool_name === WORKFLOW) this.startsWorkflows = true;
		if (hook_event_name === 'UserPromptExpansion' || prompt.startsWith('/')) {
			this.#hasTypedCommand = true;
			// A call that the person has refused waits for no agent: the next one is the command's.
			for (const launch of this.#launches()) if (launch.starter === '') launch.isOver = true;
		}
		if (id === '') return;
		if (hook_event_name === 'PreToolUse') this.#toolUses.note(tool_use_id, { caller: asCaller(event) });
		const known = this.#agents.get(id);
		if (known !== undefined) {
			// What started it can have named it in another way, or not at all.
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

	/** A tool call that starts an agent, or has one go on, was let pass. */
	launch({ tool_name, tool_use_id, tool_input, agent_id: starter }: HookEvent): void {
		const receiver = this.#agents.get(String(parseInput(tool_input).to));
		// It goes on, and answers whoever sent the message.
		if (tool_name === SEND_MESSAGE && receiver !== undefined) receiver.starter = starter;
		if (!AGENT_TOOLS.includes(tool_name) && tool_name !== SKILL) return;
		const { subagent_type } = parseInput(tool_input);
		const type = typeof subagent_type === 'string' ? subagent_type : undefined;
		const launch = { type, starter, agent: undefined, isSure: false, isOver: false };
		this.#toolUses.note(tool_use_id, { launch });
	}

	/** A tool call is over. If it started an agent, that one has answered, or goes on in the background. */
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
		// Nobody waits for one that has answered and goes on, since it was sent a message.
		agent.isInBackground = true;
		if (launch === undefined) return;
		for (const other of this.#launches()) if (other.agent === agent) other.agent = launch.agent;
		launch.agent = agent;
		launch.isSure = true;
	}

	/** An agent was let end with its answer. */
	stop(id: string): void {
		const agent = this.#agents.get(id);
		if (agent !== undefined) agent.hasStopped = true;
	}

	/** An agent gets a file. @returns the file, one object for each version, since to prepare one takes time and memory */
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

	/** What some agents have loaded, each file once. */
	filesOf(ids: Iterable<string>): LoadedFile[] {
		const files = [...ids].flatMap((id) => (id === '' ? this.#filesOfMain : (this.#agents.get(id)?.files ?? [])));
		return [...new Set(files)];
	}

	/** Whether no agent has loaded anything in this process. */
	get haveNothing(): boolean {
		return this.#filesOfMain.length === 0 && [...this.#agents.values()].every(({ files }) => files.length === 0);
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

	/** Whether the person started an agent by a command: no hook sees what such a one answers. */
	isOfCommand(id: string): boolean {
		return this.#hasTypedCommand && id !== '' && this.#agents.get(id)?.starter === undefined;
	}

	/**
	 * Whether no hook sees, or can change, what an agent answers.
	 *
	 * @param hasNotificationHook whether a hook is asked about the notification of an answer
	 */
	isUncheckable(id: string, hasNotificationHook: boolean): boolean {
		const { isInBackground = false, starter } = this.#agents.get(id) ?? {};
		return (isInBackground && !(starter === '' && hasNotificationHook)) || this.isOfCommand(id);
	}

	/** An agent, and those that it started, and so on. */
	familyOf(id: string): string[] {
		const family = [id];
		for (const member of family) {
			for (const agent of this.#agents.values()) {
				// Nobody is an agent of the main one's family for that.
				if (agent.starter === member && member !== '' && !family.includes(agent.id)) family.push(agent.id);
			}
		}
		return family;
	}

	/** From which agents the result of a call is: of one that starts an agent, or asks for what one said. */
	sourcesOf({ tool_name, tool_use_id, tool_input, tool_response }: ToolResult): string[] {
		const [input, response] = [parseInput(tool_input), parseInput(tool_response)];
		const started = typeof response.agentId === 'string' ? [response.agentId] : this.#startedBy(tool_use_id);
		const named = ANSWER_TOOLS.includes(tool_name) ? [input.task_id, input.agentId, input.to] : [];
		const sources = [...started, ...named].filter((id) => typeof id === 'string');
		return [...new Set(sources)].flatMap((id) => this.familyOf(id));
	}

	/** From which agents the notifications in a prompt are: what an agent answered, or a command printed that one started. */
	sourcesOfNotifications(heads: readonly NotificationHead[]): string[] {
		const ids = heads.flatMap(({ task, toolUse }) => [task, this.#toolUses.get(toolUse)?.caller?.agent_id ?? '']);
		return [...new Set(ids)].filter((id) => id !== '').flatMap((id) => this.familyOf(id));
	}

	/** Which agents a call can have started. */
	#startedBy(toolUse: string): (string | undefined)[] {
		const launch = this.#toolUses.get(toolUse)?.launch;
		if (launch?.type === undefined || launch.isSure) return [launch?.agent?.id];
		const alike = this.#launches().filter(({ type, isSure }) => type === launch.type && !isSure);
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

/** What a tool gave. */
export type ToolResult = Pick<HookEvent, 'tool_name' | 'tool_use_id' | 'tool_input' | 'tool_response'>;

function placeOf({
	session_id: session,
	transcript_path: transcript,
}: HookEvent): Pick<Agent, 'session' | 'transcript'> {
	return { session, transcript };
}

import type { Entries, PrivateContent } from '../context-map/parse.ts';
import type { Protection } from '../context-map/schema.ts';
import { BrokerError } from '../errors.ts';
import type { LoadRecord } from '../session-state/load-records.ts';
import { type AnnouncedCaller, AnnouncedCalls, callEvent, commandEvent, OWN_TOOLS } from './announced-calls.ts';
import { Answers } from './answers.ts';
import { type Approval, Approvals } from './approvals.ts';
import { callerOf } from './caller.ts';
import { asksAboutNotifications, type ClientInfo, type ClientKind, kindOfClient } from './client.ts';
import { decideLoad, LOAD_CONTEXT, tooOld } from './decide-load.ts';
import { AGENT_TOOLS, FORK, inForeground, SPEAKING_TOOLS, startsFork } from './delegation.ts';
import { FileProtection } from './file-protection.ts';
import { isForkOf } from './forks.ts';
import type { Call, GuardOptions } from './guard-options.ts';
import { type AgentOfSession, Holders } from './holders.ts';
import { allowCall, changeInput, denyCall, type HookAnswer, type HookEvent, mergeAnswers, parseInput } from './hook.ts';
import { OutgoingTexts } from './outgoing-texts.ts';
import { isOutward } from './outward-tools.ts';
import { PrivateSession } from './private-session.ts';
import { reachesAny } from './resuming.ts';
import { type RelayedTool, ToolIsolation } from './tool-isolation/tool-isolation.ts';

/**
 * Decides which call may load private context, and keeps what was loaded from everybody else.
 *
 * It approves a call when Claude Code's hook announces it, and lets it pass when it comes: what no hook announced does
 * not pass, so hooks that are off, removed or too slow fail closed.
 */
export class Guard {
	readonly #options: GuardOptions;
	readonly #approvals: Approvals;
	readonly #answers: Answers;
	readonly #outgoing: OutgoingTexts;
	readonly #files: FileProtection;
	readonly #session: PrivateSession;
	readonly #announced = new AnnouncedCalls();
	/** Who makes a call that passes through to another server. */
	readonly #callers = new WeakMap<Call, AnnouncedCaller>();
	readonly #holders: Holders;
	readonly #isolation: ToolIsolation;
	/** The sessions of which it is known whether they are copies of others that hold private data. */
	readonly #examined = new Set<string>();
	/** The same of copies of others whose main agent does. */
	readonly #copies = new Map<string, boolean>();
	/** The subagents that have shown up. */
	readonly #seen = new Set<string>();
	/** Subagents whose answers no hook sees. */
	readonly #uncheckable = new Set<string>();
	#lastMap: PrivateContent = { entries: new Map(), off: [], allowTools: [], isolation: [] };
	/** Why the map could not be read, as long as it never could: what it isolates is not known then. */
	#mapFault: BrokerError | undefined;
	#wasRead = false;
	#wasClaudeCode = false;
	#wasKeyOnly = false;
	#wasAsked = false;

	constructor(options: GuardOptions) {
		this.#options = options;
		this.#approvals = new Approvals(options.now);
		this.#answers = new Answers(options.readMarkdown, (work) =>
			options.later(() => void (this.#isOn('quoting') && work())),
		);
		this.#outgoing = new OutgoingTexts(this.#answers, options.report);
		this.#files = new FileProtection(options.map, options.files);
		const { CLAUDE_CODE_SESSION_ID: id = '' } = options.environment;
		this.#session = new PrivateSession(options.privateSessions, [id], options.report, (session, why) =>
			options.decisions.turnedPrivate(session, why),
		);
		this.#holders = new Holders(options.privateSessions);
		this.#isolation = new ToolIsolation(options.toolIsolation);
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

	/** Answers a hook. A fault of our own does not let anything pass. */
	async answer(event: HookEvent, call: Call): Promise<HookAnswer> {
		const answer = await this.#answerWhatever(event, call);
		this.#options.decisions.answered(event, answer);
		return answer;
	}

	async #answerWhatever(event: HookEvent, call: Call): Promise<HookAnswer> {
		try {
			return await this.#answer(event, call);
		} catch (cause) {
			const error = BrokerError.from(cause);
			if (event.hook_event_name === 'PreToolUse') return this.#refuse(error);
			this.#options.report(error);
			return this.#outgoing.withhold(event);
		}
	}

	async #answer(event: HookEvent, { client }: Call): Promise<HookAnswer> {
		if (event.hook_event_name === 'PreToolUse') this.#wasAsked = true;
		if (event.agent_id !== '') this.#seen.add(event.agent_id);
		await this.#session.meet(event.session_id);
		const kind = this.meet(client);
		const isLoad = event.hook_event_name === 'PreToolUse' && event.tool_name === LOAD_CONTEXT;
		if (isLoad && !(await this.#options.isShown())) return {};
		const map = await this.#readMap();
		if (isLoad) {
			// No wait from here on: of two answers about the same tool use the later one counts.
			return this.#beforeLoad(event, map instanceof BrokerError ? map : map.entries, { kind, client });
		}
		switch (event.hook_event_name) {
			case 'PreToolUse':
				return await this.#beforeTool(event);
			case 'PostToolUse':
			case 'PostToolUseFailure':
				return await this.#afterTool(event, client);
			case 'SubagentStop':
				await this.#isolation.stopped(event);
				return this.#isOn('quoting') ? await this.#outgoing.beforeStop(event) : {};
			case 'UserPromptSubmit':
				return await this.#beforePrompt(event);
			default:
				return {};
		}
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
		const approval = toolUseId === undefined ? undefined : this.#approvals.use(toolUseId, key);
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
		const caller = approval?.caller;
		const holder = isPrivate && caller && { session_id: caller.session, agent_id: caller.agent };
		await Promise.all([isPrivate && this.#session.mark(), holder && this.#holders.add(holder)]);
		if (caller === undefined) return;
		await this.#options.records.add({ ...caller, ...(isPrivate ? {} : { isPrivate }) });
		this.#answers.add(caller.agent, path, text);
	}

	/** Whether this session holds private data, as far as was looked up. It stays so. */
	get isPrivate(): boolean {
		return this.#session.isMarked;
	}

	/** Looks once more whether this session holds private data: another process can serve it too. */
	async lookAgain(): Promise<void> {
		await this.#session.settled();
	}

	/**
	 * Lets a shell command of the broker's own tool pass, unless it would get at private files: looked at once more, since
	 * hooks can be off, and the folder is known for sure only here.
	 *
	 * @param directory absolute
	 * @throws BrokerError `protected_file`, or why the map can't be read
	 */
	async permitCommand({ client, toolUseId }: Call, command: string, directory: string): Promise<void> {
		const caller = this.#announced.callerOf(toolUseId);
		const event = commandEvent(command, directory, caller?.agent_type ?? '', this.#options.files.platform);
		await this.#permit(caller, client, event, { command });
		this.#options.decisions.permitted('run_shell_command', toolUseId);
	}

	/**
	 * The same for a call that passes through to another server.
	 *
	 * @param tool under which name the broker offers it, and where it comes from
	 * @param directory the project; absolute
	 * @throws BrokerError `protected_file`, or why the map can't be read
	 */
	async permitRelay(call: Call, tool: RelayedTool, input: unknown, directory: string): Promise<void> {
		const caller = this.#announced.callerOf(call.toolUseId);
		if (caller !== undefined) this.#callers.set(call, caller);
		const event = callEvent(`${OWN_TOOLS}${tool.name}`, input, directory, caller?.agent_type ?? '');
		await this.#permit(caller, call.client, event, input);
		this.#isolation.permit(caller, tool, this.#lastMap.isolation);
		this.#options.decisions.permitted(tool.name, call.toolUseId);
	}

	/** Takes note that a call which was to pass through has got no result of the server. */
	noteFailed({ toolUseId }: Call): void {
		if (toolUseId !== undefined) this.#isolation.noteFailed(toolUseId);
	}

	/**
	 * Takes note that whoever makes a call that was permitted is about to get private data, and whom an executor answers.
	 *
	 * @throws BrokerError `state_unwritable`
	 */
	async noteRelayed(call: Call): Promise<void> {
		const caller = this.#callers.get(call);
		const starter = caller && this.#isolation.starterOf(caller);
		const holders = starter === undefined ? [caller] : [caller, starter];
		await Promise.all([this.#session.mark(), ...holders.map((holder) => this.#holders.add(holder))]);
	}

	async #permit(
		caller: AnnouncedCaller | undefined,
		client: ClientInfo | undefined,
		event: HookEvent,
		input: unknown,
	): Promise<void> {
		const records = await this.#options.records.all();
		await this.#session.settled();
		// A session that no hook names can't be looked up: what the environment says is another id where it is continued
		// (2.1.332). One of an older version of ours has records and no mark.
		const isUnknown = !caller?.session_id && this.meet(client) !== 'key_only';
		const hasLoadedHere = records.some(({ session, isPrivate }) => isPrivate !== false && this.#session.knows(session));
		if (isUnknown || (hasLoadedHere && !this.isPrivate)) await this.#session.learn();
		const map = await this.#readMap();
		if (map instanceof BrokerError && map.code !== 'config_missing') throw map;
		if (!this.#isOn('files')) return;
		if (await this.#files.isReachedBy(event, input, this.#lastMap.entries, records)) {
			throw new BrokerError('protected_file');
		}
	}

	/** Approves the call that an event announces, or takes an approval of it back. */
	#beforeLoad(event: HookEvent, map: Entries | BrokerError, state: Parameters<typeof decideLoad>[2]): HookAnswer {
		const decision = decideLoad(event, map, state);
		this.#approvals.withdraw(event.tool_use_id);
		if ('refuse' in decision) return this.#refuse(decision.refuse);
		if (this.#isOn('quoting') && this.#uncheckable.has(event.agent_id)) {
			return this.#refuse(new BrokerError('unchecked_background'));
		}
		this.#approvals.give(decision.approve);
		return allowCall('Context Broker: the context map gives this agent this key.');
	}

	async #beforeTool(event: HookEvent): Promise<HookAnswer> {
		const { agent_id, tool_name, tool_input } = event;
		const input = parseInput(tool_input);
		const records = await this.#options.records.all();
		const { entries, allowTools } = this.#lastMap;
		const call = { tool: tool_name, input, isOwn: this.#isolation.isOfBroker(event) };
		if (isOutward(call, allowTools) && (await this.#holds(event, records))) {
			return this.#refuse(new BrokerError('outward_tool'));
		}
		if (startsFork(tool_name, input) && (isRecorded(event, records) || (await this.#holds(event, records)))) {
			return this.#refuse(new BrokerError('do_not_fork'));
		}
		if (this.#isOn('files') && (await this.#files.isReachedBy(event, input, entries, records))) {
			return this.#refuse(new BrokerError('protected_file'));
		}
		const isSubagent = callerOf(event).kind === 'subagent';
		if (this.#mapFault !== undefined && !isSubagent && tool_name.startsWith('mcp__')) throw this.#mapFault;
		const isolated = await this.#isolation.before(event, this.#lastMap.isolation);
		this.#announced.add(event);
		if (tool_name.startsWith(OWN_TOOLS)) await this.#inherit(event);
		if (
			SPEAKING_TOOLS.includes(tool_name) &&
			this.#isOn('quoting') &&
			(await this.#outgoing.quotes(agent_id, tool_input))
		) {
			return this.#refuse(new BrokerError('do_not_quote'));
		}
		if (tool_name === 'SendMessage' && this.#isOn('resuming') && this.#isResuming(event, input.to, records)) {
			return this.#refuse(new BrokerError('do_not_resume'));
		}
		if (isolated !== undefined) return isolated;
		const foreground = AGENT_TOOLS.includes(tool_name) && this.#isOn('background') && inForeground(input, entries);
		return foreground ? changeInput(foreground) : {};
	}

	async #afterTool(event: HookEvent, client: ClientInfo | undefined): Promise<HookAnswer> {
		this.#noteLaunch(event, client);
		const isAnswer = event.hook_event_name === 'PostToolUse' && !event.tool_name.startsWith('mcp__');
		const isChecked = isAnswer && this.#isOn('quoting');
		const answer = isChecked ? await this.#outgoing.afterTool(event, await this.#remembered()) : {};
		return mergeAnswers(answer, await this.#isolation.after(event, asksAboutNotifications(client)));
	}

	async #beforePrompt(event: HookEvent): Promise<HookAnswer> {
		const answer = this.#isOn('quoting') ? await this.#outgoing.beforePrompt(event, await this.#remembered()) : {};
		return mergeAnswers(answer, this.#isolation.beforePrompt(event));
	}

	/** A copy of a session that holds private data holds it as well. Looked at once, when it first matters. */
	async #inherit({ session_id, transcript_path }: HookEvent): Promise<void> {
		if (this.isPrivate || transcript_path === '' || this.#examined.has(session_id)) return;
		const isFork = await isForkOf(transcript_path, (id) => this.#options.privateSessions.has(id));
		if (isFork === true) await this.#session.learn();
		if (isFork !== undefined) this.#examined.add(session_id);
	}

	/** Whether an agent has private data in its context. A fork that the person has started has that of the main agent. */
	async #holds(event: HookEvent, records: readonly LoadRecord[]): Promise<boolean> {
		if (await this.#hasGot(event, records)) return true;
		return (event.agent_id === '' || event.agent_type === FORK) && (await this.#mainHolds(event, records));
	}

	/** Whether the main agent has private data in its context: also where its session is a copy of one in which it does. */
	async #mainHolds({ session_id, transcript_path }: HookEvent, records: readonly LoadRecord[]): Promise<boolean> {
		const hasGot = async (session: string) => await this.#hasGot({ session_id: session, agent_id: '' }, records);
		if (await hasGot(session_id)) return true;
		if (transcript_path === '') return false;
		const isCopy = this.#copies.get(session_id) ?? (await isForkOf(transcript_path, hasGot));
		if (isCopy !== undefined) this.#copies.set(session_id, isCopy);
		return isCopy === true;
	}

	/** Whether an agent has been given private data. */
	async #hasGot(agent: AgentOfSession, records: readonly LoadRecord[]): Promise<boolean> {
		const { session_id, agent_id } = agent;
		const ofPrivate = records.filter(({ isPrivate }) => isPrivate !== false);
		if (isRecorded(agent, ofPrivate)) return true;
		return (await this.#options.records.mayHold(session_id, agent_id)) || (await this.#holders.has(agent));
	}

	#isResuming(event: HookEvent, to: unknown, records: readonly LoadRecord[]): boolean {
		const here = new Set(this.#answers.agents());
		const inSession = records.filter(({ agent, session }) => session === event.session_id || here.has(agent));
		const others = new Set([...this.#seen].filter((agent) => !records.some((record) => record.agent === agent)));
		return records.some(({ agent }) => agent !== '' && agent === to) || reachesAny(to, inSession, others);
	}

	/** The ids of the subagents that another process served. */
	async #remembered(): Promise<string[]> {
		const here = new Set(this.#answers.agents());
		const records = await this.#options.records.all();
		return records.map(({ agent }) => agent).filter((agent) => agent !== '' && !here.has(agent));
	}

	/** What an agent in the background answers goes to a subagent, and in older clients to anyone, without a hook. */
	#noteLaunch({ agent_id, tool_name, tool_response }: HookEvent, client: ClientInfo | undefined): void {
		if (!AGENT_TOOLS.includes(tool_name) || (agent_id === '' && asksAboutNotifications(client))) return;
		const { status, agentId } = parseInput(tool_response);
		if (status === 'async_launched' && typeof agentId === 'string') this.#uncheckable.add(agentId);
	}

	#refuse(error: BrokerError): HookAnswer {
		this.#options.report(error);
		return denyCall(error);
	}

	#isOn(protection: Protection): boolean {
		return !this.#lastMap.off.includes(protection);
	}

	/** What can't be read now stays protected as it was last. */
	async #readMap(): Promise<PrivateContent | BrokerError> {
		try {
			this.#lastMap = await this.#options.map.read();
			this.#wasRead = true;
			this.#mapFault = undefined;
			return this.#lastMap;
		} catch (error) {
			if (!(error instanceof BrokerError)) throw error;
			if (!this.#wasRead && error.code !== 'config_missing') this.#mapFault = error;
			return error;
		}
	}
}

/** Whether one of the records is of the agent that makes a call. An id of a subagent is one of all sessions. */
function isRecorded({ agent_id, session_id }: AgentOfSession, records: readonly LoadRecord[]): boolean {
	return records.some(({ agent, session }) => agent === agent_id && (agent_id !== '' || session === session_id));
}

const NOT_APPROVED = 'There is no approval for this call, or it was used or given more than 60 seconds ago.';

const HOOKS_OFF =
	'No hook of Claude Code has asked the broker about this call or one before it: hooks are off, or those of the plugin were removed.';

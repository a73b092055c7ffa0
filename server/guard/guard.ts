import type { Entries, Entry, PrivateContent } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import { once } from '../lazily.ts';
import type { LoadRecord } from '../session-state/load-records.ts';
import { Agents } from './agents.ts';
import { AnnouncedCalls, OWN_TOOLS } from './announced-calls.ts';
import { Answers } from './answers.ts';
import { type Approval, Approvals } from './approvals.ts';
import type { Attachments } from './attachments.ts';
import { BoundedMap } from './bounded-map.ts';
import { callerOf } from './caller.ts';
import {
	asksAboutNotifications,
	type ClientInfo,
	type ClientKind,
	kindOfClient,
	loadsWithoutPersonOnly,
} from './client.ts';
import { withinDeadline } from './deadline.ts';
import { decideLoad, LOAD_CONTEXT, tooOld } from './decide-load.ts';
import { AGENT_TOOLS, inForeground, SPEAKING_TOOLS, startsFork, WRITING_TOOLS } from './delegation.ts';
import { mayLoad } from './entitlement.ts';
import { FileProtection } from './file-protection.ts';
import { Copies, sourcesByCommandLine } from './forks.ts';
import type { Call, GuardOptions } from './guard-options.ts';
import { Holders, isRecorded } from './holders.ts';
import {
	allowCall,
	changeInput,
	denyCall,
	endTurn,
	type HookAnswer,
	type HookEvent,
	mergeAnswers,
	parseInput,
	withholdPrompt,
} from './hook.ts';
import { LastMap } from './last-map.ts';
import { MapNotice } from './map-notice.ts';
import { type AnswerContext, OutgoingTexts } from './outgoing-texts.ts';
import { isOutward } from './outward-tools.ts';
import { PassingCalls } from './passing-calls.ts';
import { PrivateSession } from './private-session.ts';
import { reachesAny } from './resuming.ts';
import { agentName } from './tool-isolation/agent-description.ts';
import { ToolIsolation } from './tool-isolation/tool-isolation.ts';
import { isOfWorkflow } from './workflows.ts';

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
	/** No part of a start. */
	readonly #attachments: () => Promise<Attachments>;
	readonly #session: PrivateSession;
	readonly #announced = new AnnouncedCalls();
	/** The calls of the shell and of servers behind the broker. */
	readonly passing: PassingCalls;
	readonly #holders: Holders;
	readonly #isolation: ToolIsolation;
	/** The sessions that began as copies of others that hold private data. */
	readonly #copies: Copies;
	/** By the type of the main agent, the sessions that began as copies of another one's. */
	readonly #copiesOfOthers = new BoundedMap<string, Copies>(100);
	readonly #map: LastMap;
	readonly #notice: MapNotice;
	readonly #agents = new Agents();
	#wasClaudeCode = false;
	#wasKeyOnly = false;
	#wasAsked = false;
	/** Whether a workflow was started, so that an agent can be of one. */
	#startsWorkflows = false;

	constructor(options: GuardOptions) {
		this.#options = options;
		this.#map = new LastMap(() => options.map.read(), options.findMapElsewhere);
		this.#notice = new MapNotice(options.map.file, this.#map);
		this.#approvals = new Approvals(options.now);
		this.#answers = new Answers((work) => options.later(() => void (this.#map.isOn('quoting') && work())));
		this.#outgoing = new OutgoingTexts(this.#answers, this.#agents, options.report);
		this.#files = new FileProtection(options, this.#answers, this.#agents);
		this.#attachments = once(async () => {
			const { Attachments } = await import('./attachments.ts');
			return new Attachments(options.map, options.files, options.report);
		});
		const { CLAUDE_CODE_SESSION_ID: id = '' } = options.environment;
		this.#session = new PrivateSession(options.privateSessions, [id], options.report, (session, why) =>
			options.decisions.turnedPrivate(session, why),
		);
		this.#copies = new Copies((session) => options.privateSessions.has(session));
		this.#holders = new Holders(options.privateSessions, options.records);
		this.#isolation = new ToolIsolation(options.toolIsolation);
		this.passing = new PassingCalls({
			...{ announced: this.#announced, session: this.#session, holders: this.#holders, map: this.#map },
			...{ files: this.#files, isolation: this.#isolation, records: options.records, decisions: options.decisions },
			isOfClaudeCode: (client) => this.meet(client) !== 'key_only',
			platform: options.files.platform,
		});
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
		return this.#notice.beside(answer, event);
	}

	async #answerWhatever(event: HookEvent, call: Call): Promise<HookAnswer> {
		try {
			const undo = () => {
				this.#approvals.withdraw(event.tool_use_id);
				this.#announced.callerOf(event.tool_use_id);
			};
			return await withinDeadline(this.#answer(event, call), undo, this.#options.schedule);
		} catch (cause) {
			const error = BrokerError.from(cause);
			if (event.hook_event_name === 'PreToolUse') return this.#refuse(error);
			this.#options.report(error);
			return this.#outgoing.withhold(event);
		}
	}

	async #answer(event: HookEvent, { client }: Call): Promise<HookAnswer> {
		if (event.hook_event_name === 'PreToolUse') this.#wasAsked = true;
		this.#agents.see(event);
		if (event.tool_name === 'Workflow') this.#startsWorkflows = true;
		await this.#session.meet(event.session_id);
		const kind = this.meet(client);
		const isLoad = event.hook_event_name === 'PreToolUse' && event.tool_name === LOAD_CONTEXT;
		if (isLoad && !(await this.#options.isShown())) return {};
		const isUnchecked = isLoad && (await this.#isOfWorkflow(event));
		const map = await this.#map.read();
		if (isLoad) {
			// No wait from here on: of two answers about the same tool use the later one counts.
			return this.#beforeLoad(event, map, isUnchecked, { kind, client });
		}
		const attached = this.#map.isOn('files') && (await (await this.#attachments()).answer(event, this.#private()));
		if (attached) return attached;
		switch (event.hook_event_name) {
			case 'PreToolUse':
				return await this.#beforeTool(event, client);
			case 'PostToolUse':
			case 'PostToolUseFailure':
				return await this.#afterTool(event, client);
			case 'SubagentStop':
				await this.#isolation.stopped(event);
				return await this.#beforeStop(event, client);
			case 'PostToolBatch':
				return this.#map.isOn('quoting') ? await this.#beforeRequest(event) : {};
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

	/** Approves the call that an event announces, or takes an approval of it back. */
	#beforeLoad(
		event: HookEvent,
		map: PrivateContent | BrokerError,
		isUnchecked: boolean,
		state: Parameters<typeof decideLoad>[2],
	): HookAnswer {
		const decision = decideLoad(event, map, state);
		this.#approvals.withdraw(event.tool_use_id);
		if ('refuse' in decision) return this.#refuse(decision.refuse);
		if (isUnchecked && (this.#map.isOn('quoting') || this.#map.isOn('files'))) {
			return this.#refuse(new BrokerError('unchecked_background', OF_WORKFLOW));
		}
		if (this.#map.isOn('quoting') && this.#isUnheard(event.agent_id, state.client)) {
			if (this.#agents.isOfCommand(event.agent_id)) {
				return this.#refuse(new BrokerError('unchecked_background', OF_COMMAND));
			}
			const isAlways = loadsWithoutPersonOnly(state.client?.version ?? '');
			return this.#refuse(new BrokerError('unchecked_background', isAlways ? ALWAYS_IN_BACKGROUND : IN_BACKGROUND));
		}
		this.#approvals.give(decision.approve);
		return allowCall('Context Broker: the context map gives this agent this key.');
	}

	async #beforeTool(event: HookEvent, client: ClientInfo | undefined): Promise<HookAnswer> {
		const { agent_id, agent_type, tool_name, tool_input } = event;
		const input = parseInput(tool_input);
		const records = await this.#options.records.all();
		const { entries, allowTools } = this.#map.content;
		const call = { tool: tool_name, input, isOwn: this.#isolation.isOfBroker(event) };
		if (isOutward(call, allowTools) && (await this.#holders.has(event))) {
			return this.#refuse(new BrokerError('outward_tool'));
		}
		if (startsFork(tool_name, input) && (isRecorded(event, records) || (await this.#holders.has(event)))) {
			return this.#refuse(new BrokerError('do_not_fork'));
		}
		const evidence = this.#map.isOn('files') && (await this.#files.reachedBy(event, input, this.#map.content, records));
		if (evidence) {
			const canLoad = agent_type !== '' && mayLoad(agent_type, entries);
			return this.#refuse(new BrokerError('protected_file', { ...(canLoad ? LOAD_IT : {}), evidence }));
		}
		const isSubagent = callerOf(event).kind === 'subagent';
		if (this.#map.fault !== undefined && !isSubagent && tool_name.startsWith('mcp__')) throw this.#map.fault;
		const isolated = await this.#isolation.before(event, this.#map.content.isolation);
		this.#announced.add(event);
		// A copy of a session that holds private data holds it as well.
		const canLeadOut = tool_name.startsWith(OWN_TOOLS) && !this.isPrivate;
		if (canLeadOut && (await this.#copies.has(event))) await this.#session.learn();
		if (
			SPEAKING_TOOLS.includes(tool_name) &&
			this.#map.isOn('quoting') &&
			(await this.#outgoing.quotes(agent_id, tool_input, isRecorded(event, records)))
		) {
			return this.#refuse(new BrokerError('do_not_quote'));
		}
		if (
			WRITING_TOOLS.includes(tool_name) &&
			this.#map.isOn('quoting') &&
			(await this.#outgoing.writesQuotation(event, isRecorded(event, records)))
		) {
			return this.#refuse(new BrokerError('do_not_quote'));
		}
		if (
			tool_name === 'SendMessage' &&
			this.#map.isOn('resuming') &&
			(await this.#isResuming(event, input.to, records))
		) {
			return this.#refuse(new BrokerError('do_not_resume'));
		}
		if (tool_name === 'TaskStop' && this.#map.isOn('quoting') && this.#isUnheardWithFiles(input.task_id, client)) {
			return this.#refuse(new BrokerError('answer_withheld', STOPPED));
		}
		this.#agents.launch(event);
		if (isolated !== undefined) return isolated;
		const foreground = AGENT_TOOLS.includes(tool_name) && this.#map.isOn('background') && inForeground(input, entries);
		return foreground ? changeInput(foreground) : {};
	}

	async #afterTool(event: HookEvent, client: ClientInfo | undefined): Promise<HookAnswer> {
		const isChecked = !event.tool_name.startsWith('mcp__') && this.#map.isOn('quoting');
		const hasFailed = event.hook_event_name === 'PostToolUseFailure';
		if (isChecked && hasFailed) await this.#outgoing.afterFailure(event);
		const answer = isChecked && !hasFailed ? await this.#outgoing.afterTool(event, this.#context) : {};
		this.#agents.end(event);
		return mergeAnswers(answer, await this.#isolation.after(event, asksAboutNotifications(client)));
	}

	async #beforeStop(event: HookEvent, client: ClientInfo | undefined): Promise<HookAnswer> {
		const isUnheard = this.#isUnheard(event.agent_id, client);
		const answer = this.#map.isOn('quoting') ? await this.#outgoing.beforeStop(event, isUnheard) : {};
		if (answer.decision === undefined) this.#agents.stop(event.agent_id);
		return answer;
	}

	/** The last look at what goes out with the next request. What can't be kept back now stays in the conversation. */
	async #beforeRequest(event: HookEvent): Promise<HookAnswer> {
		const source = await this.#outgoing.quotedIn(event);
		if (source === undefined) return {};
		const { session_id: session, agent_id: agent, transcript_path: transcript } = event;
		const type = this.#agents.get(source)?.type ?? '';
		await this.#options.records.add({ session, agent, type, transcript });
		const error = new BrokerError('do_not_continue');
		this.#options.report(error);
		return endTurn(error.text);
	}

	async #beforePrompt(event: HookEvent): Promise<HookAnswer> {
		if (this.#map.isOn('resuming') && (await this.#isOfAnotherAgent(event))) {
			const error = new BrokerError('do_not_continue');
			this.#options.report(error);
			return withholdPrompt(error.text);
		}
		const answer = this.#map.isOn('quoting') ? await this.#outgoing.beforePrompt(event, this.#context) : {};
		return mergeAnswers(answer, this.#isolation.beforePrompt(event));
	}

	/** Whether a conversation, or one that it is a copy of, holds what another main agent has loaded. */
	async #isOfAnotherAgent(event: HookEvent): Promise<boolean> {
		const others = await this.#sessionsOfOthers(event.agent_type);
		if (others.length === 0 || others.includes(event.session_id)) return others.length > 0;
		const isOther = async (session: string) => (await this.#sessionsOfOthers(event.agent_type)).includes(session);
		const copies = this.#copiesOfOthers.get(event.agent_type) ?? new Copies(isOther, sourcesByCommandLine);
		this.#copiesOfOthers.set(event.agent_type, copies);
		return await copies.has(event);
	}

	/** The sessions in which a main agent of another type has loaded. */
	async #sessionsOfOthers(mainType: string): Promise<string[]> {
		const records = await this.#options.records.all();
		return records.filter(({ agent, type }) => agent === '' && type !== mainType).map(({ session }) => session);
	}

	/** The files that the map names, also those of which only the path can be read. */
	#private(): Entries {
		const { entries, paths } = this.#map.content;
		if (paths.length === 0) return entries;
		return new Map([...entries, ...paths.map((path): [string, Entry] => [`\0${path}`, { path, agents: [] }])]);
	}

	/** Whether no hook sees, or can change, what an agent answers. */
	#isUnheard(agent: string, client: ClientInfo | undefined): boolean {
		const { isInBackground = false, starter } = this.#agents.get(agent) ?? {};
		const isHeard = starter === '' && asksAboutNotifications(client);
		return (isInBackground && !isHeard) || this.#agents.isOfCommand(agent);
	}

	/** What such an agent has said last would be its answer if it were stopped, and it is asked nothing any more. */
	#isUnheardWithFiles(agent: unknown, client: ClientInfo | undefined): boolean {
		if (typeof agent !== 'string' || !this.#isUnheard(agent, client)) return false;
		return this.#answers.filesOf(this.#agents.familyOf(agent)).length > 0;
	}

	get #context(): AnswerContext {
		return {
			remembered: async () => {
				const here = new Set(this.#answers.agents());
				const records = await this.#options.records.all();
				const elsewhere = records.filter(({ agent }) => agent !== '' && !here.has(agent));
				return new Map(elsewhere.map(({ agent, type }) => [agent, type]));
			},
			mayLoad: (agent) => mayLoad(this.#agents.get(agent)?.type ?? '', this.#map.content.entries),
		};
	}

	/** A workflow gives on what its agents answer, to others of them too, and writes it down: no hook hears of it. */
	async #isOfWorkflow({ agent_id, transcript_path }: HookEvent): Promise<boolean> {
		return agent_id !== '' && (await isOfWorkflow(transcript_path, agent_id, this.#startsWorkflows));
	}

	async #isResuming(event: HookEvent, to: unknown, records: readonly LoadRecord[]): Promise<boolean> {
		const here = new Set(this.#answers.agents());
		const inSession = records.filter(({ agent, session }) => session === event.session_id || here.has(agent));
		const others = new Set(
			[...this.#agents.ids()].filter((agent) => !records.some((record) => record.agent === agent)),
		);
		if (records.some(({ agent }) => agent !== '' && agent === to)) return true;
		// Of one session, the event tells where its files are now.
		const named = inSession.map(async ({ transcript, ...record }) => ({
			...record,
			name: (await agentName(event.transcript_path, record.agent)) ?? (await agentName(transcript, record.agent)),
		}));
		return reachesAny(to, await Promise.all(named), others);
	}

	#refuse(error: BrokerError): HookAnswer {
		this.#options.report(error);
		return denyCall(error);
	}
}

const OF_WORKFLOW = {
	detail: 'It is part of a workflow.',
	next: 'Report this and stop. It can load where the Agent tool starts it.',
};

const OF_COMMAND = {
	detail: 'A command that the user typed has started it.',
	next: 'Report this and stop. It can load if the main agent starts it with the Agent tool: the user can ask for it in words.',
};

const STOPPED = {
	detail: 'If this agent were stopped, what it has said so far would be its answer, and not be checked.',
	next: 'Wait until it has finished.',
};

const IN_BACKGROUND = { detail: 'It runs in the background.' };

const ALWAYS_IN_BACKGROUND = {
	detail: 'It runs in the background, as every agent does in Claude Code 2.1.232 to 2.1.259 if a person is at it.',
	next: 'Report this and stop. Ask the user to update Claude Code ("claude update"), and to start a new session; or to have it done by "claude -p".',
};

const LOAD_IT = {
	next: 'What your own key leads to you get by load_context, and in no other way. A search of a folder above it can be narrowed to other folders.',
};

const NOT_APPROVED = 'There is no approval for this call, or it was used or given more than 60 seconds ago.';

const HOOKS_OFF =
	'No hook of Claude Code has asked the broker about this call or one before it: hooks are off, or those of the plugin were removed.';

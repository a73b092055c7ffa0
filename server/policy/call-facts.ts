import { agentName } from '../claude-code/agent-files.ts';
import { type ClientInfo, hasNotificationHook } from '../claude-code/client.ts';
import { type HookEvent, parseInput } from '../claude-code/hooks.ts';
import {
	AGENT_TOOLS,
	EGRESS_TOOLS,
	isMcpTool,
	MESSAGE_TOOLS,
	SEND_MESSAGE,
	STOP_TASK,
	startsForkedAgent,
	WRITING_TOOLS,
} from '../claude-code/tools.ts';
import type { Entries } from '../context-map/parse.ts';
import type { Load } from '../record/journal.ts';
import { callerOf } from './caller.ts';
import { mayLoad } from './entitlement.ts';
import { isAddressed } from './resuming.ts';
import type { CallFacts } from './rules.ts';
import { privateEntries, type State } from './state.ts';

type Input = Readonly<Record<string, unknown>>;

/** Gathers the facts for the rules about a tool call. Records nothing of the call. */
export async function gatherFacts(event: HookEvent, client: ClientInfo | undefined, state: State): Promise<CallFacts> {
	const { tool_name: tool, agent_type: type } = event;
	const { map, isolation } = state;
	const { entries, allowTools } = map.content;
	const input = parseInput(event.tool_input);
	const loads = await state.options.journal.loads();
	// An agent whose files are cleaned still knows what it has loaded, but has no record any more.
	const known = [...loads, ...loadedHere(state.agents)];
	const hasLoaded = known.some((load) => isByCaller(load, event));
	const isOut = isEgress({ tool, input, isOwn: isolation.isOfBroker(event) }, allowTools);
	const isFork = startsForkedAgent(tool, input);
	return {
		attached: await checkAttachments(event, state),
		isEgress: isOut,
		startsForkedAgent: isFork,
		holdsPrivateData: (isOut || isFork) && (await state.session.holdsPrivateData(event)),
		hasLoaded,
		mayLoad: type !== '' && mayLoad(type, entries),
		evidence: map.isOn('files') ? await state.files.reachedBy(event, input, map.content, loads) : undefined,
		unknownIsolation: isMcpTool(tool) && callerOf(event).kind !== 'subagent' ? map.fault : undefined,
		isolation: await isolation.check(event, map.content.isolation),
		quotes: map.isOn('quoting') && (await quotes(event, hasLoaded, state)),
		resumes: tool === SEND_MESSAGE && map.isOn('resuming') && (await resumes(event, input.to, known, state)),
		endsUnchecked: tool === STOP_TASK && map.isOn('quoting') && endsUnchecked(input.task_id, client, state),
		inForeground: map.isOn('background') ? inForeground(tool, input, entries) : undefined,
	};
}

type Loaded = Pick<Load, 'agent' | 'session' | 'type' | 'transcript'>;

function loadedHere(agents: State['agents']): Loaded[] {
	return [...agents.all()]
		.filter(({ files }) => files.length > 0)
		.map(({ id: agent, session, type, transcript }) => ({ agent, session, type, transcript }));
}

/** The next step if Claude Code itself would put a private file into a request. */
export async function checkAttachments(event: HookEvent, { map, attachments }: State): Promise<string | undefined> {
	return map.isOn('files') ? await (await attachments()).check(event, privateEntries(map)) : undefined;
}

/** @param isOwn whether the tool is the broker's, or of a server behind it; the name does not show that */
interface EgressCall {
	readonly tool: string;
	readonly input: Input;
	readonly isOwn: boolean;
}

/** Whether a call can send data out of the machine. @param allowed full names of tools, or prefixes with a `*` */
export function isEgress({ tool, input, isOwn }: EgressCall, allowed: readonly string[]): boolean {
	const isRemote = AGENT_TOOLS.includes(tool) && input.isolation === 'remote';
	const canSend = EGRESS_TOOLS.includes(tool) || isRemote || (isMcpTool(tool) && !isOwn);
	return canSend && !allowed.some((name) => (name.endsWith('*') ? tool.startsWith(name.slice(0, -1)) : tool === name));
}

/** For a call that starts an agent which may load: the input for the foreground, since no hook can edit a notification. */
export function inForeground(tool: string, input: Input, entries: Entries): object | undefined {
	const { subagent_type: type, run_in_background } = input;
	// Without the field some versions use the background.
	if (!AGENT_TOOLS.includes(tool) || typeof type !== 'string' || run_in_background === false) return undefined;
	return mayLoad(type, entries) ? { ...input, run_in_background: false } : undefined;
}

/** Whether the caller of an event has made a load. */
export function isByCaller({ agent, session }: Loaded, { agent_id, session_id }: HookEvent): boolean {
	// A subagent keeps its id in a continued session.
	return agent === agent_id && (agent_id !== '' || session === session_id);
}

/** Whether a call passes on what the caller has loaded. A load in another process is unknown, so any text can repeat it. */
async function quotes(event: HookEvent, hasLoaded: boolean, { agents, quotations }: State): Promise<boolean> {
	const isMessage = MESSAGE_TOOLS.includes(event.tool_name);
	if (!isMessage && !WRITING_TOOLS.includes(event.tool_name)) return false;
	const files = agents.filesOf([event.agent_id]);
	if (files.length === 0) return hasLoaded;
	return isMessage ? await quotations.areIn(event.tool_input, files) : await quotations.areWritten(event, files);
}

async function resumes(event: HookEvent, to: unknown, loads: readonly Loaded[], { agents }: State): Promise<boolean> {
	if (loads.some(({ agent }) => agent !== '' && agent === to)) return true;
	const inSession = loads.filter(
		({ agent, session }) => session === event.session_id || agents.filesOf([agent]).length > 0,
	);
	const others = [...agents.ids()].filter((agent) => !loads.some((load) => load.agent === agent));
	const named = inSession.map(async ({ transcript, ...load }) => ({
		...load,
		// A session's files can have moved; the event has their current place.
		name: (await agentName(event.transcript_path, load.agent)) ?? (await agentName(transcript, load.agent)),
	}));
	return isAddressed(to, await Promise.all(named), new Set(others));
}

/** Whether an agent would end with an answer that nobody can check. */
function endsUnchecked(agent: unknown, client: ClientInfo | undefined, { agents }: State): boolean {
	if (typeof agent !== 'string' || !agents.isUncheckable(agent, hasNotificationHook(client))) return false;
	return agents.filesOf(agents.familyOf(agent)).length > 0;
}

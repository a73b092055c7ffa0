import { agentName } from '../claude-code/agent-files.ts';
import { asksAboutNotifications, type ClientInfo } from '../claude-code/client.ts';
import { type HookEvent, parseInput } from '../claude-code/hooks.ts';
import { isMcpTool, MESSAGE_TOOLS, SEND_MESSAGE, STOP_TASK, startsFork, WRITING_TOOLS } from '../claude-code/tools.ts';
import type { Load } from '../record/journal.ts';
import { attachedTo } from './attached-to.ts';
import { callerOf } from './caller.ts';
import { isEgress } from './egress.ts';
import { mayLoad } from './entitlement.ts';
import { inForeground } from './foreground.ts';
import { reachesAny } from './resuming.ts';
import type { CallFacts } from './rules.ts';
import type { State } from './state.ts';
import { writesQuotation } from './writes-quotation.ts';

/** Looks up all that the rules about a tool call go by. Of the call itself it leaves no note. */
export async function gatherFacts(event: HookEvent, client: ClientInfo | undefined, state: State): Promise<CallFacts> {
	const { tool_name: tool, agent_type: type } = event;
	const { map, isolation } = state;
	const { entries, allowTools } = map.content;
	const input = parseInput(event.tool_input);
	const loads = await state.options.journal.loads();
	const hasLoaded = loads.some((load) => isOf(load, event));
	const isOut = isEgress({ tool, input, isOwn: isolation.isOfBroker(event) }, allowTools);
	const isFork = startsFork(tool, input);
	return {
		attached: await attachedTo(event, state),
		isEgress: isOut,
		startsFork: isFork,
		holdsPrivateData: (isOut || isFork) && (await state.session.holdsPrivateData(event)),
		hasLoaded,
		mayLoad: type !== '' && mayLoad(type, entries),
		evidence: map.isOn('files') ? await state.files.reachedBy(event, input, map.content, loads) : undefined,
		unknownIsolation: isMcpTool(tool) && callerOf(event).kind !== 'subagent' ? map.fault : undefined,
		isolation: await isolation.check(event, map.content.isolation),
		quotes: map.isOn('quoting') && (await quotes(event, hasLoaded, state)),
		resumes: tool === SEND_MESSAGE && map.isOn('resuming') && (await resumes(event, input.to, loads, state)),
		endsUnchecked: tool === STOP_TASK && map.isOn('quoting') && endsUnchecked(input.task_id, client, state),
		inForeground: map.isOn('background') ? inForeground(tool, input, entries) : undefined,
	};
}

/** Whether a load is one of the agent of an event. The id of a subagent is one of all sessions. */
function isOf({ agent, session }: Load, { agent_id, session_id }: HookEvent): boolean {
	return agent === agent_id && (agent_id !== '' || session === session_id);
}

/** Whether a call gives on what the caller has loaded: here, or in another process, of which nobody knows what it was. */
async function quotes(event: HookEvent, hasLoaded: boolean, { agents, quotations }: State): Promise<boolean> {
	const isMessage = MESSAGE_TOOLS.includes(event.tool_name);
	if (!isMessage && !WRITING_TOOLS.includes(event.tool_name)) return false;
	const files = agents.filesOf([event.agent_id]);
	if (files.length === 0) return hasLoaded;
	return isMessage ? await quotations.areIn(event.tool_input, files) : await writesQuotation(event, files, quotations);
}

async function resumes(event: HookEvent, to: unknown, loads: readonly Load[], { agents }: State): Promise<boolean> {
	if (loads.some(({ agent }) => agent !== '' && agent === to)) return true;
	const inSession = loads.filter(
		({ agent, session }) => session === event.session_id || agents.filesOf([agent]).length > 0,
	);
	const others = [...agents.ids()].filter((agent) => !loads.some((load) => load.agent === agent));
	// Of one session, the event tells where its files are now.
	const named = inSession.map(async ({ transcript, ...load }) => ({
		...load,
		name: (await agentName(event.transcript_path, load.agent)) ?? (await agentName(transcript, load.agent)),
	}));
	return reachesAny(to, await Promise.all(named), new Set(others));
}

/** What an agent has said last would be its answer if it were stopped, and it is asked nothing any more. */
function endsUnchecked(agent: unknown, client: ClientInfo | undefined, { agents }: State): boolean {
	if (typeof agent !== 'string' || !agents.isUnheard(agent, asksAboutNotifications(client))) return false;
	return agents.filesOf(agents.familyOf(agent)).length > 0;
}

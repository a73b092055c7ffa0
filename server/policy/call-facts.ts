import { agentName } from '../claude-code/agent-files.ts';
import { asksAboutNotifications, type ClientInfo } from '../claude-code/client.ts';
import { type HookEvent, parseInput } from '../claude-code/hooks.ts';
import { isMcpTool, SEND_MESSAGE, SPEAKING_TOOLS, STOP_TASK, startsFork, WRITING_TOOLS } from '../claude-code/tools.ts';
import type { LoadRecord } from '../record/load-records.ts';
import { callerOf } from './caller.ts';
import { inForeground } from './delegation.ts';
import { mayLoad } from './entitlement.ts';
import { isRecorded } from './holders.ts';
import { type Known, privateEntries } from './known.ts';
import { isOutward } from './outward-tools.ts';
import { reachesAny } from './resuming.ts';
import type { CallFacts } from './rules.ts';

/** Looks up all that the rules about a tool call go by. Of the call itself it leaves no note. */
export async function gatherFacts(event: HookEvent, client: ClientInfo | undefined, known: Known): Promise<CallFacts> {
	const { tool_name: tool, agent_type: type } = event;
	const { map, isolation } = known;
	const { entries, allowTools } = map.content;
	const input = parseInput(event.tool_input);
	const records = await known.options.records.all();
	const hasLoaded = isRecorded(event, records);
	const isOut = isOutward({ tool, input, isOwn: isolation.isOfBroker(event) }, allowTools);
	const isFork = startsFork(tool, input);
	return {
		attached: map.isOn('files') ? await (await known.attachments()).judge(event, privateEntries(map)) : undefined,
		isOutward: isOut,
		startsFork: isFork,
		holdsPrivateData: (isOut || isFork) && (await known.holders.has(event)),
		hasLoaded,
		mayLoad: type !== '' && mayLoad(type, entries),
		evidence: map.isOn('files') ? await known.files.reachedBy(event, input, map.content, records) : undefined,
		unknownIsolation: isMcpTool(tool) && callerOf(event).kind !== 'subagent' ? map.fault : undefined,
		isolation: await isolation.judge(event, map.content.isolation),
		quotes: map.isOn('quoting') && (await quotes(event, hasLoaded, known)),
		resumes: tool === SEND_MESSAGE && map.isOn('resuming') && (await resumes(event, input.to, records, known)),
		endsUnchecked: tool === STOP_TASK && map.isOn('quoting') && endsUnchecked(input.task_id, client, known),
		inForeground: map.isOn('background') ? inForeground(tool, input, entries) : undefined,
	};
}

async function quotes(event: HookEvent, hasLoaded: boolean, { outgoing }: Known): Promise<boolean> {
	const { tool_name, agent_id, tool_input } = event;
	if (SPEAKING_TOOLS.includes(tool_name)) return await outgoing.quotes(agent_id, tool_input, hasLoaded);
	return WRITING_TOOLS.includes(tool_name) && (await outgoing.writesQuotation(event, hasLoaded));
}

async function resumes(
	event: HookEvent,
	to: unknown,
	records: readonly LoadRecord[],
	{ answers, agents }: Known,
): Promise<boolean> {
	if (records.some(({ agent }) => agent !== '' && agent === to)) return true;
	const here = new Set(answers.agents());
	const inSession = records.filter(({ agent, session }) => session === event.session_id || here.has(agent));
	const others = [...agents.ids()].filter((agent) => !records.some((record) => record.agent === agent));
	// Of one session, the event tells where its files are now.
	const named = inSession.map(async ({ transcript, ...record }) => ({
		...record,
		name: (await agentName(event.transcript_path, record.agent)) ?? (await agentName(transcript, record.agent)),
	}));
	return reachesAny(to, await Promise.all(named), new Set(others));
}

/** What an agent has said last would be its answer if it were stopped, and it is asked nothing any more. */
function endsUnchecked(agent: unknown, client: ClientInfo | undefined, { agents, answers }: Known): boolean {
	if (typeof agent !== 'string' || !agents.isUnheard(agent, asksAboutNotifications(client))) return false;
	return answers.filesOf(agents.familyOf(agent)).length > 0;
}

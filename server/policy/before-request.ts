import type { HookAnswer, HookEvent } from '../claude-code/hooks.ts';
import { AGENT_TOOLS, ANSWER_TOOLS, SKILL } from '../claude-code/tools.ts';
import { checkAttachments } from './call-facts.ts';
import { refuse } from './refuse.ts';
import { BEFORE_REQUEST, decide } from './rules.ts';
import { filesOfFamilies, parseResult, textsIn } from './said-by-agents.ts';
import type { State } from './state.ts';

const ANSWERING = [...AGENT_TOOLS, ...ANSWER_TOOLS, SKILL];

const ANSWERING_CALL = new RegExp(`"tool_name":\\s*"(?:${ANSWERING.join('|')})"`);

/** The last check of what goes out with the next request. */
export async function beforeRequest(event: HookEvent, state: State): Promise<HookAnswer> {
	const source = state.map.isOn('quoting') ? await quotedIn(event, state) : undefined;
	const outcome = decide(BEFORE_REQUEST, {
		attached: await checkAttachments(event, state),
		quotes: source !== undefined,
	});
	if (outcome === undefined) return {};
	if (source !== undefined) {
		const { session_id: session, agent_id: agent, transcript_path: transcript } = event;
		const type = state.agents.get(source)?.type ?? '';
		await state.options.journal.add([{ session, agent, type, transcript, loaded: true, private: true }]);
	}
	return refuse(event, outcome.refuse, state.options, outcome.by);
}

/** The agent whose quotation would go out. Another hook can have put it back, and an error's text cannot be edited. */
async function quotedIn(
	{ tool_calls }: HookEvent,
	{ agents, quotations, toolUses }: State,
): Promise<string | undefined> {
	// Other results can be long, and are no agent's answer.
	if (!agents.haveLoaded || !ANSWERING_CALL.test(tool_calls)) return undefined;
	const calls = parseResult(tool_calls);
	for (const { tool_name, tool_use_id, tool_input, tool_response } of Array.isArray(calls) ? calls.map(Object) : []) {
		if (!ANSWERING.includes(tool_name)) continue;
		const input = JSON.stringify(tool_input ?? {});
		const sources = agents.sourcesOf({ tool_name, tool_use_id, tool_input: input, tool_response: '' });
		const files = filesOfFamilies(sources, agents);
		if (files.length === 0) continue;
		const { lines } = await quotations.check(textsIn(tool_response).join('\n'), files);
		// Only lines that were found before count, since the client adds words such as numbers. Without a check, all count.
		const quoted = toolUses.get(tool_use_id)?.quoted;
		if (lines.some((line) => quoted?.includes(line) ?? true)) return sources[0];
	}
	return undefined;
}

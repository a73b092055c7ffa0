import { type ClientInfo, hasNotificationHook } from '../claude-code/client.ts';
import { blockEvent, type HookAnswer, type HookEvent } from '../claude-code/hooks.ts';
import { type AnswerFacts, BEFORE_STOP, decide } from './rules.ts';
import { filesOfFamilies } from './said-by-agents.ts';
import type { State } from './state.ts';

/** Before a subagent ends with its answer. If it quotes, the subagent has to answer again. */
export async function beforeStop(event: HookEvent, client: ClientInfo | undefined, state: State): Promise<HookAnswer> {
	const facts = await gatherFacts(event, client, state);
	const reason = decide(BEFORE_STOP, facts);
	const agent = state.agents.get(event.agent_id);
	if (reason === undefined) {
		if (agent !== undefined) {
			agent.hasStopped = true;
			state.options.traces.finish({ session: agent.session, agent: agent.id });
		}
		return {};
	}
	if (agent !== undefined) agent.attempts = facts.attempt;
	return blockEvent(reason);
}

async function gatherFacts(
	{ agent_id: id, last_assistant_message: answer }: HookEvent,
	client: ClientInfo | undefined,
	{ map, agents, quotations }: State,
): Promise<AnswerFacts> {
	const agent = agents.get(id);
	const files = map.isOn('quoting') ? filesOfFamilies([id], agents) : [];
	const repeated = files.length === 0 ? undefined : await quotations.check(answer, files);
	return {
		repeated: repeated?.passages === 0 ? undefined : repeated,
		attempt: (agent?.attempts ?? 0) + 1,
		// A notification could only be withheld as a whole, and other answers reach no later hook. So such an agent answers
		// again until it quotes nothing; 2.1.126 has no limit for that.
		canBeEdited: !agents.isUncheckable(id, hasNotificationHook(client)) && agent?.isInBackground !== true,
	};
}

import { asksAboutNotifications, type ClientInfo, loadsWithoutPersonOnly } from '../claude-code/client.ts';
import { allowCall, type HookAnswer, type HookEvent } from '../claude-code/hooks.ts';
import { isOfWorkflow } from '../claude-code/workflows.ts';
import { decideLoad, type GuardState } from './decide-load.ts';
import type { Known } from './known.ts';
import { refuse } from './refuse.ts';

/** Approves the call of `load_context` that an event announces, or takes back an approval of it. */
export async function beforeLoad(
	event: HookEvent,
	client: ClientInfo | undefined,
	known: Known,
	isLate: () => boolean,
): Promise<HookAnswer> {
	if (!(await known.options.isShown())) return {};
	const { agent_id: agent, transcript_path: transcript } = event;
	// A workflow gives on what its agents answer, to others of them too, and writes it down: no hook hears of it.
	const inWorkflow = agent !== '' && (await isOfWorkflow(transcript, agent, known.agents.startsWorkflows));
	const map = await known.map.read();
	if (isLate()) return {};
	// No wait from here on: of two answers about the same tool use the later one counts.
	const unchecked = uncheckedWay(agent, inWorkflow, client, known);
	const decision = decideLoad(event, map, { kind: known.client.meet(client), client, unchecked });
	known.approvals.withdraw(event.tool_use_id);
	if ('refuse' in decision) return refuse(event, decision.refuse, known.options);
	known.approvals.give(decision.approve);
	return allowCall('Context Broker: the context map gives this agent this key.');
}

/** Why nobody can check what an agent answers. */
function uncheckedWay(
	agent: string,
	inWorkflow: boolean,
	client: ClientInfo | undefined,
	{ map, agents }: Known,
): GuardState['unchecked'] {
	if (inWorkflow && (map.isOn('quoting') || map.isOn('files'))) return 'workflow';
	if (!map.isOn('quoting') || !agents.isUnheard(agent, asksAboutNotifications(client))) return undefined;
	if (agents.isOfCommand(agent)) return 'command';
	return loadsWithoutPersonOnly(client?.version ?? '') ? 'always_background' : 'background';
}

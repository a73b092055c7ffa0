import { type ClientInfo, hasNotificationHook, loadsOnlyHeadless } from '../claude-code/client.ts';
import { allowCall, type HookAnswer, type HookEvent } from '../claude-code/hooks.ts';
import { OWN_TOOLS } from '../claude-code/tools.ts';
import { isStartedByWorkflow } from '../claude-code/workflows.ts';
import { BrokerError } from '../errors.ts';
import type { LoadedFile } from '../record/agents.ts';
import type { Approval } from '../record/tool-uses.ts';
import { clientTooOld, decideLoad, type LoadState } from './decide-load.ts';
import type { Call } from './options.ts';
import { refuse } from './refuse.ts';
import type { State } from './state.ts';

/** Decides about a call of a tool that loads, and records its approval. */
export async function beforeLoad(
	event: HookEvent,
	client: ClientInfo | undefined,
	state: State,
	isLate: () => boolean,
): Promise<HookAnswer> {
	const { agent_id: agent, transcript_path: transcript, tool_name: tool } = event;
	if (!(await state.options.isShown(tool.slice(OWN_TOOLS.length)))) return {};
	// A workflow passes answers on, also to its other agents, and calls no hook.
	const inWorkflow = agent !== '' && (await isStartedByWorkflow(transcript, agent, state.agents.startsWorkflows));
	const map = await state.map.read();
	if (isLate()) return {};
	// No await from here on: of two decisions about one tool use, the later one has to count.
	const unchecked = uncheckedReason(agent, inWorkflow, client, state);
	const decision = decideLoad(event, map, { kind: state.client.identify(client), client, unchecked });
	state.toolUses.withdraw(event.tool_use_id);
	if ('refuse' in decision) return refuse(event, decision.refuse, state.options);
	state.toolUses.approve(event.tool_use_id, decision.approve);
	return allowCall('Context Broker: the context map gives this agent this key.');
}

function uncheckedReason(
	agent: string,
	inWorkflow: boolean,
	client: ClientInfo | undefined,
	{ map, agents }: State,
): LoadState['unchecked'] {
	if (inWorkflow && (map.isOn('quoting') || map.isOn('files'))) return 'workflow';
	if (!map.isOn('quoting') || !agents.isUncheckable(agent, hasNotificationHook(client))) return undefined;
	if (agents.isFromCommand(agent)) return 'command';
	return loadsOnlyHeadless(client?.version ?? '') ? 'always_background' : 'background';
}

/** Uses up the approval of a load. @param tool its full name @returns undefined if the key alone decides. @throws BrokerError */
export function admitLoad({ client, toolUseId }: Call, key: string, tool: string, state: State): Approval | undefined {
	const kind = state.client.identify(client);
	if (kind === 'key_only') return undefined;
	const approval = state.toolUses.takeApproval(toolUseId ?? '', key, tool);
	if (kind === 'too_old') throw clientTooOld(client);
	if (approval !== undefined) return approval;
	throw new BrokerError('caller_unverified', { detail: state.wasAsked ? NOT_APPROVED : HOOKS_OFF });
}

/** Records who is about to get a file. @throws BrokerError `state_unwritable`: then the file must not go out */
export async function noteLoad(
	approval: Pick<Approval, 'caller'> | undefined,
	file: LoadedFile,
	isPrivate: boolean,
	{ options, session, agents, quotations, map }: State,
): Promise<void> {
	const caller = approval?.caller;
	const entries = caller === undefined ? [] : [{ ...caller, loaded: true, private: isPrivate }];
	await (isPrivate ? session.mark(entries) : options.journal.add(entries));
	if (caller === undefined) return;
	const loaded = agents.load(caller, file);
	if (map.isOn('traces')) options.traces.load(caller, file.text);
	options.defer(() => void (map.isOn('quoting') && quotations.prepare(loaded).catch(() => {})));
}

const NOT_APPROVED = 'This call has no approval, or its approval was used or is more than 60 seconds old.';

const HOOKS_OFF =
	'No hook of Claude Code has asked the broker about this call or an earlier one: hooks are off, or those of the plugin were removed.';

import type { ClientInfo } from '../claude-code/client.ts';
import { changeInput, type HookAnswer, type HookEvent } from '../claude-code/hooks.ts';
import { OWN_TOOLS } from '../claude-code/tools.ts';
import { asCaller } from '../record/session.ts';
import { gatherFacts } from './call-facts.ts';
import { refuse } from './refuse.ts';
import { BEFORE_TOOL, decide } from './rules.ts';
import { privateEntries, type State } from './state.ts';

/** Before a tool call other than a load. A refused call leaves no record. */
export async function beforeTool(
	event: HookEvent,
	client: ClientInfo | undefined,
	state: State,
	isLate: () => boolean,
): Promise<HookAnswer> {
	const facts = await gatherFacts(event, client, state);
	const outcome = decide(BEFORE_TOOL, facts);
	if (outcome !== undefined && 'refuse' in outcome) return refuse(event, outcome.refuse, state.options);
	const { map, session, toolUses, agents } = state;
	const attachments = map.isOn('files') ? await state.attachments() : undefined;
	const touched = await attachments?.touchedBy(event, privateEntries(map));
	const isOwn = event.tool_name.startsWith(OWN_TOOLS);
	// A copy of a private session is private. This is looked up before the broker runs a tool.
	if (isOwn && !session.isPrivate && (await session.isCopy(event))) await session.markFound();
	if (isLate()) return {};
	if (isOwn) toolUses.note(event.tool_use_id, { announced: asCaller(event) });
	agents.launch(event, outcome?.input);
	facts.isolation?.begin?.();
	attachments?.note(event, touched ?? []);
	return outcome === undefined ? {} : changeInput(outcome.input);
}

import { asksAboutNotifications, type ClientInfo } from '../claude-code/client.ts';
import { changeInput, type HookAnswer, type HookEvent, mergeAnswers } from '../claude-code/hooks.ts';
import { isMcpTool, OWN_TOOLS } from '../claude-code/tools.ts';
import { gatherFacts } from './call-facts.ts';
import { type Known, privateEntries } from './known.ts';
import { refuse } from './refuse.ts';
import { BEFORE_TOOL, decide } from './rules.ts';

/** What becomes of a tool call other than a load. One that is refused leaves nothing behind. */
export async function beforeTool(
	event: HookEvent,
	client: ClientInfo | undefined,
	known: Known,
	isLate: () => boolean,
): Promise<HookAnswer> {
	const facts = await gatherFacts(event, client, known);
	const outcome = decide(BEFORE_TOOL, facts);
	if (outcome !== undefined && 'refuse' in outcome) return refuse(event, outcome.refuse, known.options);
	const attachments = known.map.isOn('files') ? await known.attachments() : undefined;
	const touched = await attachments?.touchedBy(event, privateEntries(known.map));
	await learnOfCopy(event, known);
	if (isLate()) return {};
	known.announced.add(event);
	known.agents.launch(event);
	facts.isolation?.begin?.();
	attachments?.note(event, touched ?? []);
	return outcome === undefined ? {} : changeInput(outcome.input);
}

/** A tool call is over. */
export async function afterTool(
	event: HookEvent,
	client: ClientInfo | undefined,
	{ map, outgoing, agents, isolation }: Known,
): Promise<HookAnswer> {
	const isChecked = !isMcpTool(event.tool_name) && map.isOn('quoting');
	const hasFailed = event.hook_event_name === 'PostToolUseFailure';
	if (isChecked && hasFailed) await outgoing.afterFailure(event);
	const answer = isChecked && !hasFailed ? await outgoing.afterTool(event) : {};
	agents.end(event);
	return mergeAnswers(answer, await isolation.after(event, asksAboutNotifications(client)));
}

/** A copy of a session that holds private data holds it as well: known before a tool that can lead out is called. */
async function learnOfCopy(event: HookEvent, { session, copies }: Known): Promise<void> {
	const canLeadOut = event.tool_name.startsWith(OWN_TOOLS) && !session.isMarked;
	if (canLeadOut && (await copies.has(event))) await session.learn();
}

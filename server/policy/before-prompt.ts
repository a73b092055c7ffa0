import { addContext, type HookAnswer, type HookEvent, mergeAnswers } from '../claude-code/hooks.ts';
import { notificationsIn } from '../claude-code/notifications.ts';
import { checkAttachments } from './call-facts.ts';
import { refuse } from './refuse.ts';
import { BEFORE_PROMPT, decide, type PromptFacts } from './rules.ts';
import { filesOfFamilies, loadedElsewhere } from './said-by-agents.ts';
import type { State } from './state.ts';

/** Before a prompt of the person, or a notification. It can only be withheld as a whole. */
export async function beforePrompt(event: HookEvent, state: State): Promise<HookAnswer> {
	const { map, others, isolation } = state;
	const outcome = decide(BEFORE_PROMPT, {
		attached: await checkAttachments(event, state),
		isOfOther: map.isOn('resuming') && (await others.began(event)),
		notifier: map.isOn('quoting') ? await unsafeNotifier(event, state) : undefined,
	});
	cleanNotification(event, state);
	const answer = outcome === undefined ? {} : refuse(event, outcome.refuse, state.options);
	const receipts = isolation.receiptsFor(event.prompt);
	return receipts === undefined ? answer : mergeAnswers(answer, addContext(event.hook_event_name, receipts));
}

/** Starts cleaning, since Claude Code writes even a withheld notification into the session's transcript. */
function cleanNotification({ prompt, session_id: session }: HookEvent, { agents, options }: State): void {
	for (const agent of agents.sourcesOfNotifications(notificationsIn(prompt).heads)) {
		options.traces.finish({ session: agents.get(agent)?.session ?? session, agent });
	}
}

/** The agent whose notification repeats what it has loaded, or cannot be compared with it. */
async function unsafeNotifier(event: HookEvent, state: State): Promise<PromptFacts['notifier']> {
	const { heads, text } = notificationsIn(event.prompt);
	if (heads.length === 0) return undefined;
	const { agents, quotations } = state;
	const sources = agents.sourcesOfNotifications(heads);
	const [id = ''] = sources;
	const typeElsewhere = await loadedElsewhere(sources, state);
	if (typeElsewhere !== undefined) return { id, type: typeElsewhere };
	const files = filesOfFamilies(sources, agents);
	if (files.length === 0 || !(await quotations.areIn(withoutDescriptions(text, sources, state), files)))
		return undefined;
	return { id, type: sources.map((source) => agents.get(source)?.type).find((type) => type !== undefined) };
}

/** Removes the starter's description of the task, which a notification repeats. */
function withoutDescriptions(text: string, sources: readonly string[], { agents }: State): string {
	const summaries = sources.map((id) => `<summary>Agent "${agents.get(id)?.description}"`);
	return summaries.reduce((rest, summary) => rest.replaceAll(summary, '<summary>Agent'), text);
}

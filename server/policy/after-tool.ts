import { asksAboutNotifications, type ClientInfo } from '../claude-code/client.ts';
import { changeOutput, type HookAnswer, type HookEvent, mergeAnswers } from '../claude-code/hooks.ts';
import { isMcpTool, NOT_READY } from '../claude-code/tools.ts';
import { BrokerError } from '../errors.ts';
import { mayLoad } from './entitlement.ts';
import { replacementForPerson, tellPerson } from './for-person.ts';
import { withoutEscapes } from './quotations.ts';
import {
	AFTER_TOOL,
	decide,
	type RedactedResult,
	type ResultFacts,
	type ResultOutcome,
	type Withheld,
} from './rules.ts';
import { filesOfFamilies, loadedElsewhere, mapTexts, parseResult } from './said-by-agents.ts';
import type { State } from './state.ts';

/** How the texts begin that stand in the place of what an agent said. */
const WITHHELD = '[Context Broker withheld this answer: ';

const IN_ESCAPES = `${WITHHELD}it repeats private context in a form that can not be edited. Start a new agent.]`;

/** What stands in the place of a result, and what the person is told of it. */
const TEXTS: Readonly<Record<Withheld, readonly [text: string, forPerson: string]>> = {
	after_restart: [
		`${WITHHELD}the agent has loaded private context, and the broker was restarted since, so it can not be checked for quotations. Start a new agent.]`,
		'An answer is withheld, since the broker was restarted.',
	],
	still_running: [
		`${WITHHELD}the agent is still running, and may load private context. Wait until it has finished.]`,
		'What an agent has said so far is withheld until it has finished.',
	],
	not_checked: [
		`${WITHHELD}it could not be checked for quotations. Start a new agent.]`,
		'An answer is withheld, since it could not be checked.',
	],
};

/** A tool call is over. What a private agent said is given on with references in the place of quotations. */
export async function afterTool(event: HookEvent, client: ClientInfo | undefined, state: State): Promise<HookAnswer> {
	const isChecked = !isMcpTool(event.tool_name) && state.map.isOn('quoting');
	const answer = isChecked ? await checkResult(event, state) : {};
	state.agents.end(event);
	return mergeAnswers(answer, await state.isolation.after(event, asksAboutNotifications(client)));
}

async function checkResult(event: HookEvent, state: State): Promise<HookAnswer> {
	const { agents, quotations, toolUses } = state;
	const sources = agents.sourcesOf(event);
	if (sources.length === 0) return {};
	if (event.hook_event_name === 'PostToolUseFailure') {
		// What an error says cannot be edited.
		const files = filesOfFamilies(sources, agents);
		if (files.length === 0) return {};
		toolUses.note(event.tool_use_id, { quoted: (await quotations.check(event.error, files)).lines });
		return {};
	}
	const facts = await gatherFacts(event, sources, state);
	const outcome = decide(AFTER_TOOL, facts);
	if (outcome === undefined) return {};
	if (facts.hasLoadedElsewhere) state.options.report(new BrokerError('answer_withheld'));
	return replaceResult(event, outcome, state);
}

async function gatherFacts(event: HookEvent, sources: readonly string[], state: State): Promise<ResultFacts> {
	const { agents, map } = state;
	const response = parseResult(event.tool_response);
	const hasLoadedElsewhere = (await loadedElsewhere(sources, state)) !== undefined;
	const isRunning =
		NOT_READY.includes(Object(response).retrieval_status) &&
		sources.some((id) => mayLoad(agents.get(id)?.type ?? '', map.content.entries));
	const isWithheld = hasLoadedElsewhere || isRunning;
	return { hasLoadedElsewhere, isRunning, redacted: isWithheld ? undefined : await redact(event, sources, state) };
}

async function redact(
	event: HookEvent,
	sources: readonly string[],
	{ agents, quotations, toolUses }: State,
): Promise<RedactedResult | undefined> {
	const files = filesOfFamilies(sources, agents);
	const quoted: number[] = [];
	toolUses.note(event.tool_use_id, { quoted });
	if (files.length === 0) return undefined;
	const redactText = await quotations.redactor(files);
	const output = mapTexts(parseResult(event.tool_response), (text) => {
		const [redaction, unescaped] = [redactText(text), redactText(withoutEscapes(text))];
		quoted.push(...redaction.lines, ...unescaped.lines);
		return unescaped.passages > redaction.passages ? IN_ESCAPES : redaction.text;
	});
	const lines = [...new Set(quoted)];
	return lines.length === 0 ? undefined : { output, lines, paths: files.map(({ path }) => path) };
}

/** The answer that puts something else in the place of a tool's result; the person learns what. */
export function replaceResult(
	event: HookEvent,
	outcome: ResultOutcome,
	{ options }: Pick<State, 'options'>,
): HookAnswer {
	const { file } = options.map;
	if ('replace' in outcome) {
		const { output, lines, paths } = outcome.replace;
		const what = `What an agent answered repeats lines ${lines.slice(0, 20).join(', ')} of ${paths.join(' or ')}: the main agent gets references.`;
		return tellPerson(changeOutput(output), replacementForPerson(what, file));
	}
	const [text, forPerson] = TEXTS[outcome.withhold];
	// A field that is empty says nothing, and some versions look whether it is.
	const replace = (said: string) => (said === '' ? '' : text);
	const output = mapTexts(parseResult(event.tool_response), replace);
	return tellPerson(changeOutput(output), replacementForPerson(forPerson, file));
}

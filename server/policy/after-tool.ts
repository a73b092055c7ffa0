import { type ClientInfo, hasNotificationHook } from '../claude-code/client.ts';
import { changeOutput, type HookAnswer, type HookEvent, mergeAnswers } from '../claude-code/hooks.ts';
import { isMcpTool, NOT_READY } from '../claude-code/tools.ts';
import { BrokerError } from '../errors.ts';
import { mayLoad } from './entitlement.ts';
import { replacementForPerson, tellPerson } from './for-person.ts';
import { repeatedIn, textOfResult, withholdFile } from './repeated-file.ts';
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

/** The beginning of the texts that replace an agent's answer. */
const WITHHELD = '[Context Broker withheld this answer: ';

/** The text that replaces a result, and the message for the person. */
const TEXTS: Readonly<Record<Withheld, readonly [text: string, forPerson: string]>> = {
	after_restart: [
		`${WITHHELD}the agent has loaded private context, and the broker was restarted since then, so the answer cannot be checked for quotations. Start a new agent.]`,
		'An answer was withheld because the broker was restarted.',
	],
	still_running: [
		`${WITHHELD}the agent is still running and may load private context. Wait until it has finished.]`,
		'The text of an agent is withheld until it has finished.',
	],
	not_checked: [
		`${WITHHELD}it could not be checked for quotations. Start a new agent.]`,
		'An answer was withheld because it could not be checked.',
	],
};

/** After a tool call: replaces what its result must not contain. */
export async function afterTool(event: HookEvent, client: ClientInfo | undefined, state: State): Promise<HookAnswer> {
	const answer =
		event.hook_event_name === 'PostToolUse' ? await checkResult(event, state) : await checkFailure(event, state);
	state.agents.end(event);
	const more = await state.isolation.after(event, hasNotificationHook(client));
	return mergeAnswers(more ?? {}, answer);
}

async function checkResult(event: HookEvent, state: State): Promise<HookAnswer> {
	const facts = await gatherFacts(event, state);
	const outcome = decide(AFTER_TOOL, facts);
	if (outcome === undefined) return {};
	if (facts.hasLoadedElsewhere) state.options.report(new BrokerError('answer_withheld'));
	return replaceResult(event, outcome, state);
}

/** After a failed call: the text of an error cannot be edited, so the person is warned. */
async function checkFailure(event: HookEvent, state: State): Promise<HookAnswer> {
	const { agents, quotations, toolUses, options } = state;
	const files = filesOfFamilies(sourcesOf(event, state), agents);
	if (files.length > 0) {
		toolUses.note(event.tool_use_id, { quoted: (await quotations.check(event.error, files)).lines });
	}
	const path = await repeatedIn(event, ({ error }) => error, state);
	if (path === undefined) return {};
	await mark(path, event, state);
	const what = `A failed call of ${event.tool_name} has shown ${path} to ${event.agent_type || 'the main agent'}. The output of a failed call cannot be replaced. Start a new session before you go on.`;
	return tellPerson({}, replacementForPerson(what, options.map.file, 'result_withheld'));
}

/** Records that the caller holds private data, unless the map says that the file is not private. */
async function mark(
	path: string,
	{ session_id, agent_id }: HookEvent,
	{ map, options, session }: State,
): Promise<void> {
	const entries = [...map.content.entries.values()].filter((entry) => options.map.resolve(entry) === path);
	if (entries.length > 0 && entries.every(({ isPrivate }) => isPrivate === false)) return;
	const holder = { session: session_id, agent: agent_id, private: true };
	await session.mark([holder]).catch((error: unknown) => options.report(BrokerError.from(error)));
}

async function gatherFacts(event: HookEvent, state: State): Promise<ResultFacts> {
	const { agents, map } = state;
	const sources = sourcesOf(event, state);
	const hasLoadedElsewhere = sources.length > 0 && (await loadedElsewhere(sources, state)) !== undefined;
	const isRunning =
		sources.some((id) => mayLoad(agents.get(id)?.type ?? '', map.content.entries)) &&
		NOT_READY.includes(Object(parseResult(event.tool_response)).retrieval_status);
	const isWithheld = hasLoadedElsewhere || isRunning;
	const redacted = isWithheld ? undefined : await redact(event, sources, state);
	const isChanged = isWithheld || redacted !== undefined;
	const repeats = isChanged ? undefined : await repeatedIn(event, textOfResult, state);
	return { hasLoadedElsewhere, isRunning, redacted, repeats };
}

/** The agents whose words are checked for quotations. */
function sourcesOf(event: HookEvent, { agents, map }: State): readonly string[] {
	return !isMcpTool(event.tool_name) && map.isOn('quoting') ? agents.sourcesOf(event) : [];
}

async function redact(
	event: HookEvent,
	sources: readonly string[],
	{ agents, quotations, toolUses }: State,
): Promise<RedactedResult | undefined> {
	if (sources.length === 0) return undefined;
	const files = filesOfFamilies(sources, agents);
	const quoted: number[] = [];
	toolUses.note(event.tool_use_id, { quoted });
	if (files.length === 0) return undefined;
	const redactText = await quotations.redactor(files);
	const output = mapTexts(parseResult(event.tool_response), (text) => {
		const redaction = redactText(text);
		quoted.push(...redaction.lines);
		return redaction.text;
	});
	const lines = [...new Set(quoted)];
	return lines.length === 0 ? undefined : { output, lines, paths: files.map(({ path }) => path) };
}

/** Replaces a tool's result, and informs the person. */
export function replaceResult(
	event: HookEvent,
	outcome: ResultOutcome,
	{ options }: Pick<State, 'options'>,
): HookAnswer {
	const { file } = options.map;
	if ('replace' in outcome) {
		const { output, lines, paths } = outcome.replace;
		const what = `The answer of an agent repeats lines ${lines.slice(0, 20).join(', ')} of ${paths.join(' or ')}. The main agent gets references instead.`;
		return tellPerson(changeOutput(output), replacementForPerson(what, file));
	}
	if ('withholdFile' in outcome) {
		const what = `A result of ${event.tool_name} repeats ${outcome.withholdFile}, so ${event.agent_type || 'the main agent'} does not get it.`;
		const { text } = new BrokerError('result_withheld');
		return tellPerson(withholdFile(event, text), replacementForPerson(what, file, 'result_withheld'));
	}
	if ('unchecked' in outcome) {
		const what = `A result of ${event.tool_name} was withheld because it could not be compared with the private files (${outcome.unchecked.code}).`;
		return tellPerson(withholdFile(event, outcome.unchecked.text), replacementForPerson(what, file, 'result_withheld'));
	}
	const [text, forPerson] = TEXTS[outcome.withhold];
	return tellPerson(withheld(event, text), replacementForPerson(forPerson, file));
}

function withheld(event: HookEvent, text: string): HookAnswer {
	// An empty field stays: it contains nothing, and some versions check whether it is empty.
	return changeOutput(mapTexts(parseResult(event.tool_response), (said) => (said === '' ? '' : text)));
}

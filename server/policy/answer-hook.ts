import type { ClientInfo } from '../claude-code/client.ts';
import { type HookAnswer, type HookEvent, withholdPrompt } from '../claude-code/hooks.ts';
import { notificationsIn } from '../claude-code/notifications.ts';
import { LOADING_TOOLS } from '../claude-code/tools.ts';
import { BrokerError } from '../errors.ts';
import { afterTool, replaceResult } from './after-tool.ts';
import { beforeLoad } from './before-load.ts';
import { beforePrompt } from './before-prompt.ts';
import { beforeRequest } from './before-request.ts';
import { beforeStop } from './before-stop.ts';
import { beforeTool } from './before-tool.ts';
import { checkAttachments } from './call-facts.ts';
import { withinDeadline } from './deadline.ts';
import { tellPerson } from './for-person.ts';
import { SHOWN_WITH } from './map-notice.ts';
import type { Call } from './options.ts';
import { refuse } from './refuse.ts';
import type { State } from './state.ts';

/** Whether Claude Code can have made a call for a hook. A call of a model always has the id of a tool use. */
export function isHookCall({ client, toolUseId }: Call, state: State): boolean {
	return state.client.identify(client) !== 'key_only' && toolUseId === undefined;
}

/** Answers a hook. If the broker fails, it refuses calls and withholds results. */
export async function answerHook(event: HookEvent, { client }: Call, state: State): Promise<HookAnswer> {
	let answer: HookAnswer;
	try {
		answer = await withinDeadline((isLate) => decideEvent(event, client, state, isLate), state.options.schedule);
	} catch (cause) {
		answer = afterFault(event, BrokerError.from(cause), state);
	}
	// Afterwards, while the tool runs or the model answers.
	setImmediate(() => state.privateFiles.refresh(state.map.content));
	return withFailures(state.notice.addTo(answer, event), event, state);
}

/** Adds messages about files that could not be cleaned; each file once. */
function withFailures(answer: HookAnswer, { hook_event_name }: HookEvent, { options }: State): HookAnswer {
	if (!SHOWN_WITH.includes(hook_event_name)) return answer;
	const failures = options.traces.takeFailures();
	const messages = failures.map(
		({ path, code }) =>
			`Context Broker: ${path} repeats private context and cannot be cleaned (${code}). No agent may read it while the broker runs. Next: delete it, or make sure that your account can change it.`,
	);
	return messages.reduce(tellPerson, answer);
}

async function decideEvent(
	event: HookEvent,
	client: ClientInfo | undefined,
	state: State,
	isLate: () => boolean,
): Promise<HookAnswer> {
	const isCall = event.hook_event_name === 'PreToolUse';
	if (isCall) state.wasAsked = true;
	state.agents.observe(event);
	state.client.identify(client);
	await state.session.track(event.session_id);
	if (isCall && LOADING_TOOLS.includes(event.tool_name)) return await beforeLoad(event, client, state, isLate);
	await state.map.read();
	switch (event.hook_event_name) {
		case 'PreToolUse':
			return await beforeTool(event, client, state, isLate);
		case 'PostToolUse':
		case 'PostToolUseFailure':
			return await afterTool(event, client, state);
		case 'SubagentStop':
			return await beforeStop(event, client, state);
		case 'PostToolBatch':
			return await beforeRequest(event, state);
		case 'UserPromptSubmit':
			return await beforePrompt(event, state);
		default:
			return await beforeOthers(event, state);
	}
}

/** Before a typed command, or a compaction. */
async function beforeOthers(event: HookEvent, state: State): Promise<HookAnswer> {
	const next = await checkAttachments(event, state);
	return next === undefined ? {} : refuse(event, new BrokerError('attached_file', { next }), state.options);
}

/** Refuses a call, and withholds a result that could repeat private content. */
function afterFault(event: HookEvent, error: BrokerError, state: State): HookAnswer {
	const { hook_event_name, prompt } = event;
	if (hook_event_name === 'PreToolUse') return refuse(event, error, state.options);
	state.options.report(error);
	const isNotification = hook_event_name === 'UserPromptSubmit' && notificationsIn(prompt).heads.length > 0;
	if (isNotification) return withholdPrompt(new BrokerError('answer_withheld').text);
	if (hook_event_name !== 'PostToolUse') return {};
	if (state.agents.sourcesOf(event).length > 0) return replaceResult(event, { withhold: 'not_checked' }, state);
	return state.privateFiles.isEmpty ? {} : replaceResult(event, { unchecked: error }, state);
}

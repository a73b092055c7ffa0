import { ERROR_CODES } from '../errors.ts';
import { LOAD_CONTEXT } from '../guard/decide-load.ts';
import { type HookAnswer, type HookEvent, parseInput } from '../guard/hook.ts';
import { WITHHELD } from '../guard/outgoing-texts.ts';
import { EXECUTOR } from '../guard/tool-isolation/hand-over.ts';
import type { Decision, Outcome } from './decision.ts';

/**
 * What the guard has decided about an event, taken from what it tells Claude Code, so that the log can't say anything
 * else.
 *
 * @returns undefined where it has nothing against the event, and nothing to change
 */
export function decisionOf(event: HookEvent, answer: HookAnswer): Omit<Decision, 'at'> | undefined {
	const judged = judge(event, answer);
	if (judged === undefined) return undefined;
	const { session_id: session, agent_id: agent, agent_type: type, tool_name } = event;
	const isLoad = tool_name === LOAD_CONTEXT;
	const key = isLoad ? parseInput(event.tool_input).key : undefined;
	return {
		...{ session, agent, type, tool: isLoad ? 'load_context' : tool_name },
		...judged,
		...(typeof key === 'string' && { key }),
	};
}

type Judged = { readonly outcome: Outcome; readonly reason?: string };

function judge(
	event: HookEvent,
	{ decision, reason = '', hookSpecificOutput: output }: HookAnswer,
): Judged | undefined {
	if (decision === 'block') {
		return { outcome: 'withheld', reason: event.hook_event_name === 'SubagentStop' ? 'asked_again' : codeIn(reason) };
	}
	if (output?.permissionDecision === 'allow') return { outcome: 'approved' };
	if (output?.permissionDecision === 'deny') {
		return { outcome: 'refused', reason: codeIn(output.permissionDecisionReason ?? '') };
	}
	if (output?.updatedInput !== undefined) {
		const isErrand = Object(output.updatedInput).subagent_type === EXECUTOR;
		return isErrand ? { outcome: 'delegated', reason: 'executor' } : { outcome: 'changed', reason: 'foreground' };
	}
	if (output?.updatedToolOutput === undefined) return undefined;
	// What an executor gets of a result that is too long for it.
	if (event.tool_name.startsWith('mcp__')) return { outcome: 'changed', reason: 'shortened' };
	const isWithheld = JSON.stringify(output.updatedToolOutput).includes(WITHHELD);
	return isWithheld ? { outcome: 'withheld', reason: 'answer_withheld' } : { outcome: 'changed', reason: 'quotation' };
}

/** The code with which the text of an error begins. */
function codeIn(text: string): string {
	const [code] = text.split(':');
	return ERROR_CODES.find((known) => known === code) ?? 'internal_error';
}

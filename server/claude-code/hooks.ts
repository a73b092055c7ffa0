import * as z from 'zod/mini';
import type { BrokerError } from '../errors.ts';
import { lazy } from '../memoize.ts';

/**
 * The fields that `hooks/hooks.json` passes of an event (https://code.claude.com/docs/en/hooks). Claude Code passes "" for
 * a field that the event does not have, and JSON text for an object.
 */
export const hookEventSchema = lazy(() =>
	z.strictObject({
		hook_event_name: z.string(),
		session_id: z._default(z.string(), ''),
		/** Absolute; of the main thread, also in the events of its subagents. */
		transcript_path: z._default(z.string(), ''),
		cwd: z._default(z.string(), ''),
		/** The id of the subagent that causes the event. */
		agent_id: z._default(z.string(), ''),
		/** `plugin:agent` or `agent`; also of a main thread that was started as an agent. */
		agent_type: z._default(z.string(), ''),
		tool_name: z._default(z.string(), ''),
		/** Equal to `_meta["claudecode/toolUseId"]` of the call that follows. */
		tool_use_id: z._default(z.string(), ''),
		/** JSON text. */
		tool_input: z._default(z.string(), ''),
		/** JSON text: the tool's result, in the tool's own shape. */
		tool_response: z._default(z.string(), ''),
		/** SubagentStop: the subagent's answer. */
		last_assistant_message: z._default(z.string(), ''),
		/** JSON text: the tool's MCP server. Older versions do not pass it. */
		mcp_server: z._default(z.string(), ''),
		/** PostToolUseFailure: the tool's error message. */
		error: z._default(z.string(), ''),
		/** PostToolBatch, JSON text: the calls of a turn, each with its result for the model. */
		tool_calls: z._default(z.string(), ''),
		/** UserPromptSubmit: the user's prompt, or one that Claude Code writes, such as a notification. */
		prompt: z._default(z.string(), ''),
		/** UserPromptExpansion: the skill or command that the user types, and its arguments. */
		command_name: z._default(z.string(), ''),
		command_args: z._default(z.string(), ''),
	}),
);

export type HookEvent = z.infer<ReturnType<typeof hookEventSchema>>;

/** The answer of an `mcp_tool` hook, which Claude Code reads from its text. Without fields it changes nothing. */
export interface HookAnswer {
	/** `false` ends the turn: no further request is made in it. */
	readonly continue?: false;
	/** Shown to the person when the turn ends. */
	readonly stopReason?: string;
	/** Shown to the person, but to no model. */
	readonly systemMessage?: string;
	readonly decision?: 'block';
	readonly reason?: string;
	readonly hookSpecificOutput?: {
		readonly hookEventName: string;
		readonly permissionDecision?: 'allow' | 'deny';
		/** Shown to the model if the call is refused. */
		readonly permissionDecisionReason?: string;
		readonly updatedInput?: object;
		readonly updatedToolOutput?: unknown;
		/** Given to the model in addition. */
		readonly additionalContext?: string;
		readonly suppressOriginalPrompt?: boolean;
	};
}

/** Allows a tool call in any permission mode. A rule of the user against it still wins. */
export function allowCall(permissionDecisionReason: string): HookAnswer {
	const decision = { permissionDecision: 'allow', permissionDecisionReason } as const;
	return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
}

/** Refuses a tool call in any permission mode. */
export function denyCall(error: BrokerError): HookAnswer {
	const decision = { permissionDecision: 'deny', permissionDecisionReason: error.text } as const;
	return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
}

/** Replaces the input of a tool call, and decides nothing about its permission. */
export function changeInput(updatedInput: object): HookAnswer {
	return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } };
}

/** Replaces a tool's result by one of the same shape. */
export function changeOutput(updatedToolOutput: unknown): HookAnswer {
	return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } };
}

export function addContext(hookEventName: string, additionalContext: string): HookAnswer {
	return { hookSpecificOutput: { hookEventName, additionalContext } };
}

/** Both answers in one. If both have a field, the second one's counts. */
export function mergeAnswers(answer: HookAnswer, other: HookAnswer): HookAnswer {
	const output = other.hookSpecificOutput ?? answer.hookSpecificOutput;
	if (output === undefined) return { ...answer, ...other };
	return { ...answer, ...other, hookSpecificOutput: { ...answer.hookSpecificOutput, ...output } };
}

/** Blocks an event. At SubagentStop, the subagent then goes on. @param reason what the subagent or the person reads */
export function blockEvent(reason: string): HookAnswer {
	return { decision: 'block', reason };
}

/** Keeps a prompt from the model. @param reason shown to the person */
export function withholdPrompt(reason: string): HookAnswer {
	const output = { hookEventName: 'UserPromptSubmit', suppressOriginalPrompt: true };
	return { decision: 'block', reason, hookSpecificOutput: output };
}

/** Ends the turn before another request is made. @param stopReason shown to the person */
export function endTurn(stopReason: string): HookAnswer {
	return { continue: false, stopReason };
}

/** Parses an object that an event passes as JSON text. Anything else becomes the field `input`. */
export function parseInput(json: string): Readonly<Record<string, unknown>> {
	try {
		const input: unknown = JSON.parse(json);
		return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : { input };
	} catch {
		return { input: json }; // A plain text.
	}
}

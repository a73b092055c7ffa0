import * as z from 'zod/mini';
import type { BrokerError } from '../errors.ts';
import { lazy } from '../memoize.ts';

/**
 * What `hooks/hooks.json` passes of an event (https://code.claude.com/docs/en/hooks). Claude Code fills in "" for a
 * field that the event does not have, and JSON text for an object.
 */
export const hookEventSchema = lazy(() =>
	z.strictObject({
		hook_event_name: z.string(),
		session_id: z._default(z.string(), ''),
		/** Absolute; of the main thread, also in the events of its subagents. */
		transcript_path: z._default(z.string(), ''),
		cwd: z._default(z.string(), ''),
		/** The subagent that the event is of. */
		agent_id: z._default(z.string(), ''),
		/** What it is, `plugin:agent` or `agent`; also of a main thread that was started as an agent. */
		agent_type: z._default(z.string(), ''),
		tool_name: z._default(z.string(), ''),
		/** Equal to `_meta["claudecode/toolUseId"]` of the call that follows. */
		tool_use_id: z._default(z.string(), ''),
		/** JSON text. */
		tool_input: z._default(z.string(), ''),
		/** JSON text: what a tool gave, in a shape of its own. */
		tool_response: z._default(z.string(), ''),
		/** SubagentStop: what the subagent answers. */
		last_assistant_message: z._default(z.string(), ''),
		/** JSON text: the MCP server whose tool it is. Older versions do not tell it. */
		mcp_server: z._default(z.string(), ''),
		/** PostToolUseFailure: what the tool said. */
		error: z._default(z.string(), ''),
		/** PostToolBatch, JSON text: the calls of a turn, each with what the model is to get of it. */
		tool_calls: z._default(z.string(), ''),
		/** UserPromptSubmit: what the user says, or what Claude Code says in the user's place. */
		prompt: z._default(z.string(), ''),
		/** UserPromptExpansion: the skill or command that the user types, and what stands behind it. */
		command_name: z._default(z.string(), ''),
		command_args: z._default(z.string(), ''),
	}),
);

export type HookEvent = z.infer<ReturnType<typeof hookEventSchema>>;

/** What Claude Code reads from the text of an `mcp_tool` hook. Without fields: no opinion. */
export interface HookAnswer {
	/** `false` ends the turn: no further request is made in it. */
	readonly continue?: false;
	/** Shown to the person where the turn ends. */
	readonly stopReason?: string;
	/** Shown to the person, and to no model. */
	readonly systemMessage?: string;
	readonly decision?: 'block';
	readonly reason?: string;
	readonly hookSpecificOutput?: {
		readonly hookEventName: string;
		readonly permissionDecision?: 'allow' | 'deny';
		/** Shown to the model where the call is refused. */
		readonly permissionDecisionReason?: string;
		readonly updatedInput?: object;
		readonly updatedToolOutput?: unknown;
		/** Told to the model, beside whatever else it gets. */
		readonly additionalContext?: string;
		readonly suppressOriginalPrompt?: boolean;
	};
}

/** Lets a tool call run, whatever the permission mode; a rule of the user's own against it still wins. */
export function allowCall(permissionDecisionReason: string): HookAnswer {
	const decision = { permissionDecision: 'allow', permissionDecisionReason } as const;
	return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
}

/** Refuses a tool call, whatever the permission mode. */
export function denyCall(error: BrokerError): HookAnswer {
	const decision = { permissionDecision: 'deny', permissionDecisionReason: error.text } as const;
	return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
}

/** Lets a tool call go its way with another input. */
export function changeInput(updatedInput: object): HookAnswer {
	return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } };
}

/** Puts another output, of the same shape, in the place of what a tool gave. */
export function changeOutput(updatedToolOutput: unknown): HookAnswer {
	return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } };
}

/** Has the model told something. */
export function addContext(hookEventName: string, additionalContext: string): HookAnswer {
	return { hookSpecificOutput: { hookEventName, additionalContext } };
}

/** One answer that says what both say; of one field, what the second says. */
export function mergeAnswers(answer: HookAnswer, other: HookAnswer): HookAnswer {
	const output = other.hookSpecificOutput ?? answer.hookSpecificOutput;
	if (output === undefined) return { ...answer, ...other };
	return { ...answer, ...other, hookSpecificOutput: { ...answer.hookSpecificOutput, ...output } };
}

/** Has a subagent go on instead of ending with its answer, or keeps something from being done. @param reason what is told */
export function goOn(reason: string): HookAnswer {
	return { decision: 'block', reason };
}

/** Keeps a prompt from the model. @param reason what the person is told */
export function withholdPrompt(reason: string): HookAnswer {
	const output = { hookEventName: 'UserPromptSubmit', suppressOriginalPrompt: true };
	return { decision: 'block', reason, hookSpecificOutput: output };
}

/** Ends the turn before another request is made. @param stopReason what the person is told */
export function endTurn(stopReason: string): HookAnswer {
	return { continue: false, stopReason };
}

/** An object that an event passes as JSON text; of anything else, what there is as `input`. */
export function parseInput(json: string): Readonly<Record<string, unknown>> {
	try {
		const input: unknown = JSON.parse(json);
		return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : { input };
	} catch {
		return { input: json }; // A plain text.
	}
}

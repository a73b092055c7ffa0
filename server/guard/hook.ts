import { z } from 'zod';
import type { BrokerError } from '../errors.ts';

/**
 * What `hooks/hooks.json` passes of an event (https://code.claude.com/docs/en/hooks). Claude Code fills in "" for a
 * field that the event does not have, and JSON text for an object.
 */
export const hookEventSchema = z.strictObject({
	hook_event_name: z.string(),
	tool_name: z.string(),
	/** Equal to `_meta["claudecode/toolUseId"]` of the call that follows. */
	tool_use_id: z.string(),
	/** JSON text. */
	tool_input: z.string(),
	/** The subagent that the event is of. */
	agent_id: z.string(),
	/** What it is, `plugin:agent` or `agent`; also of a main thread that was started as an agent. */
	agent_type: z.string(),
});

export type HookEvent = z.infer<typeof hookEventSchema>;

/** What Claude Code reads from the text of an `mcp_tool` hook. Without fields: no opinion. */
export interface HookAnswer {
	readonly hookSpecificOutput?: {
		readonly hookEventName: 'PreToolUse';
		readonly permissionDecision: 'allow' | 'deny';
		/** Shown to the model where the call is refused. */
		readonly permissionDecisionReason: string;
	};
}

/** Lets a tool call run, whatever the permission mode; a rule of the user's own against it still wins. */
export function allowCall(): HookAnswer {
	return preToolUse('allow', 'Context Broker: the context map gives this agent this key.');
}

/** Refuses a tool call, whatever the permission mode. */
export function denyCall(error: BrokerError): HookAnswer {
	return preToolUse('deny', error.text);
}

function preToolUse(permissionDecision: 'allow' | 'deny', permissionDecisionReason: string): HookAnswer {
	return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } };
}

import {
	ALWAYS_BACKGROUND,
	type ClientInfo,
	type ClientKind,
	NOTIFICATION_HOOK_SINCE,
	OLDEST_CLAUDE_CODE,
} from '../claude-code/client.ts';
import { type HookEvent, parseInput } from '../claude-code/hooks.ts';
import type { PrivateContent } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import type { Approval } from '../record/tool-uses.ts';
import { callerOf } from './caller.ts';
import { entryFor } from './entitlement.ts';

export interface LoadState {
	readonly kind: ClientKind;
	readonly client: ClientInfo | undefined;
	/** Why the agent's answer cannot be checked; undefined if it can be, or need not be. */
	readonly unchecked?: keyof typeof UNCHECKED | undefined;
}

export type Decision = { readonly approve: Approval } | { readonly refuse: BrokerError };

/** Decides about a call of a tool that loads. @param map its content, or why it cannot be read */
export function decideLoad(
	event: HookEvent,
	map: Pick<PrivateContent, 'entries' | 'faults'> | BrokerError,
	state: LoadState,
): Decision {
	if (state.kind === 'too_old') return { refuse: clientTooOld(state.client) };

	// Checked first: the answer to the main thread must not depend on the map or the arguments.
	const caller = callerOf(event);
	if (caller.kind === 'main') return { refuse: new BrokerError('agents_only') };
	if (caller.kind === 'unverified' || event.tool_use_id === '') {
		return { refuse: new BrokerError('caller_unverified', { detail: 'Claude Code did not say which agent it is.' }) };
	}

	const key = keyOf(event.tool_input);
	if (key === undefined) return { refuse: new BrokerError('invalid_arguments') };
	if (map instanceof BrokerError) return { refuse: map };
	const entry = entryFor(caller.agent, key, map);
	if (entry instanceof BrokerError) return { refuse: entry };
	if (state.unchecked !== undefined) {
		return { refuse: new BrokerError('unchecked_background', UNCHECKED[state.unchecked]) };
	}
	const { session_id: session, agent_id: agent, transcript_path: transcript, tool_name: tool, cwd } = event;
	return { approve: { tool, key, cwd, caller: { session, agent, type: caller.agent, transcript } } };
}

/** Names the client's version and the oldest that works. */
export function clientTooOld(client: ClientInfo | undefined): BrokerError {
	const [version = 'unknown'] = /^[\d.]+/.exec(client?.version ?? '') ?? [];
	return new BrokerError('client_too_old', {
		detail: `This is ${version}; ${OLDEST_CLAUDE_CODE} or newer is needed.`,
	});
}

function keyOf(toolInput: string): string | undefined {
	const { key } = parseInput(toolInput);
	return typeof key === 'string' ? key : undefined;
}

const UNCHECKED = {
	workflow: {
		detail: 'The agent is part of a workflow.',
		next: 'Report this and stop. The agent can load if the Agent tool starts it.',
	},
	command: {
		detail: 'A command that the user typed started the agent.',
		next: 'Report this and stop. The agent can load if the main agent starts it with the Agent tool: the user can ask for that in words.',
	},
	background: {
		detail: 'The agent runs in the background.',
		next: `Report this and stop. The agent can load if its starter waits for its answer (run_in_background: false, and no "background: true" in the file of the agent). From Claude Code ${NOTIFICATION_HOOK_SINCE} on, it can also load in the background if the main agent starts it.`,
	},
	always_background: {
		detail: `The agent runs in the background, as every agent does in interactive sessions of Claude Code ${ALWAYS_BACKGROUND.first} to ${ALWAYS_BACKGROUND.last}.`,
		next: 'Report this and stop. Ask the user to update Claude Code ("claude update") and to start a new session. Or they can use "claude -p", with no "background: true" in the file of the agent.',
	},
} as const;

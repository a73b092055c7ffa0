import type { HookEvent } from '../claude-code/hooks.ts';

export type Caller =
	| { readonly kind: 'subagent'; readonly agent: string }
	/** `claude --agent NAME`. */
	| { readonly kind: 'main_as_agent'; readonly agent: string }
	| { readonly kind: 'main' }
	| { readonly kind: 'unverified' };

export function callerOf({ agent_id, agent_type }: Pick<HookEvent, 'agent_id' | 'agent_type'>): Caller {
	if (agent_type !== '') return { kind: agent_id === '' ? 'main_as_agent' : 'subagent', agent: agent_type };
	// Without a type, the id can be another agent's (anthropics/claude-code#90662).
	return { kind: agent_id === '' ? 'main' : 'unverified' };
}

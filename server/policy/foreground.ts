import { AGENT_TOOLS } from '../claude-code/tools.ts';
import type { Entries } from '../context-map/parse.ts';
import { mayLoad } from './entitlement.ts';

/**
 * A call that starts an agent which may load private context, as one that waits for its answer: what a background agent
 * answers comes as a notification, which no hook can edit.
 *
 * @param input the call's own
 * @returns undefined where it can stay as it is
 */
export function inForeground(
	tool: string,
	input: Readonly<Record<string, unknown>>,
	entries: Entries,
): object | undefined {
	const type = input.subagent_type;
	if (!AGENT_TOOLS.includes(tool) || typeof type !== 'string' || input.run_in_background === false) return undefined;
	// Without the field some versions run it in the background.
	return mayLoad(type, entries) ? { ...input, run_in_background: false } : undefined;
}

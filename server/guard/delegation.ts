import type { Entries } from '../context-map/parse.ts';
import { mayLoad } from './entitlement.ts';

/** The tool that starts a subagent, by its name now and before. */
export const AGENT_TOOLS: readonly string[] = ['Agent', 'Task'];

/** The tools through which another agent gets what their call says, at once or later; also the main agent. */
export const SPEAKING_TOOLS: readonly string[] = [
	...AGENT_TOOLS,
	'SendMessage',
	'Skill',
	'Workflow',
	// The list of tasks is one for all agents of a session, and what is scheduled comes as a prompt to the main agent.
	'TaskCreate',
	'TaskUpdate',
	'CronCreate',
	'ScheduleWakeup',
	'SetGoal',
];

/** The tools that write into a file; an agent gets some of them with a memory of its own. */
export const WRITING_TOOLS: readonly string[] = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

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

/** What Claude Code calls an agent that begins with the whole conversation of the one that starts it (2.1.332). */
export const FORK = 'fork';

/** Whether a call starts a fork. Claude Code takes the name in other spellings too. */
export function startsFork(tool: string, { subagent_type }: Readonly<Record<string, unknown>>): boolean {
	if (!AGENT_TOOLS.includes(tool) || typeof subagent_type !== 'string') return false;
	return (
		subagent_type
			.normalize('NFKC')
			.toLowerCase()
			.replace(/[^a-z]/g, '') === FORK
	);
}

import { BoundedMap } from '../bounded-map.ts';
import { type HookEvent, hookEventSchema } from '../claude-code/hooks.ts';
import { OWN_TOOLS, shellOf } from '../claude-code/tools.ts';

/** A call follows its event at once, unless the person is asked; of those that never came the oldest are dropped. */
const MOST = 1_000;

/** Who a hook says makes a call; both are empty for the main agent. */
export type AnnouncedCaller = Pick<HookEvent, 'session_id' | 'agent_id' | 'agent_type'>;

/** Which agents the hooks have announced for calls of the broker's own tools. */
export class AnnouncedCalls {
	/** By tool-use id. */
	readonly #callers = new BoundedMap<string, AnnouncedCaller>(MOST);

	/** Takes note of the event before a call. */
	add({ tool_name, tool_use_id, session_id, agent_id, agent_type }: HookEvent): void {
		if (tool_use_id === '' || !tool_name.startsWith(OWN_TOOLS)) return;
		this.#callers.set(tool_use_id, { session_id, agent_id, agent_type });
	}

	/** Who makes a call, asked once; undefined where no hook tells. */
	callerOf(toolUseId: string | undefined): AnnouncedCaller | undefined {
		const caller = this.#callers.get(toolUseId ?? '');
		this.#callers.delete(toolUseId ?? '');
		return caller;
	}
}

/** A command as the event of the client's own shell tool would tell of it. */
export function commandEvent(
	command: string,
	cwd: string,
	caller: AnnouncedCaller | undefined,
	platform: NodeJS.Platform,
): HookEvent {
	return callEvent(shellOf(platform), { command }, cwd, caller);
}

/** A call as the event before it would tell of it. */
export function callEvent(
	tool_name: string,
	input: unknown,
	cwd: string,
	caller: AnnouncedCaller | undefined,
): HookEvent {
	const tool_input = JSON.stringify(input ?? {});
	return hookEventSchema().parse({ hook_event_name: 'PreToolUse', tool_name, tool_input, cwd, ...caller });
}

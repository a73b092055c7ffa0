import { type HookEvent, hookEventSchema } from './hook.ts';

/** `run_shell_command` as Claude Code names it. */
export const RUN_SHELL_COMMAND = 'mcp__plugin_context-broker_broker__run_shell_command';

/** A call follows its event at once, unless the person is asked; of those that never came the oldest are dropped. */
const MOST = 1_000;

/** Which agents the hooks have announced for calls of `run_shell_command`. */
export class AnnouncedCommands {
	/** By tool-use id. */
	readonly #agents = new Map<string, string>();

	/** Takes note of the event before a call. */
	add({ tool_use_id, agent_type }: HookEvent): void {
		if (tool_use_id === '') return;
		this.#agents.set(tool_use_id, agent_type);
		const [oldest] = this.#agents.keys();
		if (this.#agents.size > MOST && oldest !== undefined) this.#agents.delete(oldest);
	}

	/** What the agent is that makes a call, asked once; empty where no hook tells. */
	callerOf(toolUseId: string | undefined): string {
		const agent = this.#agents.get(toolUseId ?? '') ?? '';
		this.#agents.delete(toolUseId ?? '');
		return agent;
	}
}

/** A command as the event of the client's own shell tool would tell of it. */
export function commandEvent(command: string, cwd: string, agent_type: string, platform: NodeJS.Platform): HookEvent {
	const tool_name = platform === 'win32' ? 'PowerShell' : 'Bash';
	const tool_input = JSON.stringify({ command });
	return hookEventSchema.parse({ hook_event_name: 'PreToolUse', tool_name, tool_input, cwd, agent_type });
}

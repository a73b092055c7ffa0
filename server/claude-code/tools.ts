import { clientPrefix, OWN_SERVER } from './tool-names.ts';

/** The prefix of the broker's own tools, and those that agents call. */
export const OWN_TOOLS = clientPrefix(OWN_SERVER);
export const LOAD_CONTEXT = `${OWN_TOOLS}load_context`;
export const FIND_CONTEXT = `${OWN_TOOLS}find_context`;
export const RUN_SHELL_COMMAND = `${OWN_TOOLS}run_shell_command`;

/** The tools that return a key's private content, or results that depend on it. */
export const LOADING_TOOLS: readonly string[] = [LOAD_CONTEXT, FIND_CONTEXT];

export function isMcpTool(tool: string): boolean {
	return tool.startsWith('mcp__');
}

/** The tool that starts a subagent, by its new and its old name. */
export const AGENT_TOOLS: readonly string[] = ['Agent', 'Task'];

export const SKILL = 'Skill';
export const SEND_MESSAGE = 'SendMessage';
export const STOP_TASK = 'TaskStop';
export const WORKFLOW = 'Workflow';
export const TOOL_SEARCH = 'ToolSearch';
export const GREP = 'Grep';
export const GLOB = 'Glob';
export const POWERSHELL = 'PowerShell';

export function shellOf(platform: NodeJS.Platform): string {
	return platform === 'win32' ? POWERSHELL : 'Bash';
}

/** In which Claude Code can run the commands of a skill. */
export function skillShells(platform: NodeJS.Platform): readonly string[] {
	return platform === 'win32' ? ['Bash', POWERSHELL] : ['Bash'];
}

/** The tools whose input reaches another agent or the main agent, at once or later. */
export const MESSAGE_TOOLS: readonly string[] = [
	...AGENT_TOOLS,
	...[SEND_MESSAGE, SKILL, WORKFLOW],
	// All agents of a session share one task list, and a scheduled prompt goes to the main agent.
	...['TaskCreate', 'TaskUpdate', 'CronCreate', 'ScheduleWakeup', 'SetGoal'],
];

/** The tools that return a background agent's answer, by their names in several versions. */
export const TASK_TOOLS: readonly string[] = ['TaskOutput', 'AgentOutputTool'];

/** Their status for an agent that has not answered yet. The output is then its transcript (2.1.260). */
export const NOT_READY: readonly unknown[] = ['timeout', 'not_ready'];

/** The tools whose result is an agent's answer, without those that start one. */
export const ANSWER_TOOLS: readonly string[] = [
	...TASK_TOOLS,
	// The model may use these names as well; only PostToolBatch reports them.
	...['BashOutputTool', 'AgentOutput', 'BashOutput'],
	SEND_MESSAGE,
];

/** An agent that has a memory of its own gets some of them. */
export const WRITING_TOOLS: readonly string[] = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

export const FILE_TOOLS: readonly string[] = [...WRITING_TOOLS, 'Read', 'NotebookRead', 'LS'];

/** The fields of {@link FILE_TOOLS} that contain text, never a path. */
export const TEXT_FIELDS: readonly string[] = [
	...['content', 'old_string', 'new_string', 'new_source', 'edits', 'cell_id', 'cell_type', 'edit_mode'],
];

/** Claude Code remembers the files of these tools, and shows the agent later changes. */
export const TRACKED_FILE_TOOLS: readonly string[] = [...WRITING_TOOLS, 'Read', 'NotebookRead', SKILL];

/** They run a command; their other fields are text. */
export const COMMAND_TOOLS: readonly string[] = ['Bash', POWERSHELL, 'Monitor'];

/** The tools whose input becomes a prompt: in a skill, `@path` inserts that file, and arguments can reach a shell. */
export const PROMPT_TOOLS: readonly string[] = [SKILL, 'CronCreate', 'ScheduleWakeup'];

/** The tools that send data out of the machine; all but the first two as named in 2.1.332. */
export const EGRESS_TOOLS: readonly string[] = [
	...['WebFetch', 'WebSearch'],
	...['RemoteTrigger', 'Artifact', 'PushNotification', 'SendUserFile', 'ReadMcpResourceTool', 'ReadMcpResourceDirTool'],
	...['ClaudeDesign', 'DesignSync', 'Projects', 'ShareOnboardingGuide'],
];

/** An agent that begins with the whole conversation of its starter (2.1.332). */
export const FORK = 'fork';

/** Whether a call starts a forked agent. Claude Code also accepts other spellings of the type. */
export function startsForkedAgent(tool: string, { subagent_type }: Readonly<Record<string, unknown>>): boolean {
	if (!AGENT_TOOLS.includes(tool) || typeof subagent_type !== 'string') return false;
	const letters = subagent_type.normalize('NFKC').toLowerCase();
	return letters.replace(/[^a-z]/g, '') === FORK;
}

/** The tools that read a resource of the MCP server in their input; the second exists in 2.1.332 only. */
const RESOURCE_TOOLS = ['ReadMcpResourceTool', 'ReadMcpResourceDirTool'];

export function serverOfResource(tool: string, { server }: Readonly<Record<string, unknown>>): string | undefined {
	return RESOURCE_TOOLS.includes(tool) && typeof server === 'string' ? server : undefined;
}

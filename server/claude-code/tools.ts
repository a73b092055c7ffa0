import { clientPrefix, OWN_SERVER } from './tool-names.ts';

/** How the names of the broker's own tools begin, and the two that agents call. */
export const OWN_TOOLS = clientPrefix(OWN_SERVER);
export const LOAD_CONTEXT = `${OWN_TOOLS}load_context`;
export const RUN_SHELL_COMMAND = `${OWN_TOOLS}run_shell_command`;

/** Whether a tool is one of an MCP server. */
export function isMcpTool(tool: string): boolean {
	return tool.startsWith('mcp__');
}

/** The tool that starts a subagent, by its name now and before. */
export const AGENT_TOOLS: readonly string[] = ['Agent', 'Task'];

export const SKILL = 'Skill';
export const SEND_MESSAGE = 'SendMessage';
export const STOP_TASK = 'TaskStop';
export const WORKFLOW = 'Workflow';
/** Shows a model what a tool takes. */
export const TOOL_SEARCH = 'ToolSearch';
export const GREP = 'Grep';
export const GLOB = 'Glob';
export const POWERSHELL = 'PowerShell';

/** The shell of a platform. */
export function shellOf(platform: NodeJS.Platform): string {
	return platform === 'win32' ? POWERSHELL : 'Bash';
}

/** The tools through which another agent gets what their call says, at once or later; also the main agent. */
export const MESSAGE_TOOLS: readonly string[] = [
	...AGENT_TOOLS,
	...[SEND_MESSAGE, SKILL, WORKFLOW],
	// The list of tasks is one for all agents of a session, and what is scheduled comes as a prompt to the main agent.
	...['TaskCreate', 'TaskUpdate', 'CronCreate', 'ScheduleWakeup', 'SetGoal'],
];

/** The tools that give what an agent in the background has answered, by their names in several versions. */
export const TASK_TOOLS: readonly string[] = ['TaskOutput', 'AgentOutputTool'];

/** What they say of an agent that has not answered yet: its output is then its transcript (2.1.260). */
export const NOT_READY: readonly unknown[] = ['timeout', 'not_ready'];

/** The tools whose result is what an agent said, other than those that start one. */
export const ANSWER_TOOLS: readonly string[] = [
	...TASK_TOOLS,
	// By these the model may call it too. PostToolBatch alone tells them so.
	...['BashOutputTool', 'AgentOutput', 'BashOutput'],
	SEND_MESSAGE,
];

/** The tools that write into a file; an agent gets some of them with a memory of its own. */
export const WRITING_TOOLS: readonly string[] = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

/** The tools that take the path of one file or folder. */
export const FILE_TOOLS: readonly string[] = [...WRITING_TOOLS, 'Read', 'NotebookRead', 'LS'];

/** Fields of theirs that hold text, never a path. */
export const TEXT_FIELDS: readonly string[] = [
	...['content', 'old_string', 'new_string', 'new_source', 'edits', 'cell_id', 'cell_type', 'edit_mode'],
];

/** Claude Code keeps what these have read, and shows its agent later what was changed in it. */
export const KEEPING_TOOLS: readonly string[] = [...WRITING_TOOLS, 'Read', 'NotebookRead', SKILL];

/** The tools that run a command; what else they are given is text. */
export const COMMAND_TOOLS: readonly string[] = ['Bash', POWERSHELL, 'Monitor'];

/**
 * The tools whose words become a prompt: a skill gets in the place of `@path` what is in that file, and can hand its
 * arguments to a shell. No other tool is asked about that.
 */
export const PROMPTING_TOOLS: readonly string[] = [SKILL, 'CronCreate', 'ScheduleWakeup'];

/** The tools that send something out of the machine; those after the first two by their names in 2.1.332 alone. */
export const EGRESS_TOOLS: readonly string[] = [
	...['WebFetch', 'WebSearch'],
	...['RemoteTrigger', 'Artifact', 'PushNotification', 'SendUserFile', 'ReadMcpResourceTool', 'ReadMcpResourceDirTool'],
	...['ClaudeDesign', 'DesignSync', 'Projects', 'ShareOnboardingGuide'],
];

/** An agent that begins with the whole conversation of the one that starts it (2.1.332). */
export const FORK = 'fork';

/** Whether a call starts a fork. Claude Code takes the name in other spellings too. */
export function startsFork(tool: string, { subagent_type }: Readonly<Record<string, unknown>>): boolean {
	if (!AGENT_TOOLS.includes(tool) || typeof subagent_type !== 'string') return false;
	const letters = subagent_type.normalize('NFKC').toLowerCase();
	return letters.replace(/[^a-z]/g, '') === FORK;
}

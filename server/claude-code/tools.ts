import { clientPrefix, OWN_SERVER } from './tool-names.ts';

/** The prefix of the broker's own tools, and those that agents call. */
export const OWN_TOOLS = clientPrefix(OWN_SERVER);
export const LOAD_CONTEXT = `${OWN_TOOLS}load_context`;
export const FIND_CONTEXT = `${OWN_TOOLS}find_context`;
export const RUN_SHELL_COMMAND = `${OWN_TOOLS}run_shell_command`;

/** The tools that give what a key leads to, or what follows from it. */
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

/** The tools whose input reaches another agent, at once or later; also the main agent. */
export const MESSAGE_TOOLS: readonly string[] = [
	...AGENT_TOOLS,
	...[SEND_MESSAGE, SKILL, WORKFLOW],
	// The list of tasks is one for all agents of a session, and what is scheduled comes as a prompt to the main agent.
	...['TaskCreate', 'TaskUpdate', 'CronCreate', 'ScheduleWakeup', 'SetGoal'],
];

/** The tools that give the answer of an agent in the background, by their names in several versions. */
export const TASK_TOOLS: readonly string[] = ['TaskOutput', 'AgentOutputTool'];

/** Their status of an agent that has not answered yet: its output is then its transcript (2.1.260). */
export const NOT_READY: readonly unknown[] = ['timeout', 'not_ready'];

/** The tools whose result is an agent's answer, without those that start one. */
export const ANSWER_TOOLS: readonly string[] = [
	...TASK_TOOLS,
	// The model may call it by these names, too; only PostToolBatch has them.
	...['BashOutputTool', 'AgentOutput', 'BashOutput'],
	SEND_MESSAGE,
];

/** An agent gets some of them with a memory of its own. */
export const WRITING_TOOLS: readonly string[] = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

export const FILE_TOOLS: readonly string[] = [...WRITING_TOOLS, 'Read', 'NotebookRead', 'LS'];

/** Their fields that hold text, never a path. */
export const TEXT_FIELDS: readonly string[] = [
	...['content', 'old_string', 'new_string', 'new_source', 'edits', 'cell_id', 'cell_type', 'edit_mode'],
];

/** Claude Code keeps the files that these have read, and shows the agent later changes. */
export const KEEPING_TOOLS: readonly string[] = [...WRITING_TOOLS, 'Read', 'NotebookRead', SKILL];

/** Their other fields are text. */
export const COMMAND_TOOLS: readonly string[] = ['Bash', POWERSHELL, 'Monitor'];

/** The tools whose words become a prompt: in a skill, `@path` becomes that file, and arguments can reach a shell. */
export const PROMPTING_TOOLS: readonly string[] = [SKILL, 'CronCreate', 'ScheduleWakeup'];

/** The tools that send something out of the machine; all but the first two as named in 2.1.332. */
export const EGRESS_TOOLS: readonly string[] = [
	...['WebFetch', 'WebSearch'],
	...['RemoteTrigger', 'Artifact', 'PushNotification', 'SendUserFile', 'ReadMcpResourceTool', 'ReadMcpResourceDirTool'],
	...['ClaudeDesign', 'DesignSync', 'Projects', 'ShareOnboardingGuide'],
];

/** An agent that begins with the whole conversation of its starter (2.1.332). */
export const FORK = 'fork';

/** Whether a call starts a fork. Claude Code takes the name in other spellings too. */
export function startsFork(tool: string, { subagent_type }: Readonly<Record<string, unknown>>): boolean {
	if (!AGENT_TOOLS.includes(tool) || typeof subagent_type !== 'string') return false;
	const letters = subagent_type.normalize('NFKC').toLowerCase();
	return letters.replace(/[^a-z]/g, '') === FORK;
}

/** The tools that read a resource of an MCP server, named in their input; the second in 2.1.332 only. */
const RESOURCE_TOOLS = ['ReadMcpResourceTool', 'ReadMcpResourceDirTool'];

export function serverOfResource(tool: string, { server }: Readonly<Record<string, unknown>>): string | undefined {
	return RESOURCE_TOOLS.includes(tool) && typeof server === 'string' ? server : undefined;
}

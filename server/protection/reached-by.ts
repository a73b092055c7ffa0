import { judgeAnyInput, judgeStrings, stringsIn } from './any-input.ts';
import { type Finding, Inspection } from './inspection.ts';
import { TooComplexError } from './limits.ts';
import { judgeMentions } from './mentions.ts';
import type { Place, ProtectedPath } from './place.ts';
import { judgeCommand } from './shell/judge-command.ts';
import { judgeGlob, judgeGrep } from './structured.ts';
import { type Target, targetOf } from './targets.ts';

export { targetOf };

/** A protected path that a call reaches, and what in the call reaches it. */
export interface Reached<P> extends Finding {
	readonly target: P;
}

/** Fields of Claude Code's file tools that hold text, never a path. */
const TEXT_FIELDS = ['content', 'old_string', 'new_string', 'new_source', 'edits', 'cell_id', 'cell_type', 'edit_mode'];

/** Claude Code's tools that take one path. */
const FILE_TOOLS = ['Read', 'Edit', 'Write', 'MultiEdit', 'NotebookRead', 'NotebookEdit', 'LS'];

/** Claude Code's tools that run a command; what else they are given is text. */
const COMMAND_TOOLS = ['Bash', 'PowerShell', 'Monitor'];

/**
 * Claude Code's tools whose words become a prompt: a skill gets in the place of `@path` what is in that file, and can
 * hand its arguments to a shell. No other tool is asked about that.
 */
const PROMPTING_TOOLS = ['Skill', 'CronCreate', 'ScheduleWakeup'];

/** How tools of MCP servers name what they run, in whatever language, and what it is given. */
const PROGRAM_FIELDS = ['command', 'cmd', 'script', 'code', 'args', 'argv'];

/** How tools name the folder that a command is to run in; the last is ours. */
const FOLDER_FIELDS = ['cwd', 'working_directory', 'workdir', 'dir_path'];

/**
 * Whether a tool call would read, search, copy or change what is protected.
 *
 * A call that is too large or too deep to be judged (see `LIMITS`) counts as reaching the first protected path.
 *
 * @param tool as the client names it
 * @param input any JSON value
 * @param prepare makes a path ready to be compared; given by a caller that remembers it, as links take time to resolve
 * @returns the first protected path that the call would reach
 */
export function reachedBy<P extends ProtectedPath>(
	tool: string,
	input: unknown,
	protectedPaths: readonly P[],
	place: Place,
	prepare: (path: P) => Target = (path) => targetOf(path, place),
): Reached<P> | undefined {
	const [first] = protectedPaths;
	if (first === undefined) return undefined;
	const inspection = new Inspection(protectedPaths.map(prepare), place);
	try {
		judgeCall(tool, input, inspection);
	} catch (error) {
		if (!(error instanceof TooComplexError)) throw error;
		return { target: first, word: '', how: 'too_complex' };
	}
	const target = protectedPaths[inspection.found];
	return target && inspection.finding && { target, ...inspection.finding };
}

function judgeCall(tool: string, input: unknown, inspection: Inspection): void {
	const fields = fieldsOf(input);
	if (FILE_TOOLS.includes(tool)) judgeStrings(input, inspection, {}, TEXT_FIELDS);
	else if (tool === 'Grep') judgeGrep(fields, inspection);
	else if (tool === 'Glob') judgeGlob(fields, inspection);
	else if (!COMMAND_TOOLS.includes(tool)) judgeAnyInput(tool, input, inspection);

	if (PROMPTING_TOOLS.includes(tool)) for (const text of stringsIn(input)) judgeMentions(text, inspection);
	const folder = FOLDER_FIELDS.map((field) => fields[field]).find((value) => typeof value === 'string');
	const dialect = tool === 'PowerShell' ? 'powershell' : 'bash';
	for (const command of commandsOf(tool, fields)) judgeCommand(command, folder, dialect, inspection);
}

/** What a call runs: a command, or programs and their arguments, one by one and together. */
function commandsOf(tool: string, fields: Readonly<Record<string, unknown>>): Iterable<string> {
	if (!tool.startsWith('mcp__')) return typeof fields.command === 'string' ? [fields.command] : [];
	const texts = PROGRAM_FIELDS.flatMap((field) => stringsIn(fields[field]));
	return new Set([...texts, texts.join(' ')].filter((text) => text !== ''));
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
	return typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : {};
}

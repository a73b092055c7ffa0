import { promises as fs } from 'node:fs';
import { basename, join } from 'node:path';
import { type HookEvent, parseInput } from './hooks.ts';
import { type AgentRecord, asFile, type FileOrFolder, sessionFolder, transcriptOf } from './session-files.ts';
import { TASK_TOOLS } from './tools.ts';

/** The name of the output file that a task tool reads. */
export function taskFile({ tool_name, tool_input }: HookEvent): string | undefined {
	return tool_name === TASK_TOOLS[0] ? `${parseInput(tool_input).task_id}.output` : undefined;
}

/** Whether a call names anything that looks like Claude Code's records of agents. */
export function namesSessionFiles(event: HookEvent): boolean {
	const names = /agent-|subagents|\.jsonl|\.output|tool-results/;
	return taskFile(event) !== undefined || names.test(`${event.tool_input}${event.cwd}`);
}

/** Signs that a call can be about outputs of agents' tools: a name of their folders, or a wildcard. */
const WRITTEN = /tool-results|tasks|[*?[{]/;

/** A folder with outputs of a private agent's tools, and of all other agents in its session. */
export interface ToolOutputs {
	readonly folder: FileOrFolder;
	/** The agent's own. */
	readonly transcript: string;
	/** Whether the agent has loaded: if its transcript cannot be read, all outputs then count as its own. */
	readonly hasLoaded: boolean;
}

/** The folders with outputs of private agents' tools: results that are too long, and output of background commands. */
export async function toolOutputs(
	event: HookEvent,
	records: readonly AgentRecord[],
	taskFolders: readonly string[],
	hasLoaded: boolean,
): Promise<ToolOutputs[]> {
	const named = `${event.tool_input.replace(/^\{/, '')}\n${event.cwd}`;
	const isNear = taskFile(event) !== undefined || WRITTEN.test(named);
	const concerned = records.filter((record) => record.agent === '' || isNear || named.includes(record.session));
	if (concerned.length === 0) return [];
	const projects = (await Promise.all(taskFolders.map(entriesOf))).flat();
	return concerned.flatMap((record) => {
		const folders = [
			join(sessionFolder(record.transcript), 'tool-results'),
			...projects.map((project) => join(project, record.session, 'tasks')),
		];
		return folders.map((path) => ({ folder: { path, isFolder: true }, transcript: transcriptOf(record), hasLoaded }));
	});
}

/** The outputs that the agents' own tools have written, by the agents' transcripts. */
export async function filesOf(outputs: readonly ToolOutputs[]): Promise<FileOrFolder[]> {
	const found = outputs.map(async ({ folder, transcript, hasLoaded }) => {
		const files = await entriesOf(folder.path);
		if (files.length === 0) return [];
		const said = await fs.readFile(transcript, 'utf8').catch(() => undefined);
		const lines = said?.split('\n').filter((line) => line.includes('"tool_result"'));
		const results = lines?.join('\n');
		const isItsOwn = (file: string) => (results === undefined ? hasLoaded : isWrittenBy(results, basename(file)));
		return files.filter(isItsOwn).map(asFile);
	});
	return (await Promise.all(found)).flat();
}

/**
 * Whether Claude Code informed an agent that its tool writes to a file. It is not enough that the transcript names the
 * file: it can be another agent's that this one was asked to read, even in Claude Code's words.
 *
 * @param results the entries of the transcript with results of tools
 */
function isWrittenBy(results: string, file: string): boolean {
	const name = file.replace(/[^\w-]/g, '\\$&');
	return new RegExp(`(?:saved|written) to:? [^"\\n]*${name}`).test(results);
}

/** The paths of a folder's entries; none if it cannot be read. */
async function entriesOf(folder: string): Promise<string[]> {
	const names = await fs.readdir(folder).catch(() => []);
	return names.map((name) => join(folder, name));
}

import { promises as fs } from 'node:fs';
import { basename, join } from 'node:path';
import { type HookEvent, parseInput } from './hooks.ts';
import { asFile, type FileOrFolder, type Remembered, sessionFolder, transcriptOf } from './session-files.ts';
import { TASK_TOOLS } from './tools.ts';

/** The file that a tool reads which is given the id of a task. */
export function taskFile({ tool_name, tool_input }: HookEvent): string | undefined {
	return tool_name === TASK_TOOLS[0] ? `${parseInput(tool_input).task_id}.output` : undefined;
}

/** Whether a call can be about what Claude Code has written down of agents, by the names that it gives. */
export function namesSessionFiles(event: HookEvent): boolean {
	const names = /agent-|subagents|\.jsonl|\.output|tool-results/;
	return taskFile(event) !== undefined || names.test(`${event.tool_input}${event.cwd}`);
}

/** What a call names where it can be about what tools of agents have written: by name, by a wildcard, or by its session. */
const WRITTEN = /tool-results|tasks|[*?[{]/;

/** A folder in which tools of a private agent, and of everybody else in its session, have written. */
export interface ToolOutputs {
	readonly folder: FileOrFolder;
	/** Of the agent. */
	readonly transcript: string;
	/** Whether the agent has loaded: then all of them may be its own if its transcript can't be read. */
	readonly hasLoaded: boolean;
}

/** Where private agents' tools have written: results because they are long, and what commands in the background say. */
export async function toolOutputs(
	event: HookEvent,
	records: readonly Remembered[],
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

/** The files among them that are the agents' own: those are named in their transcripts. */
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
 * Whether the client told an agent that its tool writes into a file. That its transcript names the file is not enough: it
 * can be somebody else's that it was told to look at, even in the client's words.
 *
 * @param results the entries of the transcript that hold what tools gave
 */
function isWrittenBy(results: string, file: string): boolean {
	const name = file.replace(/[^\w-]/g, '\\$&');
	return new RegExp(`(?:saved|written) to:? [^"\\n]*${name}`).test(results);
}

/** The paths of what is in a folder; none where it can't be read. */
async function entriesOf(folder: string): Promise<string[]> {
	const names = await fs.readdir(folder).catch(() => []);
	return names.map((name) => join(folder, name));
}

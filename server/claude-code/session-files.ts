import { basename, dirname, join } from 'node:path';

/** A file, or a folder with all that is in it. */
export interface FileOrFolder {
	/** Absolute. */
	readonly path: string;
	readonly isFolder: boolean;
}

/** An agent that has loaded private context, and the transcript of its session's main thread. */
export interface AgentRecord {
	readonly session: string;
	readonly agent: string;
	readonly transcript: string;
}

/** Where Claude Code keeps the outputs of tasks: `<folder>/<project>/<session>/tasks/<agent>.output`. */
export function taskFolders(environment: NodeJS.ProcessEnv, temporary: string, userId: number | undefined): string[] {
	const bases = [environment.CLAUDE_CODE_TMPDIR, temporary, '/tmp'].filter((base) => base !== undefined && base !== '');
	return [...new Set(bases)].map((base) => join(base as string, userId === undefined ? 'claude' : `claude-${userId}`));
}

/** Claude Code's records of a subagent: its transcript, and the output of its task, which is the same. */
export function recordedFilesOfSubagent(
	{ session, agent, transcript }: AgentRecord,
	folders: readonly string[],
): FileOrFolder[] {
	const project = basename(dirname(transcript));
	const outputs = folders.map((tasks) => join(tasks, project, session, 'tasks', `${agent}.output`));
	return [transcriptOf({ agent, transcript }), ...outputs].map(asFile);
}

/** The same for any agent that has loaded. Includes the session's transcript, which contains its notifications. */
export function recordedFiles(record: AgentRecord, folders: readonly string[]): FileOrFolder[] {
	return [asFile(record.transcript), ...(record.agent === '' ? [] : recordedFilesOfSubagent(record, folders))];
}

export function asFile(path: string): FileOrFolder {
	return { path, isFolder: false };
}

/** A subagent's transcript; for the main agent, the session's own. */
export function transcriptOf({ agent, transcript }: Pick<AgentRecord, 'agent' | 'transcript'>): string {
	return agent === '' ? transcript : join(sessionFolder(transcript), 'subagents', `agent-${agent}.jsonl`);
}

/** The folder of a session, with results that are too long, and the transcripts of its subagents. */
export function sessionFolder(transcript: string): string {
	return transcript.replace(/\.jsonl$/, '');
}

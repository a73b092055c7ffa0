import { basename, dirname, join } from 'node:path';
import type { Entry, PrivateContent } from '../context-map/parse.ts';
import type { ProtectedPath } from '../protection/place.ts';
import { BUNDLED_AGENTS } from './entitlement.ts';

/** An agent that has loaded private context, and the transcript of its session's main thread. */
export interface Remembered {
	readonly session: string;
	readonly agent: string;
	readonly transcript: string;
}

/** Where Claude Code keeps the outputs of tasks: `<folder>/<project>/<session>/tasks/<agent>.output`. */
export function taskFolders(environment: NodeJS.ProcessEnv, temporary: string, userId: number | undefined): string[] {
	const bases = [environment.CLAUDE_CODE_TMPDIR, temporary, '/tmp'].filter((base) => base !== undefined && base !== '');
	return [...new Set(bases)].map((base) => join(base as string, userId === undefined ? 'claude' : `claude-${userId}`));
}

/** What the map says of private files. */
export type PrivatePaths = Pick<PrivateContent, 'entries' | 'paths'>;

/** The map, and the files that it names for others than `agent`. */
export function mappedFiles(
	map: { readonly file: string; resolve(entry: Entry): string },
	{ entries, paths }: PrivatePaths,
	agent: string | undefined,
): ProtectedPath[] {
	const others = [...entries.values()].filter(
		({ agents = BUNDLED_AGENTS }) => agent === undefined || !agents.includes(agent),
	);
	const written = [...others, ...paths.map((path) => ({ path, agents: undefined }))];
	return [map.file, ...written.map((entry) => map.resolve(entry))].map((path) => ({ path, isFolder: false }));
}

/**
 * What Claude Code wrote down of an agent that has loaded private context: its transcript, the output of its task,
 * which is the same, and the transcript of its session, which holds what a notification said.
 */
export function writtenDown({ session, agent, transcript }: Remembered, folders: readonly string[]): ProtectedPath[] {
	const project = basename(dirname(transcript));
	const ofSubagent = [
		transcriptOf({ agent, transcript }),
		...folders.map((tasks) => join(tasks, project, session, 'tasks', `${agent}.output`)),
	];
	return [transcript, ...(agent === '' ? [] : ofSubagent)].map((path) => ({ path, isFolder: false }));
}

/** The transcript of an agent: of a subagent, or the session's own. */
export function transcriptOf({ agent, transcript }: Pick<Remembered, 'agent' | 'transcript'>): string {
	return agent === '' ? transcript : join(sessionFolder(transcript), 'subagents', `agent-${agent}.jsonl`);
}

/** Where a session keeps what does not fit into a result, and the transcripts of its subagents. */
export function sessionFolder(transcript: string): string {
	return transcript.replace(/\.jsonl$/, '');
}

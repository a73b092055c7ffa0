import { join } from 'node:path';
import type { Home } from '../harness/home.ts';

/** Where private content lies after the scanner has loaded it. All paths are absolute. */
export interface Places {
	readonly home: string;
	readonly project: string;
	/** The user's own files. */
	readonly catalog: string;
	readonly map: string;
	/** What Claude Code wrote down of the scanner. */
	readonly transcript: string;
	/** A link to the same, for as long as its task is known. */
	readonly taskOutput: string;
	/** The folder of the session, with the transcripts of its subagents in it. */
	readonly session: string;
}

/** What has the client use this id for the session. */
export const SESSION = '0b0e7c1a-5d6f-4c1e-9a55-3f1f4a3c2b10';
export const WITH_SESSION: readonly string[] = ['--session-id', SESSION];

/**
 * @param result what the main agent was given by the scanner: it names its id
 * @throws Error if it does not
 */
export function findPlaces({ home, project }: Pick<Home, 'home' | 'project'>, result: string): Places {
	const agent = /agentId: (\w+)/.exec(result)?.[1];
	if (agent === undefined) throw new Error(`No scanner has answered: ${result}`);
	const name = project.replace(/[^a-zA-Z0-9]/g, '-');
	const session = join(home, '.claude', 'projects', name, SESSION);
	const config = join(home, '.config', 'context-broker');
	return {
		home,
		project,
		catalog: join(config, 'catalog.md'),
		map: join(config, 'context-map.toml'),
		transcript: join(session, 'subagents', `agent-${agent}.jsonl`),
		taskOutput: join(home, `claude-${process.getuid?.()}`, name, SESSION, 'tasks', `${agent}.output`),
		session,
	};
}

import type { AgentRecord } from '../claude-code/session-files.ts';
import type { TraceScope } from './agent-traces.ts';

/** An agent that has loaded private context. */
export interface TracedAgent extends AgentRecord {
	/** The time of its first load. Milliseconds since 1970. */
	readonly since: number;
}

/** A line of JSON to the cleaning process. */
export type Order =
	| { readonly where: Pick<TraceScope, 'taskFolders' | 'except' | 'known'> }
	/** Texts that agents have loaded. */
	| { readonly texts: readonly string[] }
	/** `isOver`: whether the agent has given its answer. */
	| { readonly agent: TracedAgent; readonly isOver: boolean };

/** A line of JSON from the cleaning process: a file that it could not clean, and the error's code. */
export interface Failure {
	readonly path: string;
	readonly code: string;
}

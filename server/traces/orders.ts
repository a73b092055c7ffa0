import type { Remembered } from '../claude-code/session-files.ts';
import type { Look } from './look.ts';

/** An agent that has loaded private context. */
export interface TracedAgent extends Remembered {
	/** The time of its first load. Milliseconds since 1970. */
	readonly since: number;
}

/** A line of JSON to the cleaning process. */
export type Order =
	| { readonly where: Pick<Look, 'taskFolders' | 'except' | 'known'> }
	/** Texts that agents have loaded. */
	| { readonly texts: readonly string[] }
	/** `isOver`: whether the agent has given its answer. */
	| { readonly agent: TracedAgent; readonly isOver: boolean };

/** A line of JSON from the cleaning process: a file that it could not clean, and the error's code. */
export interface Failure {
	readonly path: string;
	readonly code: string;
}

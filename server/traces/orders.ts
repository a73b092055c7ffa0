import type { Remembered } from '../claude-code/session-files.ts';
import type { Look } from './look.ts';

/** An agent that has loaded private context. */
export interface TracedAgent extends Remembered {
	/** When it did first. Milliseconds since 1970. */
	readonly since: number;
}

/** What the cleaning process is told, a line of JSON each. */
export type Order =
	| { readonly where: Pick<Look, 'taskFolders' | 'except' | 'known'> }
	/** Texts that agents have loaded. */
	| { readonly texts: readonly string[] }
	/** @param isOver whether it has given its answer */
	| { readonly agent: TracedAgent; readonly isOver: boolean };

/** What it tells: a file that it could not clean, and the code of the error. */
export interface Failure {
	readonly path: string;
	readonly code: string;
}

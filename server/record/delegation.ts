import type { Caller } from './session.ts';

/** A call that an executor has begun, and what came of it. */
export interface DelegatedCall {
	readonly tool: string;
	/** Digest of the arguments. */
	readonly arguments: string;
	/** Whether these are the arguments that it was started with. */
	readonly asAsked: boolean;
	/** When it began. Milliseconds since 1970. */
	readonly since: number;
	/** Whether the broker has no result of the server for it; what the agent gets then is the broker's own words. */
	hasFailed: boolean;
	/** `unknown` until Claude Code has told one. */
	outcome: 'ok' | 'error' | 'unknown';
	bytes?: number;
	sha256?: string;
}

/** What an executor was started for, and what it has done. */
export interface Delegation {
	/** Who has it started: gets what it answers. */
	readonly starter: Pick<Caller, 'session_id' | 'agent_id'>;
	/** The description under which Claude Code keeps the agent: no other has the same. */
	readonly description: string;
	/** The tool, by its full name. */
	readonly name: string;
	/** Digest of the arguments. */
	readonly arguments: string;
	/** The executor, as soon as it has shown up. */
	agent: string | undefined;
	/** By tool-use id. */
	readonly calls: Map<string, DelegatedCall>;
}

/** What became of a call, an answer or a session. */
export const OUTCOMES = [
	/** The hook has approved that an agent loads. */
	'approved',
	/** `load_context` gives out what was approved. */
	'delivered',
	/** A call of the broker's shell, or of a server behind the broker, has passed the guard. */
	'permitted',
	/** An executor is started for a tool that the main agent may not call. */
	'delegated',
	/** An input or an output goes on, but not as it was. */
	'changed',
	/** An answer is kept back. */
	'withheld',
	/** A call is not made; the reason is the error's code. */
	'refused',
	/** A call was let pass, and nothing came of it; the reason is the error's code. */
	'failed',
	/** The session holds private data from now on. */
	'private',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** A decision of the broker. */
export interface Decision {
	/** Milliseconds since 1970. */
	readonly at: number;
	/** The session's id; empty where no client has told one. */
	readonly session: string;
	/** The subagent's id; empty for the main thread, undefined where nobody knows who calls. */
	readonly agent?: string | undefined;
	/** `plugin:agent` or `agent`; empty for the main agent. */
	readonly type?: string | undefined;
	/** `load_context`, or the name by which the client calls it; empty where the decision is not about a tool. */
	readonly tool: string;
	readonly outcome: Outcome;
	/** The code of an error, or a fixed word. */
	readonly reason?: string | undefined;
	/** The key that the call names. Only a digest of it is ever written. */
	readonly key?: string | undefined;
}

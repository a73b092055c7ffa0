import { BoundedMap } from '../../bounded-map.ts';
import type { HookEvent } from '../../claude-code/hooks.ts';
import { argumentsDigest } from './arguments-digest.ts';
import { describe, type Errand } from './hand-over.ts';

/** A call that an executor has begun, and what came of it. */
export interface ToolCall {
	readonly tool: string;
	/** Digest of the arguments. */
	readonly arguments: string;
	/** Whether these are the arguments that it was started with. */
	readonly asAsked: boolean;
	/** `unknown` until Claude Code has told one. */
	outcome: 'ok' | 'error' | 'unknown';
	bytes?: number;
	sha256?: string;
}

/** Who has an executor started: gets what that one answers. */
export type Starter = Pick<HookEvent, 'session_id' | 'agent_id'>;

/** What an executor was started for, and what it has done. */
export interface StartedErrand {
	readonly starter: Starter;
	/** The description under which Claude Code keeps the agent: no other has the same. */
	readonly description: string;
	/** The tool, by its full name. */
	readonly name: string;
	/** Digest of the arguments. */
	readonly arguments: string;
	/** The executor, as soon as it has shown up. */
	agent: string | undefined;
	/** By tool-use id. */
	readonly calls: Map<string, ToolCall>;
}

/** Those that nobody has asked about for longest are dropped. */
const MOST = 1_000;

/** What executors were started for. */
export class Errands {
	/** By the id of the use of `Agent`. */
	readonly #errands = new BoundedMap<string, StartedErrand>(MOST);
	readonly #number: () => string;

	/** @param number a short text that is another each time */
	constructor(number: () => string) {
		this.#number = number;
	}

	/** What an executor would be started for. No other has the same description. */
	plan(errand: Errand, { session_id, agent_id }: Starter): StartedErrand {
		return {
			starter: { session_id, agent_id },
			description: `${describe(errand)} (${this.#number()})`,
			name: errand.name,
			arguments: argumentsDigest(errand.arguments),
			agent: undefined,
			calls: new Map(),
		};
	}

	/** An executor is about to be started. */
	start(toolUseId: string, errand: StartedErrand): void {
		this.#errands.set(toolUseId, errand);
	}

	/** What an executor was started for, where that is known already. @param agent in lower case */
	of(agent: string): StartedErrand | undefined {
		return [...this.#errands.values()].find((errand) => errand.agent === agent);
	}

	/** What the use of `Agent` was for. */
	startedBy(toolUseId: string): StartedErrand | undefined {
		return this.#errands.get(toolUseId);
	}

	/**
	 * An executor has shown up.
	 *
	 * @param description under which Claude Code keeps it; undefined where it does not tell
	 * @returns what it was started for; undefined where that is not certain
	 */
	bind(agent: string, description: string | undefined): StartedErrand | undefined {
		const waiting = [...this.#errands.values()].filter((errand) => errand.agent === undefined);
		const fitting = description === undefined ? waiting : waiting.filter((one) => one.description === description);
		const [errand] = fitting;
		if (errand === undefined || fitting.length > 1) return undefined;
		errand.agent = agent;
		return errand;
	}
}

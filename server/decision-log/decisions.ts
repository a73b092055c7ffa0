import type { BrokerError, ErrorCode } from '../errors.ts';
import { OWN_TOOLS } from '../guard/announced-calls.ts';
import type { DecisionListener } from '../guard/guard-options.ts';
import type { HookAnswer, HookEvent } from '../guard/hook.ts';
import type { AnsweredCall } from '../protocol/create-server.ts';
import type { Decision } from './decision.ts';
import type { LogWriter } from './log-writer.ts';
// Not with what writes: it shares so much with the guard that a start would take 4 KB more in pieces.
import { decisionOf } from './of-hook.ts';

export interface DecisionsOptions {
	/** The data folder, in which the log gets its own with the first decision. */
	readonly data: string;
	readonly map: {
		/** @throws BrokerError */
		read(): Promise<unknown>;
		/** What it held when it was read last. */
		readonly last: { readonly logsDecisions: boolean } | undefined;
	};
	/** The session that is known before any event comes; empty where none is. */
	readonly session: string;
	/** Milliseconds since 1970. */
	readonly clock: () => number;
	/** Told what a person should know: a sentence. */
	readonly warn: (sentence: string) => void;
}

/** Whom a hook has announced, and by which name the client calls the tool. */
type Announced = Required<Pick<Decision, 'session' | 'agent' | 'type' | 'tool'>>;

/** Of calls that never came, the oldest are dropped. */
const MOST_ANNOUNCED = 1_000;

/**
 * Has decisions written down where the map wants it. Nobody waits for it, and what writes is loaded with the first
 * decision.
 */
export class Decisions implements DecisionListener {
	readonly #options: DecisionsOptions;
	/** By tool-use id: calls that hooks have announced. */
	readonly #announced = new Map<string, Announced>();
	/** That of the last event. */
	#session: string;
	#writer: LogWriter | undefined;
	/** One after the other, in the order in which they were made. */
	#written: Promise<void> = Promise.resolve();
	#isToldOfFailure = false;

	constructor(options: DecisionsOptions) {
		this.#options = options;
		this.#session = options.session;
	}

	answered(event: HookEvent, answer: HookAnswer): void {
		if (event.session_id !== '') this.#session = event.session_id;
		this.#announce(event);
		if (Object.keys(answer).length > 0) this.#note(() => decisionOf(event, answer), 'as_read_last');
	}

	permitted(tool: string, toolUseId: string | undefined): void {
		const decision = { ...this.#callerOf(toolUseId, tool), outcome: 'permitted' } as const;
		this.#note(() => decision, 'as_read_last');
	}

	turnedPrivate(session: string, reason: string): void {
		const decision = { session: session || this.#session, tool: '', outcome: 'private', reason } as const;
		this.#note(() => decision, 'to_be_read');
	}

	/** A call was answered. Of the shell and of other servers, nothing but errors is new: they were permitted before. */
	called({ tool, input, toolUseId }: AnsweredCall, error: BrokerError | undefined): void {
		const isLoad = tool === 'load_context';
		if (error === undefined && !isLoad) return;
		const caller = this.#callerOf(toolUseId, tool);
		const key = isLoad && typeof input.key === 'string' ? input.key : undefined;
		const outcome =
			error === undefined
				? ({ outcome: 'delivered' } as const)
				: ({ outcome: FAILURES.includes(error.code) ? 'failed' : 'refused', reason: error.code } as const);
		const decision = { ...caller, tool: isLoad ? tool : caller.tool, ...outcome, key };
		// What is refused at once can come before the map was read.
		this.#note(() => decision, error === undefined ? 'as_read_last' : 'to_be_read');
	}

	/** Resolves when all is written that was decided so far. */
	async settled(): Promise<void> {
		await this.#written;
	}

	#announce({ hook_event_name, tool_name: tool, tool_use_id, ...event }: HookEvent): void {
		if (hook_event_name !== 'PreToolUse' || tool_use_id === '' || !tool.startsWith(OWN_TOOLS)) return;
		const { session_id: session, agent_id: agent, agent_type: type } = event;
		this.#announced.set(tool_use_id, { session, agent, type, tool });
		const [oldest] = this.#announced.keys();
		if (this.#announced.size > MOST_ANNOUNCED && oldest !== undefined) this.#announced.delete(oldest);
	}

	#callerOf(toolUseId: string | undefined, tool: string): Announced | Pick<Decision, 'session' | 'tool'> {
		return this.#announced.get(toolUseId ?? '') ?? { session: this.#session, tool };
	}

	/**
	 * @param make the decision; undefined where there is none
	 * @param map whether it counts what the map held when it was read last, which was just now
	 */
	#note(make: () => Omit<Decision, 'at'> | undefined, map: 'as_read_last' | 'to_be_read'): void {
		if (map === 'as_read_last' && !this.#isOn) return;
		const at = this.#options.clock();
		this.#written = this.#written.then(async () => {
			// One that can't be read leaves what was said last in force.
			if (map === 'to_be_read') await this.#options.map.read().catch(() => {});
			if (!this.#isOn) return;
			try {
				const decision = make();
				if (decision === undefined) return;
				const { LogWriter } = await import('./log-writer.ts');
				this.#writer ??= new LogWriter(this.#options.data);
				await this.#writer.write({ at, ...decision });
			} catch (error) {
				this.#tell(error as NodeJS.ErrnoException);
			}
		});
	}

	get #isOn(): boolean {
		return this.#options.map.last?.logsDecisions === true;
	}

	#tell({ code, name }: NodeJS.ErrnoException): void {
		if (!this.#isToldOfFailure) this.#options.warn(`Decisions can not be logged: ${code ?? name}.`);
		this.#isToldOfFailure = true;
	}
}

/** What befalls a call that was let pass; all other errors say that it was not. */
const FAILURES: readonly ErrorCode[] = [
	'command_not_started',
	'upstream_unavailable',
	'upstream_lost',
	'upstream_timeout',
	'internal_error',
];

import { BrokerError } from '../errors.ts';
import type { Invocation } from '../isolation/invocation.ts';
import { NOT_ISOLATED } from '../isolation/ways.ts';
import type { Family, FamilyTraits } from '../processes/process-family.ts';
import type { Process } from '../processes/process-table.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import { commandEnvironment } from './environment.ts';
import { invocationOf } from './invocation.ts';
import { KeptOutput, OUTPUT_LIMIT } from './kept-output.ts';
import { openOutputChannel } from './output-channel.ts';
import { type CommandOutcome, type Limits, notStarted, runCommand, type StopReason } from './run-command.ts';

/** Milliseconds between two tellings of how a command goes. */
const PROGRESS = 1_000;

export interface ShellOptions {
	readonly environment: NodeJS.ProcessEnv;
	readonly platform: NodeJS.Platform;
	/** For temporary files. */
	readonly folder: string;
	readonly isolation: {
		/** How to run a program without a network. @throws BrokerError `network_isolation_unavailable` */
		prepare(): Promise<(invocation: Invocation) => Invocation>;
	};
	readonly watchdog: Pick<Watchdog, 'watch' | 'forget'>;
	readonly familyOf: (traits: FamilyTraits) => Family;
	/** A process by its id, where the platform tells without a delay. */
	readonly processOf: (pid: number) => Process | undefined;
	/** A clock that is never set back, in milliseconds. */
	readonly now: () => number;
}

export interface CommandRequest {
	/** As the model wrote it. */
	readonly command: string;
	/** Absolute. */
	readonly directory: string;
	readonly limits: Limits;
	/** Aborted where nobody wants it any more. */
	readonly signal: AbortSignal;
	/** Whether the session holds private data, now. Once it does, it does for good. */
	readonly isPrivate: () => boolean;
	/** Told once a second while it runs. */
	readonly onProgress: ((progress: CommandProgress) => void) | undefined;
}

export interface CommandProgress {
	readonly elapsedMs: number;
	/** Of output. */
	readonly bytes: number;
}

export interface CommandResult extends CommandOutcome {
	readonly command: string;
	readonly directory: string;
	/** Standard output and error in the order in which they came, as clean text; long output without its middle. */
	readonly output: string;
	/** Of output, before it was cleaned and shortened. */
	readonly bytes: number;
	readonly isTruncated: boolean;
	readonly isNetworkIsolated: boolean;
}

const NOT_STARTED: CommandOutcome = {
	exitCode: undefined,
	signal: undefined,
	stopped: undefined,
	background: [],
	group: undefined,
	durationMs: 0,
};

/** Runs commands, and knows which of them run. */
export class Shell {
	readonly #options: ShellOptions;
	/** How to stop those that run, and when each is over. */
	readonly #running = new Map<AbortController, Promise<unknown>>();
	#turn: Promise<unknown> = Promise.resolve();
	#isClosed = false;

	constructor(options: ShellOptions) {
		this.#options = options;
	}

	/**
	 * Runs a command until it ends, until a limit, or until it is not wanted any more.
	 *
	 * @throws BrokerError `command_not_started`, `network_isolation_unavailable`
	 */
	async run(request: CommandRequest): Promise<CommandResult> {
		const stopper = new AbortController();
		if (this.#isClosed) stopper.abort('closing' satisfies StopReason);
		const stop = () => stopper.abort('cancelled' satisfies StopReason);
		request.signal.addEventListener('abort', stop);
		if (request.signal.aborted) stop();
		const running = this.#run(request, stopper.signal);
		this.#running.set(
			stopper,
			running.catch(() => {}),
		);
		try {
			return await running;
		} finally {
			this.#running.delete(stopper);
			request.signal.removeEventListener('abort', stop);
		}
	}

	/** Stops all that run, and what is still asked for, and waits for it. What went to the background is left to the watchdog. */
	async close(): Promise<void> {
		this.#isClosed = true;
		for (const stopper of this.#running.keys()) stopper.abort('closing' satisfies StopReason);
		await Promise.all(this.#running.values());
	}

	async #run(request: CommandRequest, signal: AbortSignal): Promise<CommandResult> {
		const { environment, platform, folder, isolation, now } = this.#options;
		const output = new KeptOutput(OUTPUT_LIMIT);
		const id = crypto.randomUUID();
		const channel = await this.#inTurn(() => openOutputChannel(platform, folder, environment.PATH));
		try {
			let isolate: ((invocation: Invocation) => Invocation) | undefined;
			// Looked at again after each wait: from the moment at which there is private data, nothing starts with a network.
			while (isolate === undefined && request.isPrivate() && !signal.aborted) {
				isolate = await Promise.race([isolation.prepare(), aborted(signal)]);
			}
			const invocation = invocationOf(request.command, platform);
			const isNetworkIsolated = isolate !== undefined;
			const outcome = signal.aborted
				? { ...NOT_STARTED, stopped: signal.reason as StopReason }
				: await this.#watched(id, request, {
						invocation: isolate?.(invocation) ?? invocation,
						directory: request.directory,
						environment: commandEnvironment(environment, { platform, commandId: id, isNetworkIsolated }),
						platform,
						channel,
						output,
						limits: request.limits,
						signal,
						now,
					});
			const { command, directory } = request;
			const { bytes, isTruncated } = output;
			const text = output.text();
			if (isNetworkIsolated && outcome.exitCode === NOT_ISOLATED.exitCode && text === NOT_ISOLATED.output) {
				throw new BrokerError('network_isolation_unavailable', { note: 'A socket could not be hidden' });
			}
			return { ...outcome, command, directory, output: text, bytes, isTruncated, isNetworkIsolated };
		} finally {
			channel.release();
		}
	}

	/** One after the other: starting a program holds up the event loop, and with it what others ask of the broker. */
	async #inTurn<T>(open: () => Promise<T>): Promise<T> {
		const opening = this.#turn.then(open);
		this.#turn = opening.catch(() => {});
		try {
			return await opening;
		} catch (error) {
			throw notStarted(error);
		}
	}

	/** Runs a program, and has the watchdog know of its processes as long as there are any. */
	async #watched(
		id: string,
		{ onProgress }: CommandRequest,
		options: Omit<Parameters<typeof runCommand>[0], 'onStart' | 'members' | 'end'>,
	): Promise<CommandOutcome> {
		const { watchdog, familyOf, processOf, now } = this.#options;
		const since = now();
		let family = familyOf({ commandId: id });
		// Before it is started, so that there is no moment at which nobody would end it.
		watchdog.watch(family.traits);
		const telling = setInterval(
			() => onProgress?.({ elapsedMs: now() - since, bytes: options.output.bytes }),
			PROGRESS,
		);
		try {
			return await runCommand({
				...options,
				onStart: (pid) => {
					const first = processOf(pid);
					family = familyOf({ commandId: id, group: pid, ...(first && { since: first.started }) });
					watchdog.watch(family.traits);
				},
				members: async () => await family.members(),
				end: async () => await family.end(),
			});
		} finally {
			clearInterval(telling);
			const { group, seen } = family.traits;
			if (group === undefined || seen?.length === 0) watchdog.forget(id);
			else watchdog.watch(family.traits);
		}
	}
}

/** Resolves when a command is not wanted any more. */
function aborted(signal: AbortSignal): Promise<undefined> {
	return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

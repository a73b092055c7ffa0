import { BrokerError } from '../errors.ts';
import { type Invocation, NOT_ISOLATED } from '../isolation/sandboxes.ts';
import { type Process, procOf } from '../processes/process-table.ts';
import { type ProcessTree, type ProcessTreeId, processTreesOn } from '../processes/process-tree.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import { commandEnvironment } from './environment.ts';
import { invocationOf } from './invocation.ts';
import { KeptOutput } from './kept-output.ts';
import { openOutputChannel } from './output-channel.ts';
import {
	type CommandOutcome,
	type Limits,
	notStarted,
	type RunOptions,
	runCommand,
	type StopReason,
} from './run-command.ts';

const PROGRESS_INTERVAL_MS = 1_000;

export interface ShellOptions {
	readonly environment: NodeJS.ProcessEnv;
	readonly platform: NodeJS.Platform;
	readonly folder: string;
	readonly isolation: {
		prepare(): Promise<(invocation: Invocation) => Invocation>;
	};
	readonly watchdog: Pick<Watchdog, 'watch' | 'forget'>;
	readonly treeOf: (id: ProcessTreeId) => ProcessTree;
	readonly processOf: (pid: number) => Process | undefined;
	readonly now: () => number;
}

export interface CommandRequest {
	readonly command: string;
	readonly directory: string;
	readonly limits: Limits;
	readonly signal: AbortSignal;
	/** Whether the session holds private data. Once true, it stays true. */
	readonly isPrivate: () => boolean;
	readonly onProgress: ((progress: CommandProgress) => void) | undefined;
}

export interface CommandProgress {
	readonly elapsedMs: number;
	readonly bytes: number;
}

export interface CommandResult extends CommandOutcome {
	readonly command: string;
	readonly directory: string;
	/** Standard output and error in their order, as clean text. Long output lacks its middle. */
	readonly output: string;
	/** Bytes of output before cleaning and shortening. */
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

export interface CreateShellOptions extends Pick<ShellOptions, 'folder' | 'isolation' | 'watchdog' | 'now'> {
	readonly process: Pick<NodeJS.Process, 'platform' | 'env'>;
}

export function createShell({ process, ...options }: CreateShellOptions): Shell {
	const { platform, env: environment } = process;
	const treeOf = processTreesOn(platform, options.now);
	return new Shell({
		...{ ...options, environment, platform, treeOf },
		processOf: platform === 'linux' ? procOf : () => undefined,
	});
}

export class Shell {
	readonly #options: ShellOptions;
	readonly #running = new Map<AbortController, Promise<unknown>>();
	#turn: Promise<unknown> = Promise.resolve();
	#isClosed = false;

	constructor(options: ShellOptions) {
		this.#options = options;
	}

	/** @throws BrokerError `command_not_started`, `network_isolation_unavailable` */
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

	/** Stops running and future commands. The watchdog ends what they left in the background. */
	async close(): Promise<void> {
		this.#isClosed = true;
		for (const stopper of this.#running.keys()) stopper.abort('closing' satisfies StopReason);
		await Promise.all(this.#running.values());
	}

	async #run(request: CommandRequest, signal: AbortSignal): Promise<CommandResult> {
		const { environment, platform, folder, isolation, now } = this.#options;
		const { command, directory, limits } = request;
		const output = new KeptOutput();
		const commandId = crypto.randomUUID();
		const channel = await this.#inTurn(() => openOutputChannel(platform, folder, environment.PATH));
		try {
			let isolate: ((invocation: Invocation) => Invocation) | undefined;
			// Checked after the last wait: once there is private data, nothing may start with a network.
			if (request.isPrivate() && !signal.aborted) {
				isolate = await Promise.race([isolation.prepare(), aborted(signal)]);
			}
			const plain = invocationOf(command, platform, environment);
			const invocation = isolate?.(plain) ?? plain;
			const isNetworkIsolated = isolate !== undefined;
			const variables = commandEnvironment(environment, { platform, commandId, isNetworkIsolated });
			const run = { invocation, directory, environment: variables, platform, channel, output, limits, signal, now };
			const outcome = signal.aborted
				? { ...NOT_STARTED, stopped: signal.reason as StopReason }
				: await this.#watched(commandId, request, run);
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

	/** One at a time: opening a channel starts a program, which blocks the event loop. */
	async #inTurn<T>(open: () => Promise<T>): Promise<T> {
		const opening = this.#turn.then(open);
		this.#turn = opening.catch(() => {});
		try {
			return await opening;
		} catch (error) {
			throw notStarted(error);
		}
	}

	/** Runs a program. The watchdog watches its processes as long as there are any. */
	async #watched(
		commandId: string,
		{ onProgress }: CommandRequest,
		options: Omit<RunOptions, 'onStart' | 'members' | 'end'>,
	): Promise<CommandOutcome> {
		const { watchdog, treeOf, processOf, now } = this.#options;
		const since = now();
		let tree = treeOf({ commandId });
		// Before the start, so that at every moment something would end it.
		watchdog.watch(tree.id);
		const progress = () => onProgress?.({ elapsedMs: now() - since, bytes: options.output.bytes });
		const timer = setInterval(progress, PROGRESS_INTERVAL_MS);
		try {
			return await runCommand({
				...options,
				onStart: (pid) => {
					const first = processOf(pid);
					tree = treeOf({ commandId, group: pid, ...(first && { since: first.started }) });
					watchdog.watch(tree.id);
				},
				members: async () => await tree.members(),
				end: async () => await tree.end(),
			});
		} finally {
			clearInterval(timer);
			const { group, seen } = tree.id;
			if (group === undefined || seen?.length === 0) watchdog.forget(commandId);
			else watchdog.watch(tree.id);
		}
	}
}

function aborted(signal: AbortSignal): Promise<undefined> {
	return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { BrokerError } from '../errors.ts';
import type { Invocation } from '../isolation/sandboxes.ts';
import type { Process } from '../processes/process-table.ts';
import type { KeptOutput } from './kept-output.ts';
import type { OutputChannel } from './output-channel.ts';

/** Why a command was ended early. */
export type StopReason = 'idle' | 'timeout' | 'cancelled' | 'closing';

/** In milliseconds: without output, and in total. */
export interface Limits {
	readonly idle: number;
	readonly total: number;
}

export interface CommandOutcome {
	readonly exitCode: number | undefined;
	readonly signal: NodeJS.Signals | undefined;
	readonly stopped: StopReason | undefined;
	readonly background: readonly number[];
	readonly group: number | undefined;
	readonly durationMs: number;
}

/** Time for the system to report that a killed process is gone. */
const EXIT_TIMEOUT_MS = 100;

export interface RunOptions {
	readonly invocation: Invocation;
	readonly directory: string;
	readonly environment: Readonly<Record<string, string>>;
	readonly platform: NodeJS.Platform;
	readonly channel: OutputChannel;
	readonly output: KeptOutput;
	readonly limits: Limits;
	/** The abort reason is a {@link StopReason}. */
	readonly signal: AbortSignal;
	readonly onStart: (pid: number) => void;
	readonly members: () => Promise<readonly Process[]>;
	readonly end: () => Promise<void>;
	readonly now: () => number;
}

/** Does not wait for processes that the program leaves in the background. @throws BrokerError `command_not_started` */
export async function runCommand(options: RunOptions): Promise<CommandOutcome> {
	const { channel, output, limits, signal, now } = options;
	const since = now();
	const child = start(options);
	const ended = new Promise<{ exitCode: number | undefined; signal: NodeJS.Signals | undefined }>((resolve) => {
		child.once('exit', (code, by) => resolve({ exitCode: code ?? undefined, signal: by ?? undefined }));
	});
	const failed = new Promise<never>((_, reject) => child.once('error', (error) => reject(notStarted(error))));
	if (child.pid === undefined) return await failed;
	failed.catch(() => {});

	let stop = (_reason: StopReason) => {};
	const stopping = new Promise<StopReason>((resolve) => {
		stop = resolve;
	});
	const idle = setTimeout(() => stop('idle'), limits.idle);
	const total = setTimeout(() => stop('timeout'), limits.total);
	const onAbort = () => stop(signal.reason as StopReason);
	signal.addEventListener('abort', onAbort);
	if (signal.aborted) onAbort();
	channel.attach(child, (chunk) => {
		idle.refresh();
		output.push(chunk);
	});
	try {
		options.onStart(child.pid);
		const first = await Promise.race([ended, stopping]);
		const stopped = typeof first === 'string' ? first : undefined;
		if (stopped !== undefined) await options.end();
		const end = await Promise.race([ended, delay(EXIT_TIMEOUT_MS, undefined)]);
		await channel.drain();
		const members = stopped === undefined ? await options.members() : [];
		return {
			exitCode: end?.exitCode,
			signal: end?.signal,
			stopped,
			background: members.map(({ pid }) => pid),
			group: child.pid,
			durationMs: Math.round(now() - since),
		};
	} finally {
		clearTimeout(idle);
		clearTimeout(total);
		signal.removeEventListener('abort', onAbort);
	}
}

function start({ invocation, directory, environment, platform, channel }: RunOptions): ChildProcess {
	try {
		return spawn(invocation.program, invocation.args, {
			cwd: directory,
			env: { ...environment },
			stdio: channel.stdio,
			// A session of its own: it has no terminal to prompt at, and its process group can be ended as a whole.
			detached: platform !== 'win32',
			windowsHide: true,
		});
	} catch (error) {
		throw notStarted(error);
	}
}

const REASONS: Readonly<Record<string, string>> = {
	E2BIG: 'It is too long: the system allows at most 128 KiB.',
	ENAMETOOLONG: 'It is too long. On Windows, the limit is about 32,000 characters.',
	ENOENT: 'A program that it needs was not found.',
	NO_TEMPORARY_FILE: 'The folder for temporary files (TMPDIR) does not exist, or no file can be created in it.',
	EAGAIN: 'Too many processes are running.',
	EMFILE: 'Too many files are open.',
	ENOMEM: 'There is not enough memory.',
};

export function notStarted(cause: unknown): BrokerError {
	const { code = '' } = cause as NodeJS.ErrnoException;
	const detail = Object.hasOwn(REASONS, code) ? REASONS[code] : `Reason: ${code === '' ? 'unknown' : code}.`;
	return new BrokerError('command_not_started', { detail, cause });
}

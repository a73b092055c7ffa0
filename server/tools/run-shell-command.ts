import { promises as fs } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { ContextMap } from '../context-map/context-map.ts';
import { type MapContent, withoutMap } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import { lazy } from '../memoize.ts';
import { permitCommand } from '../policy/proxied-calls.ts';
import type { State } from '../policy/state.ts';
import { errorOf, progressOf, textOf } from '../shell/report.ts';
import type { Shell } from '../shell/shell.ts';
import { defineTool, type Tool } from './tool.ts';

export interface RunShellCommandOptions {
	readonly map: Pick<ContextMap, 'read'>;
	readonly state: State;
	readonly shell: Pick<Shell, 'run'>;
	/** The folder that `dir_path` is relative to; absolute. */
	readonly project: string;
}

const withoutNul = (what: string) =>
	z.string().check(z.refine((text) => !text.includes('\0'), `${what} contains a NUL character`));

const output = lazy(() =>
	z.strictObject({
		command: z.string(),
		directory: z.string(),
		output: z.string().check(z.describe('Standard output and standard error, in the order in which they came.')),
		error: z.nullable(z.string()).check(z.describe('Why the command was stopped early.')),
		exit_code: z.nullable(z.int()),
		signal: z.nullable(z.string()),
		background_pids: z.array(z.int()),
		process_group: z.nullable(z.int()),
		duration_ms: z.int(),
		output_bytes: z.int().check(z.describe('The size before cleaning and shortening.')),
		truncated: z.boolean(),
		timed_out: z.boolean(),
		cancelled: z.boolean(),
		network_isolated: z.boolean().check(z.describe('Whether it ran without a network.')),
	}),
);

const input = lazy(() =>
	z.strictObject({
		command: withoutNul('the command').check(z.describe('The command, exactly as bash should get it.')),
		description: z.optional(z.string().check(z.describe('What the command does, in a few words for the user.'))),
		dir_path: z.optional(
			withoutNul('the path').check(
				z.describe('The folder to run it in, relative to the project; by default the project.'),
			),
		),
	}),
);

/** `run_shell_command`: a shell for agents that have none. */
export function runShellCommand({ map, state, shell, project }: RunShellCommandOptions): Tool {
	return defineTool({
		name: 'run_shell_command',
		listing: {
			title: 'Run a shell command',
			description: [
				'Runs a command with `bash -c` (PowerShell on Windows), in the project or in dir_path. Returns standard output and standard error as they came, the exit code, the signal, and the ids of processes that continue in the background.',
				'There is no terminal and no input. Pagers and colours are off, and CONTEXT_BROKER=1 is set.',
				'A process started in the background with & does not delay the answer; it ends with the session.',
				'A command that prints nothing for a long time, or runs very long, is stopped; its output so far is returned.',
				'Once the session holds private context, commands run without a network, and CONTEXT_BROKER_NETWORK=none is set.',
			].join(' '),
			annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
			output,
		},
		input,
		answersCancelled: true,
		handle: async ({ command, dir_path = '' }, call) => {
			if (command.trim() === '') throw new BrokerError('invalid_arguments', { detail: 'The command is empty.' });
			const directory = resolve(project, dir_path);
			await requireFolder(directory);
			const { limits } = await readMap(map);
			await permitCommand(call, command, directory, state);
			const result = await shell.run({
				command,
				directory,
				limits,
				signal: call.signal,
				isPrivate: () => state.session.isPrivate,
				onProgress: call.progress && ((progress) => call.progress?.(progressOf(progress))),
			});
			const { exitCode, signal, background, group, stopped } = result;
			const structured: z.infer<ReturnType<typeof output>> = {
				command,
				directory,
				output: result.output,
				error: errorOf(result, limits) ?? null,
				exit_code: exitCode ?? null,
				signal: signal ?? null,
				background_pids: [...background],
				process_group: group ?? null,
				duration_ms: result.durationMs,
				output_bytes: result.bytes,
				truncated: result.isTruncated,
				timed_out: stopped === 'idle' || stopped === 'timeout',
				cancelled: stopped === 'cancelled' || stopped === 'closing',
				network_isolated: result.isNetworkIsolated,
			};
			return { text: textOf(result, limits), structured };
		},
	});
}

/** A command needs no map. But a map that cannot be read may protect files, so that is an error. */
async function readMap(map: Pick<ContextMap, 'read'>): Promise<MapContent> {
	try {
		return await map.read();
	} catch (error) {
		if (error instanceof BrokerError && error.code === 'config_missing') return withoutMap();
		throw error;
	}
}

async function requireFolder(directory: string): Promise<void> {
	const stats = await fs.stat(directory).catch(() => undefined);
	if (stats?.isDirectory() === true) return;
	const detail = 'dir_path is not an existing folder. It is relative to the project.';
	throw new BrokerError('invalid_arguments', { detail });
}

import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import type { ContextMap } from '../context-map/context-map.ts';
import type { MapContent } from '../context-map/parse.ts';
import type { ExposableTool } from '../exposure/policy.ts';
import { gitProgram } from '../processes/git-program.ts';
import { absoluteFolders, windowsCommand } from '../processes/system-program.ts';
import type { Warn } from '../upstreams/create-upstreams.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';

export interface CommandOutput {
	readonly status: number;
	readonly text: string;
}

export interface DoctorContext {
	readonly version: string;
	/** Node.js's version, without the `v`. */
	readonly node: string;
	readonly platform: NodeJS.Platform;
	readonly environment: NodeJS.ProcessEnv;
	readonly home: string;
	/** The working folder. */
	readonly project: string;
	/** The folder of an administrator's settings for Claude Code. By default the system's. */
	readonly managed?: string;
	/** The file in which Ubuntu's kernel says whether user namespaces are restricted. By default the system's. */
	readonly namespaceRestriction?: string;
	/** The data folder of Claude Code's plugin; without one, the broker's own. */
	readonly data: string;
	readonly map: ContextMap;
	/** The env file's path. @throws EnvFileError */
	readonly envFile: () => string;
	/** The broker's own tools that can be shown. */
	readonly tools: readonly ExposableTool[];
	/** Runs a program. @returns undefined if the program does not exist or does not end in time */
	readonly run: (program: string, args: readonly string[]) => Promise<CommandOutput | undefined>;
	/** Verifies that commands can run without a network. @throws BrokerError */
	readonly isolate: () => Promise<unknown>;
	readonly connect: (content: MapContent, warn: Warn) => Promise<Upstreams>;
}

const RUN_TIMEOUT_MS = 20_000;

export async function runProgram(
	program: string,
	args: readonly string[],
	folder: string,
	{ platform, env }: Pick<NodeJS.Process, 'platform' | 'env'> = process,
): Promise<CommandOutput | undefined> {
	const command =
		platform === 'win32' ? windowsCommand(program, args, env) : await unixCommand(program, args, platform, env);
	if (command === undefined) return undefined;
	const options = { ...command, cwd: folder, timeout: RUN_TIMEOUT_MS, windowsHide: true };
	return await new Promise((resolve) => {
		execFile(command.file, command.args, options, (error, text) => {
			const status = error === null ? 0 : error.code;
			resolve(typeof status === 'number' ? { status, text } : undefined);
		});
	});
}

async function unixCommand(
	program: string,
	args: readonly string[],
	platform: NodeJS.Platform,
	env: NodeJS.ProcessEnv,
) {
	const file = program === 'git' ? await gitProgram(env.PATH, platform) : program;
	// If no folder is left, the system's own list counts: an empty PATH would be the working folder.
	const safe = { ...env, PATH: absoluteFolders(env.PATH).join(delimiter) || undefined };
	return file === undefined ? undefined : { file, args, env: safe };
}

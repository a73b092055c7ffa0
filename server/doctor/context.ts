import { execFile } from 'node:child_process';
import type { ContextMap } from '../context-map/context-map.ts';
import type { MapContent } from '../context-map/parse.ts';
import type { ExposableTool } from '../exposure/policy.ts';
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

/** Scripts on Windows, which need a shell. Only they get one, because a shell interprets special characters in paths. */
const SCRIPTS = ['npm', 'claude'];

export async function runProgram(
	program: string,
	args: readonly string[],
	folder: string,
): Promise<CommandOutput | undefined> {
	const shell = process.platform === 'win32' && SCRIPTS.includes(program);
	const options = { cwd: folder, timeout: RUN_TIMEOUT_MS, windowsHide: true, shell };
	return await new Promise((resolve) => {
		execFile(program, args, options, (error, text) => {
			const status = error === null ? 0 : error.code;
			resolve(typeof status === 'number' ? { status, text } : undefined);
		});
	});
}

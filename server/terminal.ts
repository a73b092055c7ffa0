import { setTimeout as delay } from 'node:timers/promises';
import manifest from '../package.json' with { type: 'json' };
import { runCommandLine } from './command-line/run.ts';
import type { KnownTools } from './command-line/state.ts';
import type { Style } from './command-line/style.ts';
import type { ContextMap } from './context-map/context-map.ts';
import type { ServerConfig } from './context-map/servers.ts';
import { examine } from './doctor/doctor.ts';
import { exitStatusOf, findingLines, findingsJson } from './doctor/report.ts';
import { runProgram } from './doctor/run-program.ts';
import type { ExposableTool } from './exposure/policy.ts';
import { stateFolder } from './session-state/state-folder.ts';
import type { Warn } from './upstreams/create-upstreams.ts';
import type { Upstreams } from './upstreams/upstreams.ts';

/** Milliseconds that a list of tools waits for servers that are on their way. */
const PATIENCE = 10_000;

export interface TerminalOptions {
	/** The program's own data folder. */
	readonly data: string;
	readonly home: string;
	/** The working folder. */
	readonly project: string;
	readonly map: ContextMap;
	/** The path of the env file. @throws EnvFileError */
	readonly envFile: () => string;
	/** The broker's own tools that can be shown. */
	readonly own: readonly ExposableTool[];
	/** Connects to the servers of the map; what is wrong with it is told. */
	readonly startUpstreams: () => Promise<Upstreams>;
	/** The same for the given ones. */
	readonly connect: (servers: readonly ServerConfig[], warn: Warn) => Promise<Upstreams>;
	/** @throws BrokerError */
	readonly isolate: () => Promise<unknown>;
}

/**
 * What a person has typed behind `context-broker`.
 *
 * @returns the exit status
 */
export async function runInTerminal(args: readonly string[], options: TerminalOptions): Promise<number> {
	const { data, home, envFile } = options;
	const { env: environment, stdout, stderr } = process;
	const folder = stateFolder(data, environment, home);
	let isWritten = true;
	stdout.on('error', ({ code, name }: NodeJS.ErrnoException) => {
		// Who reads it has seen enough, as head(1) has.
		if (code === 'EPIPE') return;
		if (isWritten) stderr.write(`context-broker: The output can not be written: ${code ?? name}.\n`);
		isWritten = false;
	});
	// Nobody is left to be told.
	stderr.on('error', () => {});
	const status = await runCommandLine(args, {
		tools: async () => await knownTools(options),
		examine: async (isForProgram, style) => await findings(isForProgram, style, folder, options),
		envFile,
		environment,
		version: manifest.version,
		stdout,
		stderr,
	});
	await new Promise((resolve) => stdout.write('', resolve));
	return isWritten ? status : Math.max(status, 1);
}

async function knownTools({ own, startUpstreams }: TerminalOptions): Promise<KnownTools> {
	const upstreams = await startUpstreams();
	await Promise.race([upstreams.started(), delay(PATIENCE, undefined, { ref: false })]);
	const known = { tools: [...own, ...upstreams.exposable(false)], expected: upstreams.expected() };
	await upstreams.close();
	return known;
}

async function findings(isForProgram: boolean, style: Style, data: string, options: TerminalOptions) {
	const { version } = manifest;
	const { platform, env: environment, versions } = process;
	const { map, home, project, envFile, own: tools, isolate, connect } = options;
	const found = await examine({
		...{ version, node: versions.node, platform, environment, home, project, data, map, envFile, tools, isolate },
		run: async (program, args) => await runProgram(program, args, project),
		connect: async ({ servers }, warn) => await connect(servers, warn),
	});
	const text = isForProgram ? findingsJson(found, version) : findingLines(found, version, style);
	return { text, status: exitStatusOf(found) };
}

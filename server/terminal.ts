import { setTimeout as delay } from 'node:timers/promises';
import { type Base, connect, connectAll, createBase } from './base.ts';
import type { KnownTools } from './cli/report.ts';
import { runCommandLine } from './cli/run.ts';
import type { Style } from './cli/style.ts';
import { runProgram } from './doctor/context.ts';
import { examine } from './doctor/doctor.ts';
import { exitStatusOf, findingLines, findingsJson } from './doctor/finding.ts';
import { stateFolder } from './record/state-folder.ts';
import { warn } from './standard-error.ts';
import { OWN_TOOLS } from './tools/own-tools.ts';

/** Milliseconds that a list of tools waits for servers that are on their way. */
const PATIENCE = 10_000;

/**
 * What a person has typed behind `context-broker`.
 *
 * @param data the program's own data folder
 * @returns the exit status
 */
export async function runInTerminal(args: readonly string[], data: string): Promise<number> {
	const base = createBase();
	const { env: environment, stdout, stderr } = process;
	const folder = stateFolder(data, environment, base.home);
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
		tools: async () => await knownTools(base),
		examine: async (isForProgram, style) => await findings(isForProgram, style, folder, base),
		envFile: base.envFile,
		environment,
		version: base.version,
		stdout,
		stderr,
	});
	await new Promise((resolve) => stdout.write('', resolve));
	return isWritten ? status : Math.max(status, 1);
}

async function knownTools(base: Base): Promise<KnownTools> {
	const upstreams = await connectAll(base, { ...NO_SESSION, warn });
	await Promise.race([upstreams.started(), delay(PATIENCE, undefined, { ref: false })]);
	const known = { tools: [...OWN_TOOLS, ...upstreams.exposable(false)], expected: upstreams.expected() };
	await upstreams.close();
	return known;
}

async function findings(isForProgram: boolean, style: Style, data: string, base: Base) {
	const { version, map, home, project, envFile, programs } = base;
	const { platform, env: environment, versions } = process;
	const found = await examine({
		...{ version, node: versions.node, platform, environment, home, project, data, map, envFile, tools: OWN_TOOLS },
		isolate: async () => await (await programs()).isolation.prepare(),
		run: async (program, args) => await runProgram(program, args, project),
		connect: async ({ servers }, told) => await connect(servers, base, { ...NO_SESSION, warn: told }),
	});
	const text = isForProgram ? findingsJson(found, version) : findingLines(found, version, style);
	return { text, status: exitStatusOf(found) };
}

/** A person in a terminal has no session that could hold private data, and asks for tools once. */
const NO_SESSION = { isPrivate: () => false, onTools: () => {} };

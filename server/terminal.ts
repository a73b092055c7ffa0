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
import { OWN_TOOLS } from './tools/tool.ts';

/** For servers to list their tools. */
const LISTING_TIMEOUT_MS = 10_000;

/** The command line. @param data the program's data folder @returns the exit status */
export async function runInTerminal(args: readonly string[], data: string): Promise<number> {
	const base = createBase();
	const { env: environment, stdout, stderr } = process;
	const folder = stateFolder(data, environment, base.home);
	let isWritten = true;
	stdout.on('error', ({ code, name }: NodeJS.ErrnoException) => {
		if (code === 'EPIPE') return; // The reader has seen enough, as head(1) has.
		if (isWritten) stderr.write(`context-broker: The output can not be written: ${code ?? name}.\n`);
		isWritten = false;
	});
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
	await Promise.race([upstreams.started(), delay(LISTING_TIMEOUT_MS, undefined, { ref: false })]);
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
		connect: async ({ servers }, warn) => await connect(servers, base, { ...NO_SESSION, warn }),
	});
	const text = isForProgram ? findingsJson(found, version) : findingLines(found, version, style);
	return { text, status: exitStatusOf(found) };
}

const NO_SESSION = { isPrivate: () => false, onTools: () => {} };

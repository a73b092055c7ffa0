import { promises as fs } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Base, connect, connectAll, createBase, searchThread } from './base.ts';
import { agentsIn } from './claude-code/prompt-files.ts';
import type { KnownTools } from './cli/report.ts';
import { runCommandLine } from './cli/run.ts';
import type { ScanRequest } from './cli/scan.ts';
import type { Style } from './cli/style.ts';
import { keysIn } from './doctor/agents.ts';
import { runProgram } from './doctor/context.ts';
import { examine } from './doctor/doctor.ts';
import { exitStatusOf, findingLines, findingsJson } from './doctor/finding.ts';
import { BrokerError } from './errors.ts';
import { readMarkdown } from './files/read-markdown.ts';
import { entryFor } from './policy/entitlement.ts';
import { stateFolder } from './record/state-folder.ts';
import { find } from './search/find.ts';
import type { Findings } from './search/findings.ts';
import { isWithin } from './search/scope.ts';
import { warn } from './standard-error.ts';
import { OWN_TOOLS } from './tools/tool.ts';

/** Time for the map's servers to list their tools. */
const LISTING_TIMEOUT_MS = 10_000;

/** Runs the command line. @param data the program's data folder @returns the exit status */
export async function runInTerminal(args: readonly string[], data: string): Promise<number> {
	const base = createBase();
	const { env: environment, stdout, stderr } = process;
	const folder = stateFolder(data, environment, base.home);
	let isWritten = true;
	stdout.on('error', ({ code, name }: NodeJS.ErrnoException) => {
		if (code === 'EPIPE') return; // The reader has closed the pipe, as `head` does.
		if (isWritten) stderr.write(`context-broker: The output cannot be written: ${code ?? name}.\n`);
		isWritten = false;
	});
	stderr.on('error', () => {});
	const status = await runCommandLine(args, {
		tools: async () => await knownTools(base),
		examine: async (isForProgram, style) => await findings(isForProgram, style, folder, base),
		scan: async (request) => await scan(request, base),
		envFile: base.envFile,
		environment,
		version: base.version,
		stdout,
		stderr,
	});
	await new Promise((resolve) => stdout.write('', resolve));
	// A scan exits with 1 if it found something, so a failed write needs 2.
	return isWritten ? status : Math.max(status, args[0] === 'scan' ? 2 : 1);
}

async function knownTools(base: Base): Promise<KnownTools> {
	const upstreams = await connectAll(base, { ...NO_SESSION, warn });
	await Promise.race([upstreams.started(), delay(LISTING_TIMEOUT_MS, undefined, { ref: false })]);
	const known = { tools: [...OWN_TOOLS, ...upstreams.exposable(false)], expected: upstreams.expected() };
	await upstreams.close();
	return known;
}

/** @throws BrokerError */
async function scan({ path, key, ...request }: ScanRequest, { map, readFile }: Base): Promise<Findings> {
	const { entries, faults } = await map.read();
	const entry = entryFor(undefined, key ?? (await scannerKey()), { entries, faults });
	if (entry instanceof BrokerError) throw entry;
	const file = map.resolve(entry);
	const text = await readMarkdown(file, readFile);
	const target = resolve(path);
	const isFolder = await fs.stat(target).then(
		(stats) => stats.isDirectory(),
		() => false,
	);
	const isBelow = isWithin(target, process.cwd());
	const project = isBelow ? process.cwd() : isFolder ? target : dirname(target);
	const { signal } = new AbortController();
	return await find({ ...request, project, path: target, cwd: '', file, text, signal }, searchThread());
}

/** The key in the instructions of the bundled privacy scanner. */
async function scannerKey(): Promise<string> {
	const root = dirname(dirname(await fs.realpath(process.argv[1] ?? '')));
	const [agent] = (await agentsIn(root)).filter(({ body }) => keysIn(body).length > 0);
	return keysIn(agent?.body ?? '')[0] ?? '';
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

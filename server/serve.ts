import { EventEmitter } from 'node:events';
import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Base, CLEAN_TRACES, connectAll, createBase, searchThread } from './base.ts';
import { retryIfBusy } from './bootstrap/retry.mjs';
import { type ClientInfo, listingDeadlineMs } from './claude-code/client.ts';
import { taskFolders } from './claude-code/session-files.ts';
import { ContextMap } from './context-map/context-map.ts';
import { locateContextMap } from './context-map/locate.ts';
import { findMap } from './context-map/map-elsewhere.ts';

import { withoutMap } from './context-map/parse.ts';
import { readEnvFile, watchEnvFile } from './env-file/env-file.ts';

import { parseEnvFile } from './env-file/parse.ts';
import { BrokerError } from './errors.ts';
import { ExposureGate, followExposure } from './exposure/gate.ts';
import { readMarkdown } from './files/read-markdown.ts';
import { whenOver } from './lifetime.ts';
import type { Start } from './main.ts';
import { lazyAsync, memoizeLast } from './memoize.ts';
import { shellHomes } from './paths/spellings.ts';
import { noteFailed, noteRelayed, permitRelay } from './policy/proxied-calls.ts';
import { createState } from './policy/state.ts';
import { createServer, type RelayedCall } from './protocol/create-server.ts';
import type { McpServer } from './protocol/mcp-server.ts';
import { StdioTransport } from './protocol/stdio-transport.ts';
import { Journal } from './record/journal.ts';
import type { LastSession } from './record/last-session.ts';
import { Session } from './record/session.ts';
import type { Shell } from './shell/shell.ts';
import { print, report, reportThrown, warn } from './standard-error.ts';
import { findContext } from './tools/find-context.ts';
import { guardTool } from './tools/guard.ts';
import { loadContext } from './tools/load-context.ts';
import { runShellCommand } from './tools/run-shell-command.ts';
import { OWN_TOOLS, onFirstCall } from './tools/tool.ts';
import { isRunning } from './traces/is-running.ts';
import { startCleaning, TraceCleaner } from './traces/trace-cleaner.ts';

import { OfferedTools, UpstreamRelay } from './upstreams/relay.ts';

/** Background work waits this long, so that it does not delay an answer. */
const BACKGROUND_DELAY_MS = 100;

/** Time from the first load until V8's compiled code is saved. By then the code of a usual session has run. */
const COMPILE_CACHE_DELAY_MS = 1_000;

/** Time to answer open requests after the input has ended. */
const SHUTDOWN_TIMEOUT_MS = 1_500;

/** Only older versions wrote these into the data folder. They are removed. */
const OBSOLETE_DATA = ['receipts', 'decisions'];

/** Creates the broker's parts, and serves until the client is gone. Ends the process. */
export async function serve({ parent, data, saveCompileCache }: Start): Promise<void> {
	const base = createBase();
	const { map, home, project, readFile, system, envFile, programs, now } = base;
	const environment = process.env;
	const transport = new StdioTransport(process.stdin, process.stdout);
	const journal = new Journal(data, Date.now, report, parent);
	const session = new Session(journal, report);
	const lastSession = lazyAsync(async () => {
		const { LastSession } = await import('./record/last-session.ts');
		return new LastSession(data, Date.now);
	});
	const isPrivate = () => session.isPrivate;

	const tools = new EventEmitter<{ changed: [] }>();
	const upstreams = connectAll(base, { isPrivate, onTools: () => tools.emit('changed'), warn });
	const offered = new OfferedTools(upstreams, isPrivate);
	const variablesOf = memoizeLast(parseEnvFile);
	const gate = new ExposureGate({
		environment,
		readVariables: async () => variablesOf(await readEnvFile(envFile(), readFile)),
		tools: () => [...OWN_TOOLS, ...offered.exposable()],
		expected: () => offered.expected(),
		warn,
	});
	const traces = new TraceCleaner(
		() => startCleaning([process.execPath, process.argv[1] ?? '', CLEAN_TRACES, String(parent)]),
		async () => ({
			where: {
				taskFolders: taskFolders(environment, tmpdir(), process.getuid?.()),
				except: [data, map.file, ...(await privatePaths(map))],
				known: [home, project],
			},
		}),
		Date.now,
	);
	const state = createState({
		map,
		findMapElsewhere: async () => await findMap(await otherMaps(base, await lastSession())),
		isShown: async (tool) => (await gate.shown()).has(tool),
		readMarkdown: async (path) => await readMarkdown(path, readFile),
		...{ journal, session, traces, environment, defer, now, report },
		files: {
			...{ home, environment, platform: process.platform, system, now },
			shellHomes: shellHomes(environment, home, process.platform),
			taskFolders: taskFolders(environment, tmpdir(), process.getuid?.()),
		},
		toolIsolation: {
			originOf: (name) => offered.originOf(name),
			clock: Date.now,
			createSuffix: () => crypto.randomUUID().slice(0, 6),
			warn,
		},
		onKeyOnly: () => print(KEY_ONLY),
	});
	const relay = new UpstreamRelay<RelayedCall>(offered, {
		refresh: async () => await session.refresh(),
		permit: async (call, tool, input, origin) => await permitRelay(call, { name: tool, origin }, input, project, state),
		noteFailed: (call) => noteFailed(call, state),
		notePrivate: async (call, given) => await noteRelayed(call, given, state),
	});
	let isOver = false;
	const shell: Pick<Shell, 'run'> = {
		run: async (command) => {
			const begun = await programs();
			// The last call can arrive together with the end of the input.
			if (isOver) await begun.shell.close();
			return await begun.shell.run(command);
		},
	};
	/** Only `doctor` reads this, so a failed write is not reported. */
	const noteSession = (client: ClientInfo | undefined, note: (last: LastSession, version: string) => Promise<void>) => {
		if (client === undefined || state.client.identify(client) === 'key_only') return;
		defer(
			() =>
				void lastSession()
					.then(async (last) => await note(last, client.version))
					.catch(() => {}),
		);
	};
	const server: McpServer = createServer({
		tools: [
			onFirstCall(loadContext(map, state, readFile), () =>
				setTimeout(saveCompileCache, COMPILE_CACHE_DELAY_MS).unref(),
			),
			findContext({
				...{ map, state, readFile, project },
				find: async (request) => await (await import('./search/find.ts')).find(request, searchThread()),
			}),
			runShellCommand({ map, state, shell, project }),
			onFirstCall(guardTool(state), ({ client }) =>
				noteSession(client, async (last, version) => await last.asked(version)),
			),
		],
		relay,
		listingDeadlineMs,
		shown: () => gate.shown(),
		version: base.version,
		report,
		onClient: (client) => {
			state.client.identify(client);
			noteSession(client, async (last, version) => await last.connected(version, await stateOf(map)));
			tools.removeAllListeners().on('changed', () => void server.notifyToolsChanged().catch(reportThrown));
		},
	});

	const over = whenOver({
		...{ input: process.stdin, output: process.stdout, parent },
		currentParent: () => process.ppid,
		onSignal,
	});
	void session.track(environment.CLAUDE_CODE_SESSION_ID ?? '');
	await server.connect(transport);
	const following = followExposure(gate, watchEnvFile(envFile, defer), () => {
		server.notifyToolsChanged().catch(reportThrown);
	});
	let housekeeping: Promise<unknown> = Promise.all([warnOfDisabledProtections(map), following]).catch(reportThrown);
	defer(() => {
		const left = OBSOLETE_DATA.map((name) =>
			retryIfBusy(() => fs.rm(join(data, name), { recursive: true, force: true })),
		);
		const cleaned = cleanUp(journal, traces, base, parent);
		housekeeping = Promise.all([journal.compact(), cleaned, ...left, housekeeping]).catch(reportThrown);
	});
	const inOrder = await over;
	isOver = true;
	if (inOrder) {
		const settled = Promise.all([programs.begun?.then((begun) => begun.shell.close()), offered.close()]).then(() =>
			transport.settled(),
		);
		// After the housekeeping, which may still hand over traces of earlier sessions.
		const cleaned = housekeeping.then(async () => await traces.end());
		await Promise.race([Promise.all([settled, cleaned]), delay(SHUTDOWN_TIMEOUT_MS)]);
	}
	process.exit(0);
}

/** Runs work a little later, so that it does not delay an answer. */
function defer(work: () => void): void {
	setTimeout(work, BACKGROUND_DELAY_MS).unref();
}

function onSignal(listener: () => void): void {
	for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, listener);
}

/** Other places for a map: the default without `$XDG_CONFIG_HOME`, and the place where a session last found one. */
async function otherMaps({ home, map, readFile }: Base, last: LastSession): Promise<ContextMap[]> {
	const files = [locateContextMap(undefined, home), (await last.read())?.found];
	const others = files.filter((file): file is string => file !== undefined && file !== map.file);
	return others.map((file) => new ContextMap(file, home, process.env, readFile));
}

/** The map's path, and an error code if it cannot be read or has faults. */
async function stateOf(map: ContextMap): Promise<{ file: string; error?: string }> {
	const { file } = map;
	try {
		return (await map.read()).faults.length === 0 ? { file } : { file, error: 'config_invalid' };
	} catch (error) {
		return { file, error: BrokerError.from(error).code };
	}
}

/** Warns of protections that the map switches off. Errors of the map are reported when it is used. */
async function warnOfDisabledProtections(map: ContextMap): Promise<void> {
	const { off } = await map.read().catch(() => ({ off: [] }));
	if (off.length > 0) warn(`Switched off in [guard] of the map: ${off.join(', ')}.`);
}

/** The paths of the map's private files; none if the map cannot be read. */
async function privatePaths(map: ContextMap): Promise<string[]> {
	const { entries } = await map.read().catch(withoutMap);
	return [...entries.values()].map((entry) => map.resolve(entry));
}

/** Starts cleaning for sessions that are over, and for this client if an earlier broker of it was killed. */
async function cleanUp(journal: Journal, traces: TraceCleaner, { map, readFile }: Base, parent: number): Promise<void> {
	const { off } = await map.read().catch(withoutMap);
	const loads = await journal.loads();
	// In a container all clients can have the same process id. Traces of an earlier one are then cleaned with ours.
	const ours = loads.filter(({ client }) => client === parent);
	const over = loads.filter(({ client }) => client === undefined || !isRunning(client));
	if (ours.length + over.length === 0 || off.includes('traces')) return;
	const paths = await privatePaths(map);
	const read = await Promise.all(paths.map(async (path) => await readMarkdown(path, readFile).catch(() => undefined)));
	const texts = read.filter((text) => text !== undefined);
	traces.cleanUp(over, texts, true);
	traces.cleanUp(ours, texts, false);
}

const KEY_ONLY =
	'context-broker: This MCP client is not Claude Code, so the broker does not know which agent is calling. Anyone who knows a key gets its content.\n';

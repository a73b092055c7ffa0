import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { xdgConfig } from 'xdg-basedir';
import manifest from '../package.json' with { type: 'json' };
import { ContextMap } from './context-map/context-map.ts';
import { locateContextMap } from './context-map/locate.ts';
import { findMap } from './context-map/map-elsewhere.ts';
import { configInvalid } from './context-map/map-fault.ts';
import { withoutMap } from './context-map/parse.ts';
import type { ServerConfig } from './context-map/servers.ts';
import { Decisions } from './decision-log/decisions.ts';
import { locateEnvFile } from './env-file/locate.ts';
import { parseEnvFile } from './env-file/parse.ts';
import { readEnvFile } from './env-file/read.ts';
import { watchEnvFile } from './env-file/watch.ts';
import { BrokerError } from './errors.ts';
import { followExposure } from './exposure/follow.ts';
import { ExposureGate } from './exposure/gate.ts';
import { readMarkdown } from './files/read-markdown.ts';
import type { ReadFile } from './files/read-stable.ts';
import { remembering } from './files/remembering.ts';
import { listingPatience } from './guard/client.ts';
import { Guard } from './guard/guard.ts';
import { taskFolders } from './guard/protected-files.ts';
import { once, rememberingLast } from './lazily.ts';
import { whenInterrupted, whenOver } from './lifetime.ts';
import { FileSystem } from './protection/file-system.ts';
import { createServer, type RelayedCall } from './protocol/create-server.ts';
import type { McpServer } from './protocol/mcp-server.ts';
import { StdioTransport } from './protocol/stdio-transport.ts';
import { LoadRecords } from './session-state/load-records.ts';
import { PrivateSessions } from './session-state/private-sessions.ts';
import { Receipts } from './session-state/receipts.ts';
import type { Shell } from './shell/shell.ts';
import { guardTool } from './tools/guard.ts';
import { loadContext } from './tools/load-context.ts';
import { runShellCommand } from './tools/run-shell-command.ts';
import { afterwards, exposable } from './tools/tool.ts';
import type { Warn } from './upstreams/create-upstreams.ts';
import { UpstreamRelay } from './upstreams/relay.ts';
import { Upstreams } from './upstreams/upstreams.ts';

/** Milliseconds after which nobody is likely to wait for the broker. */
const LATER = 100;

/** Milliseconds after the first load until what V8 has compiled is kept: what a session uses was used by then. */
const CODE_KEPT = 1_000;

/** Milliseconds that answers under way get after the input has ended. */
const FAREWELL = 1_500;

/** How many faults of the map are reported: to find a place in a large map takes time. */
const MOST_FAULTS = 5;

interface Start {
	readonly parent: number;
	readonly data: string;
	readonly keepCode: () => void;
}

/**
 * The broker on standard input and output, until its client is gone; or, with arguments, the command line. Called by the
 * bootstrap.
 *
 * @param start.parent the process id of the parent when this process started
 * @param start.data the data folder
 * @param start.keepCode keeps what V8 has compiled by now for later starts
 */
export async function main({ parent, data, keepCode }: Start): Promise<void> {
	process.on('uncaughtException', (error) => {
		report({ code: 'internal_error', message: error.name });
		process.exit(1);
	});

	const now = () => performance.now();
	const args = process.argv.slice(2);
	if (args[0] === WATCH_COMMANDS) return await (await import('./programs.ts')).watch(process, now);
	const home = homedir();
	const system = new FileSystem(process.platform, now);
	const remembered = remembering();
	const readFile: ReadFile = async (path, options) => {
		// Reading holds up the process.
		await system.answers(path);
		return await remembered(path, options);
	};
	const map = new ContextMap(locateContextMap(xdgConfig, home), home, process.env, readFile);
	const transport = new StdioTransport(process.stdin, process.stdout);
	const records = new LoadRecords(join(data, 'private-agents'), Date.now, report);
	const receipts = new Receipts(join(data, 'receipts'), Date.now);
	const warn = (sentence: string) => print(`context-broker: ${sentence}\n`);
	const decisions = new Decisions({
		data,
		map,
		session: process.env.CLAUDE_CODE_SESSION_ID ?? '',
		clock: Date.now,
		warn,
	});
	const envFile = () => locateEnvFile(process.env, xdgConfig, home);
	const guard: Guard = new Guard({
		map,
		findMapElsewhere: async () => await findMap(await otherMaps()),
		isShown: async () => (await gate.shown()).has('load_context'),
		readMarkdown: async (path) => await readMarkdown(path, readFile),
		records,
		privateSessions: new PrivateSessions(join(data, 'private-sessions')),
		files: {
			home,
			environment: process.env,
			platform: process.platform,
			system,
			taskFolders: taskFolders(process.env, tmpdir(), process.getuid?.()),
			now,
		},
		toolIsolation: {
			originOf: (name) => relay.originOf(name),
			receipts,
			clock: Date.now,
			number: () => crypto.randomUUID().slice(0, 6),
			warn,
		},
		decisions,
		environment: process.env,
		later,
		now,
		report,
		onKeyOnly: () => print(KEY_ONLY),
	});
	const programs = once(async () => {
		const { createPrograms } = await import('./programs.ts');
		const watching = [process.argv[1] ?? '', WATCH_COMMANDS, String(process.pid)];
		return createPrograms({ process, folder: tmpdir(), watching, now });
	});
	let isOver = false;
	const shell: Pick<Shell, 'run'> = {
		run: async (command) => {
			const begun = await programs();
			// It can come with the end of the input.
			if (isOver) await begun.shell.close();
			return await begun.shell.run(command);
		},
	};
	const project = projectFolder(process.env);
	const load = afterwards(loadContext(map, guard, readFile), () => setTimeout(keepCode, CODE_KEPT).unref());
	const session = once(async () => {
		const { LastSession } = await import('./session-state/last-session.ts');
		return new LastSession(data, Date.now);
	});
	const otherMaps = once(async () => {
		const files = [locateContextMap(undefined, home), (await (await session()).read())?.found];
		const others = files.filter((file) => file !== undefined && file !== map.file) as string[];
		return others.map((file) => new ContextMap(file, home, process.env, readFile));
	});
	const noteSession = (what: 'connected' | 'asked') => {
		const { client } = server;
		if (client === undefined || guard.meet(client) === 'key_only') return;
		const note = async () => {
			const last = await session();
			if (what === 'asked') await last.asked(client.version);
			else await last.connected(client.version, await stateOf(map));
		};
		// For the doctor alone: where it can't be written, that is told when something is that counts.
		later(() => void note().catch(() => {}));
	};
	const answering = afterwards(guardTool(guard), () => noteSession('asked'));
	const tools = [load, runShellCommand({ map, guard, shell, project }), answering];
	let tellOfTools = () => {};
	const startUpstreams = async () => {
		const { servers, faults } = await map.read().catch((error: unknown) => {
			const known = BrokerError.from(error);
			if (known.code !== 'config_missing') report(known);
			return withoutMap();
		});
		for (const fault of faults.slice(0, MOST_FAULTS)) report(configInvalid(fault));
		return await connect(servers, warn);
	};
	const connect = async (servers: readonly ServerConfig[], tell: Warn) => {
		if (servers.length === 0) return new Upstreams([], () => {});
		const upstreams = (await programs()).createUpstreams({
			servers,
			version: manifest.version,
			resolveFolder: (cwd) => (cwd === undefined ? project : map.resolve({ path: cwd, agents: undefined })),
			isPrivate: () => guard.isPrivate,
			onTools: () => tellOfTools(),
			warn: tell,
		});
		upstreams.start();
		return upstreams;
	};
	if (args.length > 0) {
		const { runInTerminal } = await import('./terminal.ts');
		const own = exposable(tools);
		const isolate = async () => await (await programs()).isolation.prepare();
		process.exitCode = await runInTerminal(args, {
			...{ data, home, project, map, envFile, own },
			interruption: () => whenInterrupted({ output: process.stdout, onSignal }),
			startUpstreams,
			connect,
			isolate,
		});
		return;
	}
	const relay: UpstreamRelay<RelayedCall> = new UpstreamRelay<RelayedCall>(
		{
			get isPrivate() {
				return guard.isPrivate;
			},
			lookAgain: async () => await guard.lookAgain(),
			permit: async (call, tool, input, origin) =>
				await guard.passing.permitRelay(call, { name: tool, origin }, input, project),
			noteFailed: (call) => guard.passing.noteFailed(call),
			notePrivate: async (call) => await guard.passing.noteRelayed(call),
		},
		startUpstreams(),
		() => listingPatience(server.client),
	);
	const variablesOf = rememberingLast(parseEnvFile);
	const gate: ExposureGate = new ExposureGate({
		environment: process.env,
		readVariables: async () => variablesOf(await readEnvFile(envFile(), readFile)),
		tools: () => [...exposable(tools), ...relay.exposable()],
		expected: () => relay.expected(),
		warn,
	});
	const server: McpServer = createServer({
		tools,
		relay,
		shown: () => gate.shown(),
		version: manifest.version,
		report,
		onAnswered: (call, error) => decisions.called(call, error),
		onClient: (client) => {
			guard.meet(client);
			noteSession('connected');
			tellOfTools = () => void server.tellToolsChanged().catch(reportThrown);
		},
	});
	const over = whenOver({
		input: process.stdin,
		output: process.stdout,
		parent,
		currentParent: () => process.ppid,
		onSignal,
	});
	await server.connect(transport);
	const following = followExposure(gate, watchEnvFile(envFile, later), () => {
		server.tellToolsChanged().catch(reportThrown);
	});
	let housekeeping: Promise<unknown> = Promise.all([tellWhatIsOff(map), following]).catch(reportThrown);
	later(() => {
		housekeeping = Promise.all([records.removeOld(), receipts.removeOld(), housekeeping]).catch(reportThrown);
	});
	const inOrder = await over;
	isOver = true;
	if (inOrder) {
		const settled = Promise.all([programs.begun?.then((begun) => begun.shell.close()), relay.close()]).then(() =>
			transport.settled(),
		);
		const written = settled.then(() => decisions.settled());
		await Promise.race([Promise.all([written, housekeeping]), delay(FAREWELL)]);
	}
	process.exit(0);
}

/** The argument that makes this program the one that watches over the commands of a broker; its process id follows. */
const WATCH_COMMANDS = 'watch-commands';

/** Absolute. Of a working folder that was removed, the path at which it was: what runs there is refused for that. */
function projectFolder({ CLAUDE_PROJECT_DIR = '', PWD = 'removed' }: NodeJS.ProcessEnv): string {
	try {
		return resolve(CLAUDE_PROJECT_DIR);
	} catch {
		return resolve('/', PWD);
	}
}

/** Does work when nobody is likely to wait for the broker. */
function later(work: () => void): void {
	setTimeout(work, LATER).unref();
}

function onSignal(listener: () => void): void {
	for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, listener);
}

/** Where the map is, and what was wrong with it, if anything. */
async function stateOf(map: ContextMap): Promise<{ file: string; error?: string }> {
	const { file } = map;
	try {
		return (await map.read()).faults.length === 0 ? { file } : { file, error: 'config_invalid' };
	} catch (error) {
		return { file, error: BrokerError.from(error).code };
	}
}

/** Which protections the map switches off. What is wrong with a map is told when it is used. */
async function tellWhatIsOff(map: ContextMap): Promise<void> {
	const { off } = await map.read().catch(() => ({ off: [] }));
	if (off.length > 0) print(`context-broker: Switched off in [guard] of the map: ${off.join(', ')}.\n`);
}

const KEY_ONLY =
	'context-broker: This MCP client is not Claude Code, so nothing tells which agent calls: whoever knows a key gets its content.\n';

function reportThrown(thrown: unknown): void {
	report(BrokerError.from(thrown));
}

/** One line on standard error: no path from the map, no key, no content. */
function report({ code, message, note }: Pick<BrokerError, 'code' | 'message'> & Partial<BrokerError>): void {
	print(`context-broker: ${code}: ${message}${note === undefined ? '' : ` ${note}.`}\n`);
}

/**
 * On standard error. What nobody reads, or what finds the disk full, must not end a broker that somebody waits for. The
 * stream is touched only here, since to make it takes a part of the start.
 */
function print(text: string): void {
	if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
	process.stderr.write(text);
}

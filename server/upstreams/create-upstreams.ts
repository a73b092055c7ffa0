import { stat } from 'node:fs/promises';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { type ToolOrigin, unknownTool, unknownTools } from '../context-map/isolated-tools.ts';
import type { InstanceConfig, ServerConfig, StdioInstance } from '../context-map/server-config.ts';
import { BrokerError } from '../errors.ts';
import type { Invocation } from '../isolation/sandboxes.ts';
import { withoutRepeats } from '../memoize.ts';
import { COMMAND_VARIABLE } from '../processes/process-table.ts';
import type { ProcessTree, ProcessTreeId } from '../processes/process-tree.ts';
import { NotAProgram, programOf } from '../processes/system-program.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { type Connect, Instance } from './instance.ts';
import { httpTransport, serverEnvironment, stdioTransport } from './transport.ts';
import { Upstream } from './upstream.ts';
import { Upstreams } from './upstreams.ts';

export interface CreateUpstreamsOptions {
	readonly servers: readonly ServerConfig[];
	readonly version: string;
	/** The absolute path for a server's `cwd` in the map. */
	readonly resolveFolder: (cwd: string | undefined) => string;
	/** How to run a program without a network. @throws BrokerError `network_isolation_unavailable` */
	readonly isolate: () => Promise<(invocation: Invocation) => Invocation>;
	readonly watchdog: Pick<Watchdog, 'watch' | 'forget'>;
	readonly treeOf: (id: ProcessTreeId) => ProcessTree;
	/** Whether a process has ended: certain in the next turn of the event loop. */
	readonly isGone: (pid: number) => boolean;
	readonly isPrivate: () => boolean;
	readonly onTools: () => void;
	readonly warn: Warn;
}

/** @param sentence for the user @param unreached the same in parts, if an instance cannot be reached */
export type Warn = (sentence: string, unreached?: Unreached) => void;

export interface Unreached {
	readonly server: string;
	/** Which instance, and why: a sentence. */
	readonly reason: string;
	readonly next: string;
	readonly printed: readonly string[];
}

export function createUpstreams(options: CreateUpstreamsOptions): Upstreams {
	const upstreams = options.servers.map((config) => {
		const { name: server, open, isolated, isolation, privateTools } = config;
		const warn = withoutRepeats(options.warn);
		const onTools = () => {
			const names = upstream.tools(options.isPrivate()).map(({ name }) => name);
			for (const sentence of unknownTools(isolation, names)) warn(sentence);
			const unknown = privateTools.filter((name) => !names.includes(name));
			for (const name of unknown) warn(unknownTool(server, 'private_tools', name, names));
			options.onTools();
		};
		const onLeftOut = (tool: string, reason: string) =>
			warn(`[mcp_servers.${server}]: its tool ${JSON.stringify(tool)} is left out: ${reason}.`);
		const shared = { ...options, onTools, onLeftOut };
		const hasOther = isolated !== undefined || config.refusesWhenPrivate;
		const canSend = () => !hasOther || !options.isPrivate();
		const first = instance(shared, config, open, canSend, 'it');
		// Without a network, npx and the like can start only what the open instance has downloaded.
		const after = isolated?.kind === 'stdio' && isolated.withoutNetwork ? first : undefined;
		const second = isolated && instance(shared, config, isolated, () => true, 'its isolated instance', after);
		const upstream: Upstream = new Upstream(config, first, second);
		return upstream;
	});
	return new Upstreams(upstreams, (clash) => options.warn(clashSentence(clash)));
}

function clashSentence(clash: readonly ToolOrigin[]): string {
	const tools = clash.map(({ server, tool }) => `${JSON.stringify(tool)} of ${server}`).join(' and ');
	return `These tools cannot be told apart by their names, so none of them is offered: ${tools}.`;
}

function instance(
	options: CreateUpstreamsOptions & Pick<ConnectionOptions, 'onLeftOut'>,
	server: ServerConfig,
	config: InstanceConfig,
	canSend: () => boolean,
	what: string,
	after?: Instance,
): Instance {
	const nothing = (): string[] => [];
	let readPrinted = nothing;
	const connect: Connect = async (onToolsChanged, signal) => {
		const { version, onLeftOut } = options;
		const common = { version, timeout: server.readTimeout, onToolsChanged, onLeftOut, signal };
		if (config.kind === 'http') return await Connection.open({ transport: httpTransport(config, canSend), ...common });
		const { transport, onClose, printed, look } = await start(options, config);
		readPrinted = printed;
		const isGone = () => transport.pid !== null && options.isGone(transport.pid);
		const connection = await Connection.open({ transport, ...common, onClose, isGone });
		// By now a launcher such as npx has started its child.
		void look();
		return connection;
	};
	return new Instance({
		connect,
		after,
		retryUntilAvailable: config.kind === 'http',
		onTools: () => {
			// From its start on, a server can print private data.
			readPrinted = nothing;
			options.onTools();
		},
		onUnreachable: (cause) => {
			const printed = readPrinted();
			const reason = `${what} cannot be reached: ${reasonOf(cause)}.${printed.length === 0 ? '' : ' It printed:'}`;
			const sentence = [`[mcp_servers.${server.name}]: ${reason}`, ...printed].join('\n    ');
			options.warn(sentence, { server: server.name, reason, next: nextFor(cause, config), printed });
		},
	});
}

async function start(options: CreateUpstreamsOptions, config: StdioInstance) {
	const program = programOf(config.command, { platform: process.platform, env: serverEnvironment(config) });
	const plain: Invocation = { program, args: config.args };
	const invocation = config.withoutNetwork ? (await options.isolate())(plain) : plain;
	const commandId = crypto.randomUUID();
	const cwd = options.resolveFolder(config.cwd);
	// Otherwise the system would report that the program does not exist.
	const stats = await stat(cwd).catch(() => undefined);
	if (stats?.isDirectory() !== true) throw new NotStarted('its cwd is not a folder');
	const { watchdog, treeOf } = options;
	let tree = treeOf({ commandId });
	watchdog.watch(tree.id);
	const look = async () => {
		const seen = treeOf(tree.id);
		if ((await seen.members()).length === 0) return;
		tree = seen;
		watchdog.watch(tree.id);
	};
	const onStart = (pid: number) => {
		tree = treeOf({ ...tree.id, root: pid });
		watchdog.watch(tree.id);
		void look();
	};
	const onClose = () => {
		// A launcher such as npx can leave its child running. Its own id can be reused by now.
		const left = treeOf({ ...tree.id, seen: tree.id.seen ?? [] });
		void left.end().then(() => watchdog.forget(commandId));
	};
	const variables = { [COMMAND_VARIABLE]: commandId };
	return { ...stdioTransport({ config, invocation, cwd, variables, onStart, end: () => tree.end() }), onClose, look };
}

/** The instance failed before its program ran. The message says why. */
class NotStarted extends Error {}

/** A code or the kind of error. Never text of the map or of a server. */
function reasonOf(cause: unknown): string {
	if (cause instanceof BrokerError) return `${cause.code}${cause.note === undefined ? '' : ` (${cause.note})`}`;
	if (cause instanceof NotStarted) return cause.message;
	if (cause instanceof NotAProgram) return 'its command does not end with .exe, .com, .cmd or .bat';
	if (cause instanceof McpError) return SDK_REASONS.get(cause.code) ?? `its error ${cause.code}`;
	// The SDK uses -1 for an answer that is neither JSON nor a stream.
	if (cause instanceof StreamableHTTPError) return (cause.code ?? -1) > 0 ? `HTTP status ${cause.code}` : NO_MCP;
	const { code, cause: inner } = cause as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
	const known = inner?.code ?? code ?? inner?.message;
	// Never a parser's message: it quotes the answer.
	return known === 'ENOENT' ? 'its program was not found' : (known ?? NO_MCP);
}

function nextFor(cause: unknown, config: InstanceConfig): string {
	if (cause instanceof BrokerError) return cause.code === 'network_isolation_unavailable' ? ISOLATION : START;
	if (cause instanceof NotAProgram) return SCRIPT;
	if (cause instanceof StreamableHTTPError) return NEXT_FOR_STATUS[cause.code ?? -1] ?? START;
	if (cause instanceof McpError && config.kind === 'stdio' && config.withoutNetwork) return NEEDS_NETWORK;
	if (cause instanceof McpError && cause.code === ErrorCode.RequestTimeout) return SLOW;
	return (cause as NodeJS.ErrnoException).code === 'ENOENT' ? INSTALL : START;
}

const START = 'Start it, or correct its table in the map.';
const ISOLATION = 'See the line "isolation".';
const SLOW = 'If it needs that long to start, give it a longer read_timeout.';
const NEEDS_NETWORK =
	'It runs without a network. If it needs one to start, for example to download its program, install the program or set args_isolated.';
const INSTALL = 'Install it, or write its full path in the map.';
const SCRIPT =
	'For a script, write the program that runs it, for example command = "node", and the script first in args. For a program, write its whole name.';
const CREDENTIALS = 'It asks for credentials: set them in headers, for example Authorization.';
const MOVED = 'It is at another address: use that one. Often it is the same address with or without a / at the end.';

const NEXT_FOR_STATUS: Readonly<Record<number, string>> = {
	301: MOVED,
	302: MOVED,
	307: MOVED,
	308: MOVED,
	401: CREDENTIALS,
	403: CREDENTIALS,
	404: 'There is nothing at this address: correct its path, which is often /mcp.',
	405: 'This address does not take streamable HTTP, and the broker supports nothing else. Find the address for that: often /mcp instead of /sse.',
};

const NO_MCP = 'its answer is not MCP';

/** For errors that the SDK itself creates. */
const SDK_REASONS: ReadonlyMap<number, string> = new Map([
	[ErrorCode.RequestTimeout, 'it did not answer in time'],
	[ErrorCode.ConnectionClosed, 'it ended before it answered'],
]);

import { stat } from 'node:fs/promises';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ToolOrigin } from '../context-map/isolated-tools.ts';
import { unknownTool, unknownTools } from '../context-map/isolated-tools.ts';
import type { InstanceConfig, ServerConfig, StdioInstance } from '../context-map/server-config.ts';
import { BrokerError } from '../errors.ts';
import type { Invocation } from '../isolation/sandboxes.ts';
import { withoutRepeats } from '../memoize.ts';
import { COMMAND_VARIABLE } from '../processes/process-table.ts';
import type { ProcessTree, ProcessTreeId } from '../processes/process-tree.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import { Connection, type ConnectionOptions, type RawTool } from './connection.ts';
import { type Connect, Instance } from './instance.ts';
import { httpTransport, stdioTransport } from './transport.ts';
import { Upstream } from './upstream.ts';
import { Upstreams } from './upstreams.ts';

export interface CreateUpstreamsOptions {
	readonly servers: readonly ServerConfig[];
	/** The broker's own version. */
	readonly version: string;
	/** The absolute path for what a table says of its working folder; undefined where it says nothing. */
	readonly resolveFolder: (cwd: string | undefined) => string;
	/** How to run a program without a network. @throws BrokerError `network_isolation_unavailable` */
	readonly isolate: () => Promise<(invocation: Invocation) => Invocation>;
	readonly watchdog: Pick<Watchdog, 'watch' | 'forget'>;
	readonly treeOf: (id: ProcessTreeId) => ProcessTree;
	/** Whether a process has ended, as far as the platform tells that at once. */
	readonly isGone: (pid: number | undefined) => boolean;
	/** Whether the session holds private data, now. */
	readonly isPrivate: () => boolean;
	/** Told when the tools may be others. */
	readonly onTools: () => void;
	/** Told what a person should know: a sentence; and of an instance that can not be reached, the same in parts. */
	readonly warn: Warn;
}

export type Warn = (sentence: string, unreached?: Unreached) => void;

/** An instance that can not be reached. */
export interface Unreached {
	readonly server: string;
	/** Which instance, and why: a sentence. */
	readonly reason: string;
	/** What to do. */
	readonly next: string;
	/** What its program has printed. */
	readonly printed: readonly string[];
}

/** The servers of the map, ready to be started. */
export function createUpstreams(options: CreateUpstreamsOptions): Upstreams {
	const upstreams = options.servers.map((config) => {
		const { open, isolated } = config;
		const tell = withoutRepeats(options.warn);
		const onTools = telling({ ...options, warn: tell }, config, () => upstream.tools(options.isPrivate()));
		const onLeftOut = (tool: string, reason: string) => tell(leftOut(config, tool, reason));
		const told = { ...options, onTools, onLeftOut };
		const hasOther = isolated !== undefined || config.refusesWhenPrivate;
		const canSend = () => !hasOther || !options.isPrivate();
		const first = instance(told, config, open, canSend, 'it');
		// What downloads its program when it is started, as npx does, can only take what the open one has downloaded.
		const after = isolated?.kind === 'stdio' && isolated.withoutNetwork ? first : undefined;
		const second = isolated && instance(told, config, isolated, () => true, 'its isolated instance', after);
		const upstream: Upstream = new Upstream(config, first, second);
		return upstream;
	});
	return new Upstreams(upstreams, (clash) => options.warn(clashSentence(clash)));
}

/** Told when the tools may be others, to tell of each name in the map that none of them has. */
function telling({ warn, onTools }: CreateUpstreamsOptions, config: ServerConfig, tools: () => readonly RawTool[]) {
	return () => {
		const names = tools().map(({ name }) => name);
		for (const sentence of unknownNames(config, names)) warn(sentence);
		onTools();
	};
}

/** Of a tool that is left out. */
function leftOut({ name }: ServerConfig, tool: string, reason: string): string {
	return `[mcp_servers.${name}]: its tool ${JSON.stringify(tool)} is left out: ${reason}.`;
}

/** @param known the tools that the server has */
function unknownNames({ name: server, isolation, privateTools }: ServerConfig, known: readonly string[]): string[] {
	const unknown = privateTools.filter((name) => !known.includes(name));
	return [
		...unknownTools(isolation, known),
		...unknown.map((name) => unknownTool(server, 'private_tools', name, known)),
	];
}

function clashSentence(clash: readonly ToolOrigin[]): string {
	const tools = clash.map(({ server, tool }) => `${JSON.stringify(tool)} of ${server}`).join(' and ');
	return `These tools can not be told apart by their names, so none of them is offered: ${tools}.`;
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
	let complaint = nothing;
	const connect: Connect = async (onToolsChanged, signal) => {
		const { version, onLeftOut } = options;
		const common = { version, timeout: server.readTimeout, onToolsChanged, onLeftOut, signal };
		if (config.kind === 'http') return await Connection.open({ transport: httpTransport(config, canSend), ...common });
		const { transport, onClose, ...started } = await start(options, config);
		complaint = started.complaint;
		const isGone = () => options.isGone(transport.pid ?? undefined);
		return await Connection.open({ transport, ...common, onClose, isGone });
	};
	return new Instance({
		connect,
		after,
		retryUntilAvailable: config.kind === 'http',
		onTools: () => {
			// It has started: what it says from now on can be private.
			complaint = nothing;
			options.onTools();
		},
		onUnreachable: (cause) => {
			const printed = complaint();
			const reason = `${what} can not be reached: ${reasonOf(cause)}.${printed.length === 0 ? '' : ' It printed:'}`;
			const sentence = [`[mcp_servers.${server.name}]: ${reason}`, ...printed].join('\n    ');
			options.warn(sentence, { server: server.name, reason, next: nextFor(cause, config), printed });
		},
	});
}

/** Starts an instance's program, with an eye on all that it starts. */
async function start(options: CreateUpstreamsOptions, config: StdioInstance) {
	const plain: Invocation = { program: config.command, args: config.args };
	const invocation = config.withoutNetwork ? (await options.isolate())(plain) : plain;
	const commandId = crypto.randomUUID();
	const cwd = options.resolveFolder(config.cwd);
	// The system would say that the program is not there.
	if (!(await isFolder(cwd))) throw new NotStarted('its cwd is no folder');
	options.watchdog.watch({ commandId });
	const { transport, complaint } = stdioTransport({
		config,
		invocation,
		cwd,
		variables: { [COMMAND_VARIABLE]: commandId },
	});
	const onClose = () => {
		// A launcher can leave what it has launched.
		void options
			.treeOf({ commandId })
			.end()
			.then(() => options.watchdog.forget(commandId));
	};
	return { transport, complaint, onClose };
}

async function isFolder(path: string): Promise<boolean> {
	return await stat(path).then(
		(found) => found.isDirectory(),
		() => false,
	);
}

/** It was not even tried to start it; the message says why. */
class NotStarted extends Error {}

/** Without what the map or a server says: a code, or the kind of error. */
function reasonOf(cause: unknown): string {
	if (cause instanceof BrokerError) return `${cause.code}${cause.note === undefined ? '' : ` (${cause.note})`}`;
	if (cause instanceof NotStarted) return cause.message;
	if (cause instanceof McpError) return reasons.get(cause.code) ?? `its error ${cause.code}`;
	// The SDK's mark of an answer that is no JSON and no stream is -1.
	if (cause instanceof StreamableHTTPError) return (cause.code ?? -1) > 0 ? `HTTP status ${cause.code}` : NO_MCP;
	const { code, cause: inner } = cause as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
	const known = inner?.code ?? code ?? inner?.message;
	// Messages of what parses an answer quote it.
	return known === 'ENOENT' ? 'its program was not found' : (known ?? NO_MCP);
}

/** What to do. */
function nextFor(cause: unknown, config: InstanceConfig): string {
	if (cause instanceof BrokerError) return cause.code === 'network_isolation_unavailable' ? ISOLATION : START;
	if (cause instanceof StreamableHTTPError) return NEXT_FOR_STATUS[cause.code ?? -1] ?? START;
	if (cause instanceof McpError && config.kind === 'stdio' && config.withoutNetwork) return NEEDS_NETWORK;
	if (cause instanceof McpError && cause.code === ErrorCode.RequestTimeout) return SLOW;
	return (cause as NodeJS.ErrnoException).code === 'ENOENT' ? INSTALL : START;
}

const START = 'Start it, or correct its table in the map.';
const ISOLATION = 'See the line "isolation".';
const SLOW = 'If it takes that long to start, give it a longer read_timeout.';
const NEEDS_NETWORK =
	'It has no network. If it needs one to start, such as to download its program, install that, or give it args_isolated.';
const INSTALL = 'Install it, or write its whole path into the map.';
const CREDENTIALS = 'It asks for credentials: give them in headers, such as Authorization.';
const MOVED = 'It is at another address: write that one. Often it is the same with a / at the end, or without.';

const NEXT_FOR_STATUS: Readonly<Record<number, string>> = {
	301: MOVED,
	302: MOVED,
	307: MOVED,
	308: MOVED,
	401: CREDENTIALS,
	403: CREDENTIALS,
	404: 'There is nothing at this address: correct its path, which often is /mcp.',
	405: 'It takes no streamable HTTP here, which is all that the broker speaks. Look for its address for that, often /mcp in the place of /sse.',
};

const NO_MCP = 'it answers with something other than MCP';

/** Of the errors that the SDK makes itself. */
const reasons: ReadonlyMap<number, string> = new Map([
	[ErrorCode.RequestTimeout, 'it did not answer in time'],
	[ErrorCode.ConnectionClosed, 'it ended before it answered'],
]);

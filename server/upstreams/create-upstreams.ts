import { stat } from 'node:fs/promises';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { unknownTool, unknownTools } from '../context-map/isolated-tools.ts';
import type { InstanceConfig, ServerConfig, StdioInstance } from '../context-map/servers.ts';
import { BrokerError } from '../errors.ts';
import type { Invocation } from '../isolation/invocation.ts';
import type { Family, FamilyTraits } from '../processes/process-family.ts';
import { COMMAND_VARIABLE } from '../processes/process-table.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import { Connection, type ConnectionOptions, type RawTool } from './connection.ts';
import { type Connect, Instance } from './instance.ts';
import type { ToolOrigin } from './tool-names.ts';
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
	readonly familyOf: (traits: FamilyTraits) => Family;
	/** Whether a process has ended, as far as the platform tells that at once. */
	readonly isGone: (pid: number | undefined) => boolean;
	/** Whether the session holds private data, now. */
	readonly isPrivate: () => boolean;
	/** Told when the tools may be others. */
	readonly onTools: () => void;
	/** Told what a person should know: a sentence. */
	readonly warn: (sentence: string) => void;
}

/** The servers of the map, ready to be started. */
export function createUpstreams(options: CreateUpstreamsOptions): Upstreams {
	const upstreams = options.servers.map((config) => {
		const { open, isolated } = config;
		const tell = once(options.warn);
		const onTools = telling({ ...options, warn: tell }, config, () => upstream.tools(options.isPrivate()));
		const onBrokenTool = (tool: string, field: string) => tell(brokenTool(config, tool, field));
		const told = { ...options, onTools, onBrokenTool };
		const hasOther = isolated !== undefined || config.refusesWhenPrivate;
		const mayFetch = () => !hasOther || !options.isPrivate();
		const upstream: Upstream = new Upstream(
			config,
			instance(told, config, open, mayFetch, 'it'),
			isolated && instance(told, config, isolated, () => true, 'its isolated instance'),
		);
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

/** Passes each sentence on once. */
function once(warn: (sentence: string) => void): (sentence: string) => void {
	const told = new Set<string>();
	return (sentence) => {
		if (!told.has(sentence)) warn(sentence);
		told.add(sentence);
	};
}

/** Of a tool that is left out. */
function brokenTool({ name }: ServerConfig, tool: string, field: string): string {
	return `[mcp_servers.${name}]: its tool ${JSON.stringify(tool)} is left out: ${field} is not as MCP has it.`;
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
	options: CreateUpstreamsOptions & Pick<ConnectionOptions, 'onBrokenTool'>,
	server: ServerConfig,
	config: InstanceConfig,
	mayFetch: () => boolean,
	what: string,
): Instance {
	const nothing = (): string[] => [];
	let complaint = nothing;
	const connect: Connect = async (onToolsChanged, signal) => {
		const { version, onBrokenTool } = options;
		const common = { version, timeout: server.readTimeout, onToolsChanged, onBrokenTool, signal };
		if (config.kind === 'http') return await Connection.open({ transport: httpTransport(config, mayFetch), ...common });
		const { transport, onClose, ...started } = await start(options, config);
		complaint = started.complaint;
		const isGone = () => options.isGone(transport.pid ?? undefined);
		return await Connection.open({ transport, ...common, onClose, isGone });
	};
	return new Instance({
		connect,
		comesLater: config.kind === 'http',
		onTools: () => {
			// It has started: what it says from now on can be private.
			complaint = nothing;
			options.onTools();
		},
		onUnreachable: (cause) => {
			const sentence = `[mcp_servers.${server.name}]: ${what} can not be reached: ${reasonOf(cause)}.`;
			const said = complaint();
			options.warn(said.length === 0 ? sentence : [`${sentence} It printed:`, ...said].join('\n    '));
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
			.familyOf({ commandId })
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

const NO_MCP = 'it answers with something other than MCP';

/** Of the errors that the SDK makes itself. */
const reasons: ReadonlyMap<number, string> = new Map([
	[ErrorCode.RequestTimeout, 'it did not answer in time'],
	[ErrorCode.ConnectionClosed, 'it ended before it answered'],
]);

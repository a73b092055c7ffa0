import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { Protocol, type RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
	type CallToolRequest,
	CallToolRequestSchema,
	type CallToolResult,
	ErrorCode,
	ListToolsRequestSchema,
	McpError,
	type ProgressNotification,
	type ServerNotification,
	type ServerRequest,
	type Tool as ToolListing,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { BrokerError } from '../errors.ts';
import type { ClientInfo } from '../guard/client.ts';
import type { Tool, ToolCall, ToolResult } from '../tools/tool.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface ServerOptions {
	readonly tools: readonly Tool[];
	/** The names of the tools that are shown, now; of those that have a listing. */
	readonly shown: () => Promise<ReadonlySet<string>>;
	/** The broker's own. */
	readonly version: string;
	/** The tools of other servers, which pass through. */
	readonly relay?: Relay;
	/** Told of every error that a tool answered with. */
	readonly report: (error: BrokerError) => void;
	/** Told how the client introduced itself, once it is ready. */
	readonly onClient: (client: ClientInfo | undefined) => void;
}

/** A call that is passed on to another server. */
export interface RelayedCall extends ToolCall {
	/** Arguments and `_meta`, as the client sent them. */
	readonly params: Readonly<Record<string, unknown>>;
	/** Passes on what the other server says of its progress; undefined where the client did not ask. */
	readonly onProgress: ((progress: Record<string, unknown>) => void) | undefined;
}

/** The tools of other servers. What they say passes as it is. */
export interface Relay {
	/** As they list them, under the names that they have here. */
	listings(): Promise<readonly { readonly name: string }[]>;
	/** Whether there is such a tool. */
	has(name: string): boolean;
	/** @throws BrokerError, or a JSON-RPC error of the other server */
	call(name: string, call: RelayedCall): Promise<Record<string, unknown>>;
}

/**
 * The MCP side of the broker: lists the tools and passes calls to them. The one place where what a tool throws becomes
 * a result.
 */
export function createServer({ tools, shown, relay, version, report, onClient }: ServerOptions): Server {
	const server = new Server({ name: 'context-broker', version }, { capabilities: { tools: { listChanged: true } } });
	const byName = new Map(tools.map((tool) => [tool.name, tool]));

	server.oninitialized = () => onClient(server.getClientVersion());
	server.setRequestHandler(ListToolsRequestSchema, async () => {
		const others = ((await relay?.listings()) ?? []) as ToolListing[];
		const names = await shown();
		return { tools: [...tools.flatMap(listingOf), ...others].filter(({ name }) => names.has(name)) };
	});
	// Not the SDK's own, which lets no result pass that it does not know.
	Protocol.prototype.setRequestHandler.call(
		server,
		CallToolRequestSchema,
		async ({ params }, extra): Promise<CallToolResult> => {
			const { signal, requestId: id } = extra;
			const call = {
				client: server.getClientVersion(),
				toolUseId: toolUseIdOf(params._meta),
				signal,
				progress: progressTo(extra),
			};
			const tool = byName.get(params.name);
			if (tool === undefined && relay?.has(params.name) === true && (await shown()).has(params.name)) {
				const relayed = { ...call, params: passedOn(params), onProgress: progressFrom(extra) };
				const passing = relay.call(params.name, relayed) as Promise<CallToolResult>;
				return await passing.catch((thrown: unknown) => {
					if (thrown instanceof McpError) throw asItCame(thrown);
					const error = BrokerError.from(thrown);
					report(error);
					return errorResult(error);
				});
			}
			const isThere =
				tool?.listing === undefined ? tool?.isReachable?.(call) !== false : (await shown()).has(tool.name);
			if (tool === undefined || !isThere) throw new McpError(ErrorCode.InvalidParams, 'Unknown tool');
			const result = await tool.call(params.arguments ?? {}, call).then(resultOf, (thrown: unknown) => {
				const error = BrokerError.from(thrown);
				report(error);
				return errorResult(error);
			});
			// The SDK gives no answer to what was cancelled.
			if (signal.aborted && tool.answersCancelled === true)
				await server.transport?.send({ jsonrpc: '2.0', id, result });
			return result;
		},
	);
	return server;
}

/** Tells the client of progress, if it asked for that in the request. */
function progressTo({ _meta, signal, sendNotification }: Extra): ToolCall['progress'] {
	const progressToken = _meta?.progressToken;
	if (progressToken === undefined) return undefined;
	let progress = 0;
	return (message) => {
		if (signal.aborted) return;
		progress += 1;
		const params = { progressToken, progress, message };
		// A client that is gone needs none.
		sendNotification({ method: 'notifications/progress', params }).catch(() => {});
	};
}

/** The same for what another server says. */
function progressFrom({ _meta, signal, sendNotification }: Extra): RelayedCall['onProgress'] {
	const progressToken = _meta?.progressToken;
	if (progressToken === undefined) return undefined;
	return (progress) => {
		if (signal.aborted) return;
		const params = { ...progress, progressToken } as ProgressNotification['params'];
		sendNotification({ method: 'notifications/progress', params }).catch(() => {});
	};
}

/** Of a call: what the other server is to get. */
function passedOn({ arguments: input, _meta }: CallToolRequest['params']): Record<string, unknown> {
	return { ...(input && { arguments: input }), ...(_meta && { _meta }) };
}

/** The error of another server. The SDK puts words of its own before its message. */
function asItCame({ code, message, data }: McpError): Error {
	return Object.assign(new Error(message.replace(/^MCP error -?\d+: /, '')), { code, data });
}

function resultOf({ text, structured }: ToolResult): CallToolResult {
	const structuredContent = structured === undefined ? {} : { structuredContent: { ...structured } };
	return { content: [{ type: 'text', text }], ...structuredContent };
}

/** A model's call that does not bear a proper id stays one: it gets the id that nothing else has. */
function toolUseIdOf(meta: Readonly<Record<string, unknown>> = {}): string | undefined {
	const id = meta['claudecode/toolUseId'];
	return id === undefined || typeof id === 'string' ? id : '';
}

function listingOf({ name, listing, input }: Tool): ToolListing[] {
	if (listing === undefined) return [];
	const { title, description, annotations, meta, output } = listing;
	const inputSchema = z.toJSONSchema(input) as ToolListing['inputSchema'];
	const outputSchema = output && { outputSchema: z.toJSONSchema(output) as ToolListing['inputSchema'] };
	return [{ name, title, description, inputSchema, ...outputSchema, annotations, _meta: meta }];
}

function errorResult({ code, message, next, text }: BrokerError): CallToolResult {
	return {
		isError: true,
		content: [{ type: 'text', text }],
		structuredContent: { error: { code, message, next } },
	};
}

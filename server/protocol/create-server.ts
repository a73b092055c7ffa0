import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
	CallToolRequestSchema,
	type CallToolResult,
	ErrorCode,
	ListToolsRequestSchema,
	McpError,
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
	/** Told of every error that a tool answered with. */
	readonly report: (error: BrokerError) => void;
	/** Told how the client introduced itself, once it is ready. */
	readonly onClient: (client: ClientInfo | undefined) => void;
}

/**
 * The MCP side of the broker: lists the tools and passes calls to them. The one place where what a tool throws becomes
 * a result.
 */
export function createServer({ tools, shown, version, report, onClient }: ServerOptions): Server {
	const server = new Server({ name: 'context-broker', version }, { capabilities: { tools: { listChanged: true } } });
	const byName = new Map(tools.map((tool) => [tool.name, tool]));

	server.oninitialized = () => onClient(server.getClientVersion());
	server.setRequestHandler(ListToolsRequestSchema, async () => {
		const names = await shown();
		return { tools: tools.filter(({ name }) => names.has(name)).flatMap(listingOf) };
	});
	server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
		const { signal, requestId: id } = extra;
		const call = {
			client: server.getClientVersion(),
			toolUseId: toolUseIdOf(params._meta),
			signal,
			progress: progressTo(extra),
		};
		const tool = byName.get(params.name);
		const isThere = tool?.listing === undefined ? tool?.isReachable?.(call) !== false : (await shown()).has(tool.name);
		if (tool === undefined || !isThere) throw new McpError(ErrorCode.InvalidParams, 'Unknown tool');
		const result = await tool.call(params.arguments ?? {}, call).then(resultOf, (thrown: unknown) => {
			const error = BrokerError.from(thrown);
			report(error);
			return errorResult(error);
		});
		// The SDK gives no answer to what was cancelled.
		if (signal.aborted && tool.answersCancelled === true) await server.transport?.send({ jsonrpc: '2.0', id, result });
		return result;
	});
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

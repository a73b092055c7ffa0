import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
	CallToolRequestSchema,
	type CallToolResult,
	ErrorCode,
	ListToolsRequestSchema,
	McpError,
	type Tool as ToolListing,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { BrokerError } from '../errors.ts';
import type { Tool } from '../tools/tool.ts';

/** Told of every error that a tool answered with. */
export type Report = (error: BrokerError) => void;

/**
 * The MCP side of the broker: lists the tools and passes calls to them. The one place where what a tool throws becomes
 * a result.
 *
 * @param version the broker's own
 */
export function createServer(tools: readonly Tool[], version: string, report: Report): Server {
	const server = new Server({ name: 'context-broker', version }, { capabilities: { tools: {} } });
	const byName = new Map(tools.map((tool) => [tool.name, tool]));

	server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listing) }));
	server.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
		const tool = byName.get(params.name);
		if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'Unknown tool');
		try {
			return { content: [{ type: 'text', text: await tool.call(params.arguments ?? {}) }] };
		} catch (thrown) {
			const error = thrown instanceof BrokerError ? thrown : internalError(thrown);
			report(error);
			return errorResult(error);
		}
	});
	return server;
}

function listing({ name, title, description, annotations, meta, input }: Tool): ToolListing {
	const inputSchema = z.toJSONSchema(input) as ToolListing['inputSchema'];
	return { name, title, description, inputSchema, annotations, _meta: meta };
}

/** Of an unforeseen error only the name is told: its message can hold anything. */
function internalError(cause: unknown): BrokerError {
	const note = `It is called ${cause instanceof Error ? cause.name : typeof cause}`;
	return new BrokerError('internal_error', { cause, note });
}

function errorResult({ code, message, next }: BrokerError): CallToolResult {
	return {
		isError: true,
		content: [{ type: 'text', text: `${code}: ${message} ${next}` }],
		structuredContent: { error: { code, message, next } },
	};
}

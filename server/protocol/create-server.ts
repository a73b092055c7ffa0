import * as z from 'zod/mini';
import type { ClientInfo } from '../claude-code/client.ts';
import { BrokerError } from '../errors.ts';
import type { Tool, ToolCall, ToolResult } from '../tools/tool.ts';
import { type Answer, invalidParams, McpServer, type RequestContext } from './mcp-server.ts';
import { INVALID_PARAMS, isObject, type Params, RpcError } from './messages.ts';

export interface ServerOptions {
	readonly tools: readonly Tool[];
	/** The names of the shown tools. Tools without a listing are never among them. */
	readonly shown: () => Promise<ReadonlySet<string>>;
	readonly version: string;
	readonly relay?: Relay;
	/** How long a listing waits for upstream servers: milliseconds since the broker's start. */
	readonly listingDeadlineMs?: (client: ClientInfo | undefined) => number;
	readonly report: (error: BrokerError) => void;
	readonly onClient: (client: ClientInfo | undefined) => void;
}

export interface RelayedCall extends ToolCall {
	readonly params: Params;
	/** Passes on the server's progress; undefined if the client did not ask for it. */
	readonly onProgress: ((progress: Record<string, unknown>) => void) | undefined;
}

/** The tools of upstream servers. Their answers are passed on unchanged. */
export interface Relay {
	readonly offered: {
		/** With the names that the broker shows. @param deadlineMs milliseconds since the broker's start */
		listings(deadlineMs: number): Promise<readonly { readonly name: string }[]>;
		get(name: string): unknown;
		instructions(deadlineMs: number, shown: () => Promise<ReadonlySet<string>>): Promise<string | undefined>;
	};
	/** @throws BrokerError, or the server's JSON-RPC error, which has a number as `code` */
	call(name: string, call: RelayedCall): Promise<Record<string, unknown>>;
}

/** Creates the MCP server. Only here the errors that tools throw become results. */
export function createServer(options: ServerOptions): McpServer {
	const { tools, shown, relay, version, report, onClient } = options;
	const deadlineMs = () => options.listingDeadlineMs?.(server.client) ?? 0;
	const byName = new Map(tools.map((tool) => [tool.name, tool]));

	async function list(): Promise<Answer> {
		const others = (await relay?.offered.listings(deadlineMs())) ?? [];
		const names = await shown();
		// Filtered first, since building a schema is slow.
		const own = tools.filter(({ name }) => names.has(name)).flatMap(listingOf);
		return { result: { tools: [...own, ...others.filter(({ name }) => names.has(name))] } };
	}

	async function call(params: Params, context: RequestContext): Promise<Answer> {
		const { name, arguments: input = {} } = params;
		if (typeof name !== 'string' || !isObject(input)) throw invalidParams('tools/call');
		const made = toolCall(server.client, context);
		const tool = byName.get(name);
		if (tool === undefined && relay?.offered.get(name) !== undefined && (await shown()).has(name)) {
			const relayed = { ...made, params: passedOn(params), onProgress: context.progress };
			return { result: await answerOf(relay.call(name, relayed)) };
		}
		const isThere = tool?.listing === undefined ? tool?.isVisibleTo?.(made) !== false : (await shown()).has(tool.name);
		if (tool === undefined || !isThere) throw new RpcError(INVALID_PARAMS, 'Unknown tool');
		const result = await answerOf(tool.call(input, made).then(resultOf));
		return { result, ...(tool.answersCancelled === true && { isSentAlways: true }) };
	}

	/** @throws the JSON-RPC error of an upstream server */
	async function answerOf(called: Promise<Record<string, unknown>>): Promise<Record<string, unknown>> {
		try {
			return await called;
		} catch (thrown) {
			if (typeof Object(thrown).code === 'number') throw thrown;
			const error = BrokerError.from(thrown);
			report(error);
			return errorResult(error);
		}
	}

	const handlers = { 'tools/list': list, 'tools/call': call };
	const server: McpServer = new McpServer({
		version,
		onClient,
		handlers,
		...(relay && { instructions: async () => await relay.offered.instructions(deadlineMs(), shown) }),
	});
	return server;
}

function toolCall(client: ClientInfo | undefined, { signal, meta, progress }: RequestContext): ToolCall {
	let count = 0;
	const notify = (message: string) => {
		count += 1;
		progress?.({ progress: count, message });
	};
	return { client, toolUseId: toolUseIdOf(meta), signal, progress: progress && notify };
}

function passedOn({ arguments: input, _meta }: Params): Params {
	return { ...(input !== undefined && { arguments: input }), ...(_meta !== undefined && { _meta }) };
}

function resultOf({ text, structured }: ToolResult): Record<string, unknown> {
	const structuredContent = structured === undefined ? {} : { structuredContent: { ...structured } };
	return { content: [{ type: 'text', text }], ...structuredContent };
}

/** Turns an id that is not a string into "": undefined would make a model's call look like a hook's. */
function toolUseIdOf(meta: Params): string | undefined {
	const id = meta['claudecode/toolUseId'];
	return id === undefined || typeof id === 'string' ? id : '';
}

function listingOf({
	name,
	listing,
	input,
}: Tool): readonly { readonly name: string; readonly [field: string]: unknown }[] {
	if (listing === undefined) return [];
	const { title, description, annotations, meta, output } = listing;
	const outputSchema = output && { outputSchema: z.toJSONSchema(output()) };
	return [
		{ name, title, description, inputSchema: z.toJSONSchema(input()), ...outputSchema, annotations, _meta: meta },
	];
}

/** The field in `_meta` of a failed call, with code, message and next step. */
const ERROR_META = 'context-broker/error';

function errorResult({ code, message, next, text }: BrokerError): Record<string, unknown> {
	// In `_meta`, since structured content has to fit the tool's own schema.
	return { isError: true, content: [{ type: 'text', text }], _meta: { [ERROR_META]: { code, message, next } } };
}

import * as z from 'zod/mini';
import type { ClientInfo } from '../claude-code/client.ts';
import { BrokerError } from '../errors.ts';
import type { Tool, ToolCall, ToolResult } from '../tools/tool.ts';
import { type Answer, invalidParams, McpServer, type RequestContext } from './mcp-server.ts';
import { INVALID_PARAMS, isObject, type Params, RpcError } from './messages.ts';

export interface ServerOptions {
	readonly tools: readonly Tool[];
	/** The names of the tools that are shown, of those with a listing. */
	readonly shown: () => Promise<ReadonlySet<string>>;
	readonly version: string;
	readonly relay?: Relay;
	/** How long a listing waits for other servers: milliseconds from the start. */
	readonly patience?: (client: ClientInfo | undefined) => number;
	readonly report: (error: BrokerError) => void;
	readonly onClient: (client: ClientInfo | undefined) => void;
}

export interface RelayedCall extends ToolCall {
	readonly params: Params;
	/** For the other server's progress; undefined if the client did not ask. */
	readonly onProgress: ((progress: Record<string, unknown>) => void) | undefined;
}

/** The tools of other servers. Their answers pass unchanged. */
export interface Relay {
	readonly offered: {
		/** Under the names that they have here. @param patience milliseconds from the start */
		listings(patience: number): Promise<readonly { readonly name: string }[]>;
		get(name: string): unknown;
		instructions(patience: number, shown: () => Promise<ReadonlySet<string>>): Promise<string | undefined>;
	};
	/** @throws BrokerError, or RpcError of the other server */
	call(name: string, call: RelayedCall): Promise<Record<string, unknown>>;
}

/** The MCP side of the broker. The one place where what a tool throws becomes a result. */
export function createServer(options: ServerOptions): McpServer {
	const { tools, shown, relay, version, report, onClient } = options;
	const patience = () => options.patience?.(server.client) ?? 0;
	const byName = new Map(tools.map((tool) => [tool.name, tool]));

	async function list(): Promise<Answer> {
		const others = (await relay?.offered.listings(patience())) ?? [];
		const names = await shown();
		// Only these: a schema takes its time.
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

	/** @throws the error of another server */
	async function answerOf(called: Promise<Record<string, unknown>>): Promise<Record<string, unknown>> {
		try {
			return await called;
		} catch (thrown) {
			if (thrown instanceof RpcError) throw thrown;
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
		...(relay && { instructions: async () => await relay.offered.instructions(patience(), shown) }),
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

/** A model's call without a proper id stays a model's: it gets the id that nothing else has. */
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

/** In `_meta` of a failed call: code, message and next step. */
const ERROR_META = 'context-broker/error';

function errorResult({ code, message, next, text }: BrokerError): Record<string, unknown> {
	// Not structured content, which has to fit the tool's own schema.
	return { isError: true, content: [{ type: 'text', text }], _meta: { [ERROR_META]: { code, message, next } } };
}

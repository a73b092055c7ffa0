import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
	CallToolRequestSchema,
	ErrorCode,
	InitializeRequestSchema,
	isJSONRPCErrorResponse,
	isJSONRPCRequest,
	isJSONRPCResultResponse,
	type JSONRPCMessage,
	JSONRPCMessageSchema,
	ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { LineSplitter, TooLong } from './line-splitter.ts';

/** In bytes. Far above any message that a client has a reason to send; there to bound memory. */
const LINE_LIMIT = 64 * 1024 * 1024;

/** Requests whose parameters are checked here: the SDK would answer -32603 with a dump of its schema's complaints. */
const REQUESTS = new Map(
	[InitializeRequestSchema, ListToolsRequestSchema, CallToolRequestSchema].map((schema) => [
		schema.shape.method.value as string,
		schema,
	]),
);

/**
 * MCP over stdio (specification 2025-11-25, Transports), in place of the SDK's own transport, which does not notice the
 * end of its input (modelcontextprotocol/typescript-sdk#2002), closes on a line over 10 MB, and leaves a broken line
 * without the answer that JSON-RPC 2.0 asks for.
 */
export class StdioTransport implements Transport {
	onclose?: () => void;
	onerror?: (error: Error) => void;
	onmessage?: (message: JSONRPCMessage) => void;
	readonly #input: Readable;
	readonly #output: Writable;
	readonly #lines = new LineSplitter(LINE_LIMIT);
	/** The ids of requests that were neither answered nor cancelled. */
	readonly #open = new Set<unknown>();
	#whenSettled: (() => void) | undefined;

	constructor(input: Readable, output: Writable) {
		this.#input = input;
		this.#output = output;
	}

	async start(): Promise<void> {
		// The bootstrap hands it over paused where input came before the broker was ready.
		this.#input.on('data', this.#onData).resume();
	}

	async close(): Promise<void> {
		this.#input.off('data', this.#onData);
		this.onclose?.();
	}

	async send(message: JSONRPCMessage): Promise<void> {
		if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.#close(message.id);
		await this.#write(message);
	}

	/** Resolves when every request received has been answered or cancelled, and all answers are written. */
	async settled(): Promise<void> {
		if (this.#open.size > 0) {
			await new Promise<void>((resolve) => {
				this.#whenSettled = resolve;
			});
		}
		await new Promise<void>((resolve) => this.#output.write('', () => resolve()));
	}

	readonly #onData = (chunk: Buffer): void => {
		for (const line of this.#lines.push(chunk)) {
			if (line instanceof TooLong) this.#refuse(ErrorCode.InvalidRequest, 'Message too long', null);
			else if (line.trim() !== '') this.#receive(line);
		}
	};

	#receive(line: string): void {
		let value: unknown;
		try {
			value = JSON.parse(line);
		} catch {
			// The parser's message quotes the text.
			this.#refuse(ErrorCode.ParseError, 'Parse error: a message is one line of JSON', null);
			return;
		}
		const { success, data: message } = JSONRPCMessageSchema.safeParse(value);
		if (!success) {
			this.#refuse(ErrorCode.InvalidRequest, 'Invalid request: not a JSON-RPC 2.0 message', idOf(value));
			return;
		}
		if (isJSONRPCRequest(message)) {
			if (REQUESTS.get(message.method)?.safeParse(message).success === false) {
				this.#refuse(ErrorCode.InvalidParams, `Invalid params for ${message.method}`, message.id);
				return;
			}
			this.#open.add(message.id);
		} else if ('method' in message && message.method === 'notifications/cancelled') {
			// The SDK looks the request up a moment later, when a new one can already bear the id of one that is over.
			if (!this.#close(message.params?.requestId)) return;
		}
		this.onmessage?.(message);
	}

	/** @returns whether a request of this id was open */
	#close(id: unknown): boolean {
		const wasOpen = this.#open.delete(id);
		if (this.#open.size === 0) this.#whenSettled?.();
		return wasOpen;
	}

	/** An answer that the SDK's types don't know: JSON-RPC 2.0 gives a request whose id is unknown the id null. */
	#refuse(code: ErrorCode, message: string, id: string | number | null): void {
		void this.#write({ jsonrpc: '2.0', id, error: { code, message } });
	}

	/** Resolves when it is written. A broken output is the concern of whoever watches it, not of each message. */
	async #write(message: object): Promise<void> {
		await new Promise<void>((resolve) => this.#output.write(`${JSON.stringify(message)}\n`, () => resolve()));
	}
}

function idOf(value: unknown): string | number | null {
	const id = (value as { id?: unknown } | null)?.id;
	return typeof id === 'string' || typeof id === 'number' ? id : null;
}

import type { Readable, Writable } from 'node:stream';
import { LineSplitter, TooLong } from '../text/line-splitter.ts';
import {
	CANCELLED,
	INTERNAL_ERROR,
	INVALID_REQUEST,
	idOf,
	type Message,
	type Outgoing,
	PARSE_ERROR,
	type RequestId,
	RpcError,
	type RpcFault,
	toMessage,
} from './messages.ts';

/** In bytes. Far above any message that a client has a reason to send; there to bound memory. */
const LINE_LIMIT = 64 * 1024 * 1024;

/**
 * MCP over stdio (specification 2025-11-25, Transports), in place of the SDK's own transport, which does not notice the
 * end of its input (modelcontextprotocol/typescript-sdk#2002), closes on a line over 10 MB, and leaves a broken line
 * without the answer that JSON-RPC 2.0 asks for.
 */
export class StdioTransport {
	onmessage?: (message: Message) => void;
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

	async send(message: Outgoing): Promise<void> {
		if ('id' in message) this.#close(message.id);
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
			if (line instanceof TooLong) this.#refuse(new RpcError(INVALID_REQUEST, 'Message too long'), null);
			else if (line.trim() !== '') this.#receive(line);
		}
	};

	#receive(line: string): void {
		let value: unknown;
		try {
			value = JSON.parse(line);
		} catch {
			// The parser's message quotes the text.
			this.#refuse(new RpcError(PARSE_ERROR, 'Parse error: a message is one line of JSON'), null);
			return;
		}
		let message: Message | undefined;
		try {
			message = toMessage(value);
		} catch (error) {
			this.#refuse(error as RpcError, idOf(value));
			return;
		}
		if (message === undefined) return;
		if (message.id !== undefined) this.#open.add(message.id);
		// What is over can not be cancelled: a new request can already bear its id.
		else if (message.method === CANCELLED && !this.#close(message.params?.requestId)) return;
		this.onmessage?.(message);
	}

	/** @returns whether a request of this id was open */
	#close(id: unknown): boolean {
		const wasOpen = this.#open.delete(id);
		if (this.#open.size === 0) this.#whenSettled?.();
		return wasOpen;
	}

	#refuse({ code, message }: RpcError, id: RequestId | null): void {
		void this.#write({ id, error: { code, message } });
	}

	/** Resolves when it is written. A broken output is the concern of whoever watches it, not of each message. */
	async #write(message: Outgoing): Promise<void> {
		const line = toLine(message);
		if (line === undefined) return;
		await new Promise<void>((resolve) => this.#output.write(`${line}\n`, () => resolve()));
	}
}

/** What another server says can be too deep to be written, though it was read: of an answer an error is left, of the rest nothing. */
function toLine(message: Outgoing): string | undefined {
	try {
		return JSON.stringify({ jsonrpc: '2.0', ...message });
	} catch {
		if (!('id' in message)) return undefined;
		const error: RpcFault = { code: INTERNAL_ERROR, message: 'Internal error' };
		return JSON.stringify({ jsonrpc: '2.0', id: message.id, error });
	}
}

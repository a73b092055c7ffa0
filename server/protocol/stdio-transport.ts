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

/** Limits memory. No client has a reason to send a line near this size. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * MCP over stdio. The SDK's transport does not notice the end of its input (modelcontextprotocol/typescript-sdk#2002),
 * closes at a line over 10 MB, and does not answer a broken line.
 */
export class StdioTransport {
	onmessage?: (message: Message) => void;
	readonly #input: Readable;
	readonly #output: Writable;
	readonly #lines = new LineSplitter(MAX_LINE_BYTES);
	/** The ids of requests neither answered nor cancelled. */
	readonly #open = new Set<unknown>();
	#whenSettled: (() => void) | undefined;

	constructor(input: Readable, output: Writable) {
		this.#input = input;
		this.#output = output;
	}

	async start(): Promise<void> {
		// The bootstrap has paused the input if some came early.
		this.#input.on('data', this.#onData).resume();
	}

	async send(message: Outgoing): Promise<void> {
		if ('id' in message) this.#close(message.id);
		await this.#write(message);
	}

	/** Resolves when every request is answered or cancelled, and all answers are written. */
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
			// A fixed message: the parser's own quotes the text.
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
		// An answered request cannot be cancelled: a new one can already have its id.
		else if (message.method === CANCELLED && !this.#close(message.params?.requestId)) return;
		this.onmessage?.(message);
	}

	/** @returns whether a request with this id was open */
	#close(id: unknown): boolean {
		const wasOpen = this.#open.delete(id);
		if (this.#open.size === 0) this.#whenSettled?.();
		return wasOpen;
	}

	#refuse({ code, message }: RpcError, id: RequestId | null): void {
		void this.#write({ id, error: { code, message } });
	}

	/** Never rejects: `whenOver` ends the broker if the output breaks. */
	async #write(message: Outgoing): Promise<void> {
		const line = toLine(message);
		if (line === undefined) return;
		await new Promise<void>((resolve) => this.#output.write(`${line}\n`, () => resolve()));
	}
}

/** Upstream JSON can be nested too deeply for JSON.stringify: an answer becomes an error, other messages are dropped. */
function toLine(message: Outgoing): string | undefined {
	try {
		return JSON.stringify({ jsonrpc: '2.0', ...message });
	} catch {
		if (!('id' in message)) return undefined;
		const error: RpcFault = { code: INTERNAL_ERROR, message: 'Internal error' };
		return JSON.stringify({ jsonrpc: '2.0', id: message.id, error });
	}
}

import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { deserializeMessage, type ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { LineSplitter, TooLong } from '../text/line-splitter.ts';

/** What the SDK's transport asks of the buffer in which it collects what a server sends. */
type Buffering = Pick<ReadBuffer, 'append' | 'readMessage' | 'clear'>;

/**
 * Collects what a server sends, in time linear to its length. The SDK's own buffer (1.32) copies and searches all that has
 * come whenever more comes: 50 MB in one message took 10 seconds, in which the broker answered nobody.
 */
class MessageBuffer implements Buffering {
	readonly #limit: number;
	#splitter: LineSplitter;
	#lines: string[] = [];

	/** @param limit of a message, in bytes */
	constructor(limit: number) {
		this.#limit = limit;
		this.#splitter = new LineSplitter(limit);
	}

	/** @throws where a message is too long; the transport then ends the connection */
	append(chunk: Buffer): void {
		for (const line of this.#splitter.push(chunk)) {
			if (line instanceof TooLong) throw new Error('message too long');
			this.#lines.push(line);
		}
	}

	/** @returns the next message that is whole, or null. @throws where it is none */
	readMessage(): JSONRPCMessage | null {
		const line = this.#lines.shift();
		return line === undefined ? null : deserializeMessage(line);
	}

	clear(): void {
		this.#splitter = new LineSplitter(this.#limit);
		this.#lines = [];
	}
}

/** Has a transport collect in linear time. It has a field for its buffer, but no way to give it one. */
export function bufferMessages(transport: StdioClientTransport, limit: number): void {
	const own: { _readBuffer: Buffering } = { _readBuffer: new MessageBuffer(limit) };
	if (!('_readBuffer' in transport)) throw new Error('the transport of the SDK has no buffer of this name');
	Object.assign(transport, own);
}

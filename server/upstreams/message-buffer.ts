import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { deserializeMessage, type ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { LineSplitter, TooLong } from '../text/line-splitter.ts';

type Buffering = Pick<ReadBuffer, 'append' | 'readMessage' | 'clear'>;

/** Linear in time. The SDK's buffer (1.32) is quadratic: a message of 50 MB blocked the broker for 10 seconds. */
class MessageBuffer implements Buffering {
	readonly #limit: number;
	#splitter: LineSplitter;
	#lines: string[] = [];

	constructor(limit: number) {
		this.#limit = limit;
		this.#splitter = new LineSplitter(limit);
	}

	/** @throws if a message is too long: the transport then ends the connection */
	append(chunk: Buffer): void {
		for (const line of this.#splitter.push(chunk)) {
			if (line instanceof TooLong) throw new Error('message too long');
			this.#lines.push(line);
		}
	}

	readMessage(): JSONRPCMessage | null {
		const line = this.#lines.shift();
		return line === undefined ? null : deserializeMessage(line);
	}

	clear(): void {
		this.#splitter = new LineSplitter(this.#limit);
		this.#lines = [];
	}
}

/** Replaces the transport's buffer. It has no public way to do that. */
export function bufferMessages(transport: StdioClientTransport, limit: number): void {
	const own: { _readBuffer: Buffering } = { _readBuffer: new MessageBuffer(limit) };
	if (!('_readBuffer' in transport)) throw new Error('the transport of the SDK has no buffer of this name');
	Object.assign(transport, own);
}

import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { deserializeMessage, type ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { LineSplitter, TooLong } from '../text/line-splitter.ts';

/**
 * Replaces a transport's buffer, for which the SDK has no public way. The SDK's buffer (1.32) takes quadratic time: a message
 * of 50 MB blocked the broker for 10 seconds.
 *
 * @param limit in bytes; a longer message ends the connection
 */
export function bufferMessages(transport: StdioClientTransport, limit: number): void {
	if (!('_readBuffer' in transport)) throw new Error('the transport of the SDK has no buffer of this name');
	let splitter = new LineSplitter(limit);
	let lines: string[] = [];
	const buffer: Pick<ReadBuffer, 'append' | 'readMessage' | 'clear'> = {
		append: (chunk) => {
			for (const line of splitter.push(chunk)) {
				if (line instanceof TooLong) throw new Error('message too long');
				lines.push(line);
			}
		},
		readMessage: () => {
			const line = lines.shift();
			return line === undefined ? null : deserializeMessage(line);
		},
		clear: () => {
			splitter = new LineSplitter(limit);
			lines = [];
		},
	};
	Object.assign(transport, { _readBuffer: buffer });
}

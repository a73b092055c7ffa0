import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { bufferMessages } from '../../../server/upstreams/message-buffer.ts';

/** The transport to a program in Node that prints something. @returns what comes, and how it ends */
async function start(program: string, limit: number) {
	const transport = new StdioClientTransport({ command: process.execPath, args: ['-e', program] });
	bufferMessages(transport, limit);
	const messages: unknown[] = [];
	const errors: Error[] = [];
	transport.onmessage = (message) => void messages.push(message);
	transport.onerror = (error) => void errors.push(error);
	const closed = new Promise<void>((resolve) => {
		transport.onclose = resolve;
	});
	onTestFinished(async () => await transport.close());
	await transport.start();
	return { messages, errors, closed };
}

const WAIT = 'setInterval(() => {}, 1_000);';
const message = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping', params: { of: 'ä€😀' } });

test('messages come whole and in order, however they are cut', async () => {
	const text = [1, 2, 3].map((id) => JSON.stringify(message(id))).join('\r\n');
	const program = `const bytes = Buffer.from(${JSON.stringify(`no message\n${text}\n`)});
		let at = 0;
		const next = () => at < bytes.length && process.stdout.write(bytes.subarray(at, ++at), () => setImmediate(next));
		next();`;
	const { messages, errors, closed } = await start(program, 1_000);
	await closed;
	expect(messages).toEqual([1, 2, 3].map(message));
	expect(errors).toHaveLength(1);
});

test('a message over the limit ends the connection', async () => {
	const lines = `${JSON.stringify(message(1))}\n${'x'.repeat(1_001)}\n`;
	const { messages, errors, closed } = await start(`process.stdout.write(${JSON.stringify(lines)}); ${WAIT}`, 1_000);
	await closed;
	expect(messages).toEqual([]);
	expect(errors.map(({ message: what }) => what)).toEqual(['message too long']);
});

import { expect, test } from 'vitest';
import { type Handler, McpServer, type McpServerOptions, type Transport } from '../../../server/protocol/mcp-server.ts';
import type { Message, Outgoing } from '../../../server/protocol/messages.ts';

/** What a server sends for a call of a tool that tells of its progress once. */
async function sentFor(progressToken: unknown): Promise<readonly Outgoing[]> {
	const sent: Outgoing[] = [];
	const transport: Transport = {
		start: async () => {},
		send: async (message) => {
			// As it is written.
			sent.push(JSON.parse(JSON.stringify(message)) as Outgoing);
		},
	};
	const server = new McpServer({
		version: '1.0.0',
		handlers: {
			'tools/list': async () => ({ result: {} }),
			'tools/call': async (_, { progress }) => {
				progress?.({ progress: 1 });
				return { result: {} };
			},
		},
		onClient: () => {},
	});
	await server.connect(transport);
	transport.onmessage?.({ id: 1, method: 'tools/call', params: { _meta: { progressToken } } });
	await expect.poll(() => sent.some((message) => 'id' in message)).toBe(true);
	return sent;
}

test.each(['token', 0])('progress goes to the token %j that the client gave', async (progressToken) => {
	const told = { method: 'notifications/progress', params: { progress: 1, progressToken } };
	expect(await sentFor(progressToken)).toEqual([told, { id: 1, result: {} }]);
});

// Too deep to be written again, one ended the broker.
test.each([
	['null', null],
	['a list', []],
	['lists in one another', JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)],
])('what is no token of progress asks for none: %s', async (_, progressToken) => {
	expect(await sentFor(progressToken)).toEqual([{ id: 1, result: {} }]);
});

/** A server of which both requests are answered so, and what it has sent. */
async function answering(
	handler: Handler,
	more: Partial<McpServerOptions> = {},
): Promise<{ receive(message: Message): void; sent: readonly Outgoing[] }> {
	const sent: Outgoing[] = [];
	const transport: Transport = { start: async () => {}, send: async (message) => void sent.push(message) };
	const handlers = { 'tools/list': handler, 'tools/call': handler };
	await new McpServer({ version: '1.0.0', handlers, onClient: () => {}, ...more }).connect(transport);
	return { receive: (message) => transport.onmessage?.(message), sent };
}

test('after a request was cancelled nothing is said of it any more', async () => {
	const { receive, sent } = await answering(async (_, { progress }) => {
		await new Promise(setImmediate);
		progress?.({ progress: 1 });
		return { result: {} };
	});
	receive({ id: 1, method: 'tools/call', params: { _meta: { progressToken: 'p' } } });
	receive({ method: 'notifications/cancelled', params: { requestId: 1 } });
	receive({ id: 2, method: 'tools/call' });
	await expect.poll(() => sent).toContainEqual({ id: 2, result: {} });
	expect(sent).toHaveLength(1);
});

test.each([{}, { code: 1, data: 'x' }])('of an error that was not foreseen nothing is told: with %j', async (more) => {
	const { receive, sent } = await answering(async () => {
		throw Object.assign(new Error('/home/jo/private.md'), more);
	});
	receive({ id: 1, method: 'tools/list' });
	await expect.poll(() => sent).toEqual([{ id: 1, error: { code: -32603, message: 'Internal error' } }]);
});

test('a client that does not wait for the answer to its greeting gets that first all the same', async () => {
	let say = (_text: string) => {};
	const instructions = () =>
		new Promise<string>((resolve) => {
			say = resolve;
		});
	const { receive, sent } = await answering(async () => ({ result: {} }), { instructions });
	const clientInfo = { name: 'a', version: '1' };
	receive({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
	receive({ id: 2, method: 'tools/list' });
	await new Promise(setImmediate);
	expect(sent).toEqual([]);
	say('Use it.');
	await expect.poll(() => sent).toMatchObject([{ id: 1, result: { instructions: 'Use it.' } }, { id: 2 }]);
});

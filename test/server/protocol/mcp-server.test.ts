import { expect, test } from 'vitest';
import { McpServer, type Transport } from '../../../server/protocol/mcp-server.ts';
import type { Outgoing } from '../../../server/protocol/messages.ts';

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

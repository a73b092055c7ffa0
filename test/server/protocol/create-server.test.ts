import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { ClientInfo } from '../../../server/claude-code/client.ts';
import type { BrokerError } from '../../../server/errors.ts';
import { createServer } from '../../../server/protocol/create-server.ts';
import type { Transport } from '../../../server/protocol/mcp-server.ts';
import { toMessage } from '../../../server/protocol/messages.ts';
import { defineTool, type Tool, type ToolCall } from '../../../server/tools/tool.ts';

const CLIENT = { name: 'test', version: '1.0.0' };

function toolThat(handle: (input: object, call: ToolCall) => Promise<string>, extra: Partial<Tool> = {}): Tool {
	const withText = async (input: object, call: ToolCall) => ({ text: await handle(input, call) });
	return { ...defineTool({ name: 'x', input: () => z.strictObject({}), handle: withText }), ...extra };
}

async function connect(tools: readonly Tool[], shown: readonly string[] = tools.map(({ name }) => name)) {
	const reported: BrokerError[] = [];
	const clients: (ClientInfo | undefined)[] = [];
	const server = createServer({
		tools,
		shown: async () => new Set(shown),
		version: '1.2.3',
		report: (error) => reported.push(error),
		onClient: (client) => clients.push(client),
	});
	const client = new Client(CLIENT);
	const [ours, theirs] = InMemoryTransport.createLinkedPair();
	await Promise.all([server.connect(asTransport(ours)), client.connect(theirs)]);
	onTestFinished(() => client.close());
	return { client, reported, clients };
}

/** The SDK's transport in memory, as the broker's own. */
function asTransport(transport: InMemoryTransport): Transport {
	const own: Transport = {
		start: async () => await transport.start(),
		send: async (message) => await transport.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage),
	};
	transport.onmessage = (value) => {
		const message = toMessage(value);
		if (message !== undefined) own.onmessage?.(message);
	};
	return own;
}

test('it calls itself by the version that it is given, and tells how the client calls itself', async () => {
	const { client, clients } = await connect([toolThat(async () => 'text')]);
	expect(client.getServerVersion()).toEqual({ name: 'context-broker', version: '1.2.3' });
	expect(clients).toEqual([CLIENT]);
});

test('a tool is told who calls it, as far as the client says', async () => {
	const calls: ToolCall[] = [];
	const { client } = await connect([
		toolThat(async (_, call) => {
			calls.push(call);
			return 'text';
		}),
	]);
	const ids = [undefined, 'toolu_1', '', 5, null, ['toolu_1']];
	for (const id of ids) {
		await client.callTool({ name: 'x', arguments: {}, _meta: id === undefined ? {} : { 'claudecode/toolUseId': id } });
	}
	expect(calls).toEqual(
		[undefined, 'toolu_1', '', '', '', ''].map((toolUseId) =>
			expect.objectContaining({ client: expect.objectContaining(CLIENT), toolUseId, progress: undefined }),
		),
	);
});

test('a tool without a listing is not listed, and one that the caller can not reach answers as if it did not exist', async () => {
	const listing = { title: 'Y', description: 'y', annotations: {}, meta: {}, exposure: 'safe' } as const;
	const { client } = await connect(
		[
			toolThat(async () => 'text'),
			toolThat(async () => 'text', { name: 'y', listing }),
			toolThat(async () => 'text', { name: 'hidden', listing }),
			toolThat(async () => 'text', { name: 'z', isVisibleTo: ({ toolUseId }) => toolUseId === undefined }),
		],
		['y'],
	);
	expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['y']);
	await expect(client.callTool({ name: 'z', arguments: {} })).resolves.toMatchObject({ content: [{ text: 'text' }] });
	const _meta = { 'claudecode/toolUseId': 'toolu_1' };
	const refusal = await client.callTool({ name: 'z', arguments: {}, _meta }).catch((error: unknown) => error);
	expect(refusal).toMatchObject({ code: -32602 });
	for (const name of ['none', 'hidden']) {
		await expect(client.callTool({ name, arguments: {}, _meta })).rejects.toEqual(refusal);
	}
});

test.each([
	['an error', () => Promise.reject(new RangeError('private text')), 'The error is RangeError'],
	['what is no error', () => Promise.reject('private text'), 'The error is string'],
])(
	'a tool that fails in an unforeseen way gives internal_error, and nothing of what was thrown: %s',
	async (_, handle, note) => {
		const { client, reported } = await connect([toolThat(handle)]);
		const result = await client.callTool({ name: 'x', arguments: {} });
		expect(result).toMatchObject({ isError: true, _meta: { 'context-broker/error': { code: 'internal_error' } } });
		expect(JSON.stringify(result)).not.toContain('private');
		expect(reported).toMatchObject([{ code: 'internal_error', note }]);
	},
);

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { BrokerError } from '../../../server/errors.ts';
import { createServer } from '../../../server/protocol/create-server.ts';
import { defineTool, type Tool } from '../../../server/tools/tool.ts';

function toolThat(handle: () => Promise<string>): Tool {
	const input = z.strictObject({});
	return defineTool({ name: 'x', title: 'X', description: 'x', annotations: {}, meta: {}, input, handle });
}

async function connect(tool: Tool) {
	const reported: BrokerError[] = [];
	const server = createServer([tool], '1.2.3', (error) => reported.push(error));
	const client = new Client({ name: 'test', version: '1.0.0' });
	const [ours, theirs] = InMemoryTransport.createLinkedPair();
	await Promise.all([server.connect(ours), client.connect(theirs)]);
	onTestFinished(() => client.close());
	return { client, reported };
}

test('it calls itself by the version that it is given', async () => {
	const { client } = await connect(toolThat(async () => 'text'));
	expect(client.getServerVersion()).toEqual({ name: 'context-broker', version: '1.2.3' });
});

test.each([
	['an error', () => Promise.reject(new RangeError('private text')), 'It is called RangeError'],
	['what is no error', () => Promise.reject('private text'), 'It is called string'],
])(
	'a tool that fails in an unforeseen way gives internal_error, and nothing of what was thrown: %s',
	async (_, handle, note) => {
		const { client, reported } = await connect(toolThat(handle));
		const result = await client.callTool({ name: 'x', arguments: {} });
		expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'internal_error' } } });
		expect(JSON.stringify(result)).not.toContain('private');
		expect(reported).toMatchObject([{ code: 'internal_error', note }]);
	},
);

/**
 * An MCP server whose tool `give` returns a letter as many times as asked. Its listing asks for results of `limit`
 * characters to be delivered whole.
 *
 *     node sized-server.mjs <limit>
 */
import { createInterface } from 'node:readline';

const limit = Number(process.argv[2]);

/** @type {Record<string, (params: any) => object>} */
const results = {
	initialize: ({ protocolVersion }) => ({
		protocolVersion,
		capabilities: { tools: {} },
		serverInfo: { name: 'sized', version: '1.0.0' },
	}),
	'tools/list': () => ({
		tools: [{ name: 'give', inputSchema: { type: 'object' }, _meta: { 'anthropic/maxResultSizeChars': limit } }],
	}),
	'tools/call': ({ arguments: { letter, count } }) => ({ content: [{ type: 'text', text: letter.repeat(count) }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) return;
	const result = results[method]?.(params);
	const outcome = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
	process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});

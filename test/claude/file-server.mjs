/**
 * An MCP server whose tool `give` returns a file: as one text, a text a line, or structured content.
 *
 *     node file-server.mjs <file>
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const text = readFileSync(process.argv[2] ?? '', 'utf8');
const lines = text.split('\n').filter((line) => line !== '');

/** @type {Record<string, object>} */
const given = {
	text: { content: [{ type: 'text', text }] },
	lines: { content: lines.map((line) => ({ type: 'text', text: line })) },
	structured: { content: [{ type: 'text', text: JSON.stringify({ lines }) }], structuredContent: { lines } },
	number: { content: [{ type: 'text', text: '{"number":7}' }], structuredContent: { number: 7 } },
};

/** @type {Record<string, (params: any) => object | undefined>} */
const results = {
	initialize: ({ protocolVersion }) => ({
		protocolVersion,
		capabilities: { tools: {} },
		serverInfo: { name: 'file', version: '1.0.0' },
	}),
	'tools/list': () => ({ tools: [{ name: 'give', inputSchema: { type: 'object' } }] }),
	'tools/call': ({ arguments: { as } }) => given[as],
};

createInterface({ input: process.stdin }).on('line', (line) => {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) return;
	const result = results[method]?.(params);
	const outcome = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
	process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});

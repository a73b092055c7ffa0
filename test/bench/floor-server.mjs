/**
 * `floor-server.mjs <folder>`: a minimal server with `load_context`, without packages, checks or a map. A key is the name of
 * a Markdown file in the folder. The difference to the broker is the broker's cost.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [, , folder = ''] = process.argv;
const inputSchema = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] };

/** @type {Record<string, (params: any) => object | Promise<object>>} */
const methods = {
	initialize: ({ protocolVersion }) => ({
		protocolVersion,
		capabilities: { tools: {} },
		serverInfo: { name: 'floor', version: '1.0.0' },
	}),
	'tools/list': () => ({ tools: [{ name: 'load_context', description: 'Returns a file.', inputSchema }] }),
	'tools/call': async ({ arguments: { key } }) => ({
		content: [{ type: 'text', text: await readFile(join(folder, `${key}.md`), 'utf8') }],
	}),
};

createInterface({ input: process.stdin }).on('line', async (line) => {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) return;
	const result = await methods[method]?.(params);
	process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
});

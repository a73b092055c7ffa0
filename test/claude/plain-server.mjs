import { createInterface } from 'node:readline';

/**
 * Serves one tool, `give`, over MCP on standard input and output, without packages: so a result is to the letter.
 *
 * @param {string} name of the server
 * @param {(input: any) => object | undefined} give what a call gives
 * @param {object} meta of the tool
 */
export function serve(name, give, meta = {}) {
	/** @type {Record<string, (params: any) => object | undefined>} */
	const results = {
		initialize: ({ protocolVersion }) => ({
			protocolVersion,
			capabilities: { tools: {} },
			serverInfo: { name, version: '1.0.0' },
		}),
		'tools/list': () => ({ tools: [{ name: 'give', inputSchema: { type: 'object' }, _meta: meta }] }),
		'tools/call': ({ arguments: input }) => give(input),
	};
	createInterface({ input: process.stdin }).on('line', (line) => {
		const { id, method, params } = JSON.parse(line);
		if (id === undefined) return;
		const result = results[method]?.(params);
		const outcome = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
		process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
	});
}

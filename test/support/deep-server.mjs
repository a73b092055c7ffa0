// An MCP server on standard input and output whose answers are too deeply nested for JSON.stringify. So it writes the JSON
// itself.
import { createInterface } from 'node:readline';

const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);
const tool = (/** @type {string} */ name) => `{"name":"${name}","inputSchema":{"type":"object"}}`;

/** @type {Record<string, (params: { protocolVersion?: string, name?: string }) => string>} */
const RESULTS = {
	initialize: ({ protocolVersion }) =>
		`{"protocolVersion":"${protocolVersion}","capabilities":{"tools":{}},"serverInfo":{"name":"deep","version":"1"}}`,
	'tools/list': () =>
		`{"tools":[${['result', 'error', 'progress'].map(tool)},{"name":"listed","inputSchema":{"type":"object"},"_meta":{"d":${DEEP}}}]}`,
	'tools/call': ({ name }) => `{"content":[]${name === 'result' ? `,"structuredContent":{"d":${DEEP}}` : ''}}`,
};

for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) continue;
	if (params?.name === 'progress') {
		const fields = `"progressToken":${JSON.stringify(params._meta.progressToken)},"progress":1,"_meta":{"d":${DEEP}}`;
		process.stdout.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{${fields}}}\n`);
	}
	const outcome =
		params?.name === 'error'
			? `"error":{"code":-32000,"message":"no","data":${DEEP}}`
			: `"result":${RESULTS[method]?.(params)}`;
	process.stdout.write(`{"jsonrpc":"2.0","id":${id},${outcome}}\n`);
}

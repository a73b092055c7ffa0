/**
 * Takes leave of a client that waits for a server: tells it that it is connected, to a server without tools. Claude Code
 * 2.1.332 remembers a connection that failed for 15 minutes, and does not start that server in the sessions that follow,
 * also when the reason is gone. In the language of Node.js 12, see too-old.cjs.
 *
 * @returns {Promise<void>} when the client has asked what it asks at a start, or says nothing
 */
export function takeLeave() {
	return new Promise((resolve) => {
		const done = () => {
			clearTimeout(timer);
			process.stdin.destroy();
			resolve();
		};
		let timer = setTimeout(done, 1_000);
		let unread = '';
		process.stdout.on('error', done);
		process.stdin.setEncoding('utf8').on('end', done).on('error', done);
		process.stdin.on('data', (text) => {
			clearTimeout(timer);
			timer = setTimeout(done, 5_000);
			const lines = (unread + text).split('\n');
			unread = /** @type {string} */ (lines.pop());
			for (const line of lines) {
				const asked = leaveTakingAnswer(line);
				if (asked === undefined) continue;
				process.stdout.write(`${JSON.stringify(asked.answer)}\n`);
				if (asked.method === 'tools/list') done();
			}
		});
		process.stdin.resume();
	});
}

/** @param {string} line a JSON-RPC message, as the MCP specification has it */
function leaveTakingAnswer(line) {
	let message;
	try {
		message = JSON.parse(line);
	} catch {
		return undefined; // No client speaks so.
	}
	const { id, method, params } = Object(message);
	if (id === undefined || method === undefined) return undefined;
	/** @type {Map<unknown, object>} */
	const results = new Map([
		[
			'initialize',
			{
				protocolVersion: Object(params).protocolVersion,
				capabilities: { tools: {} },
				serverInfo: { name: 'context-broker', version: 'not ready' },
			},
		],
		['tools/list', { tools: [] }],
		['ping', {}],
	]);
	const result = results.get(method);
	const outcome = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
	return { method, answer: { jsonrpc: '2.0', id, ...outcome } };
}

/**
 * Takes leave of a client that waits for a server: tells it that it is connected, to a server without tools. Claude Code
 * 2.1.332 remembers a connection that failed, and does not start that server in the sessions that follow, also when
 * the reason is gone.
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
			unread = lines.pop() ?? '';
			for (const line of lines) {
				const asked = leaveTakingAnswer(line);
				if (asked) process.stdout.write(`${JSON.stringify(asked.answer)}\n`);
				if (asked?.method === 'tools/list') done();
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
	const { id, method, params } = message ?? {};
	if (id === undefined || method === undefined) return undefined;
	/** @type {Record<string, object>} */
	const results = {
		initialize: {
			protocolVersion: params?.protocolVersion,
			capabilities: { tools: {} },
			serverInfo: { name: 'context-broker', version: 'not ready' },
		},
		'tools/list': { tools: [] },
		ping: {},
	};
	const result = Object.hasOwn(results, method) ? results[method] : undefined;
	const outcome = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
	return { method, answer: { jsonrpc: '2.0', id, ...outcome } };
}

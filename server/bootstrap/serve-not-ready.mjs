/**
 * Serves no tools. Claude Code 2.1.332 remembers a failed connection for 15 minutes and does not start that server in later
 * sessions; so it gets a connection. In the syntax of Node.js 12, see report.cjs. @returns {Promise<void>}
 */
export function serveNotReady() {
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
				const reply = replyTo(line);
				if (reply === undefined) continue;
				process.stdout.write(`${JSON.stringify(reply.answer)}\n`);
				if (reply.method === 'tools/list') done();
			}
		});
		process.stdin.resume();
	});
}

/** @param {string} line a JSON-RPC message */
function replyTo(line) {
	let message;
	try {
		message = JSON.parse(line);
	} catch {
		return undefined; // Clients do not send this.
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

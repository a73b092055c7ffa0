/**
 * An MCP server for tests, in plain Node. It logs each call, and writes its process id beside the log.
 *
 *     recording-server.mjs <log>            over stdio
 *     recording-server.mjs <log> <port>     over streamable HTTP, on loopback
 *
 * Environment variables:
 * - BROKEN_TOOL: a tool that is listed without its schema
 * - TASK_TOOL: a tool that runs only as a task
 * - INSTRUCTIONS: its instructions
 * - LATE: milliseconds that it takes to start
 * - LOADED_FROM: an address that it must reach to start
 * - UNANSWERED: a method that it does not answer
 * - REFUSED: a method that it answers with an error
 * - ASKED: a method that it sends to its client at each call over stdio
 * - PAGE: how many tools it lists at once
 * - LAST_CURSOR: the cursor on the last page
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** @typedef {(message: object) => void} Tell */

const [log = '', port] = process.argv.slice(2);
const {
	BROKEN_TOOL,
	TASK_TOOL,
	INSTRUCTIONS,
	LATE = '0',
	LOADED_FROM,
	UNANSWERED,
	REFUSED,
	ASKED,
	PAGE,
	LAST_CURSOR,
} = process.env;
/** @param {string} text */
const note = (text) => appendFileSync(log, `${text}\n`);
let tools = ['echo', 'fetch', 'slow', 'big', 'garbage', 'secret', 'fails', 'die', 'grow'];

/** @param {string} value */
const text = (value) => ({ content: [{ type: 'text', text: value }] });
/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The response of a port on this machine, or why there is none. @param {number} target */
function fetched(target) {
	return new Promise((resolve) => {
		let got = '';
		connect(target, '127.0.0.1')
			.on('data', (chunk) => {
				got += chunk;
			})
			.on('end', () => resolve(got))
			.on('error', (error) => resolve('code' in error ? error.code : error.name));
	});
}

/** @param {any} params @param {Tell} tell */
async function call({ name, arguments: input = {}, _meta = {} }, tell) {
	note(`call ${name} ${JSON.stringify(input)}`);
	if (ASKED !== undefined) tell({ id: 'asked', method: ASKED, params: {} });
	switch (name) {
		case 'echo':
			return { ...text(JSON.stringify(input)), structuredContent: { input }, _meta: { mine: 1 }, unknown: [1.5] };
		case 'fetch':
			return text(await fetched(input.port));
		case 'slow':
			for (let i = 1; i <= input.steps; i++) {
				await wait(input.ms);
				if (_meta.progressToken !== undefined && input.tells) {
					tell({
						method: 'notifications/progress',
						params: { progressToken: _meta.progressToken, progress: i, message: `step ${i}` },
					});
				}
			}
			return text('slept');
		case 'big':
			return text('x'.repeat(input.size));
		case 'garbage':
			if (port === undefined) process.stdout.write('no JSON\n');
			return text('after garbage');
		case 'secret':
			tell({
				method: 'notifications/progress',
				params: { progressToken: _meta.progressToken, progress: 1, message: 'secret' },
			});
			return text('the secret');
		case 'fails':
			return { isError: true, ...text('the secret failed') };
		case 'die':
			process.exit(1);
			break;
		case 'grow':
			tools = [...tools, 'more'];
			tell({ method: 'notifications/tools/list_changed' });
			return text('grown');
	}
	throw { code: -32077, message: 'no such thing', data: { of: name } };
}

/** @param {any} message @param {Tell} tell */
async function answer(message, tell) {
	switch (message.method) {
		case 'initialize': {
			const { protocolVersion } = message.params;
			return {
				protocolVersion,
				capabilities: { tools: { listChanged: true } },
				serverInfo: { name: 'recording', version: '1' },
				instructions: INSTRUCTIONS,
			};
		}
		case 'tools/list': {
			const from = Number(message.params?.cursor ?? 0);
			const to = from + Number(PAGE ?? tools.length);
			return {
				...(to < tools.length ? { nextCursor: `${to}` } : { nextCursor: LAST_CURSOR }),
				tools: tools.slice(from, to).map((name) => ({
					name,
					title: `The ${name}`,
					description: `Does ${name}.`,
					...(name === BROKEN_TOOL ? {} : { inputSchema: { type: 'object', 'x-mine': true } }),
					annotations: { readOnlyHint: name === 'echo' },
					_meta: { at: name },
					...(name === TASK_TOOL && { execution: { taskSupport: 'required' } }),
				})),
			};
		}
		case 'tools/call':
			return await call(message.params, tell);
		case 'ping':
			return {};
		default:
			throw { code: -32601, message: 'Method not found' };
	}
}

/**
 * @param {any} message
 * @param {Tell} tell
 * @returns the response; none for a notification
 */
async function respond(message, tell) {
	if (message.method === 'notifications/cancelled') note(`cancelled ${JSON.stringify(message.params)}`);
	if (message.method === undefined) note(`answer ${JSON.stringify(message)}`);
	if (message.method === undefined || message.id === undefined || message.method === UNANSWERED) return undefined;
	try {
		if (message.method === REFUSED) throw { code: -32603, message: 'refused' };
		return { jsonrpc: '2.0', id: message.id, result: await answer(message, tell) };
	} catch (error) {
		return { jsonrpc: '2.0', id: message.id, error };
	}
}

writeFileSync(`${log}.pid`, `${process.pid}`);
await wait(Number(LATE));
if (LOADED_FROM !== undefined) {
	const socket = connect(Number(LOADED_FROM), '127.0.0.1').on('error', (error) => {
		process.stderr.write(`It can not be loaded: ${'code' in error ? error.code : error.name}\n`, () => process.exit(1));
	});
	await new Promise((resolve) => socket.on('connect', resolve));
	socket.destroy();
}
if (port === undefined) {
	/** @param {object} message */
	const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	if (process.env.OUTLIVES_INPUT !== undefined) setInterval(() => {}, 1_000);
	createInterface({ input: process.stdin }).on('line', async (line) => {
		const response = await respond(JSON.parse(line), send);
		if (response !== undefined) send(response);
	});
} else {
	createServer((request, response) => {
		if (request.method !== 'POST') return void response.writeHead(405).end();
		let body = '';
		request.on('data', (chunk) => {
			body += chunk;
		});
		request.on('end', async () => {
			note(`headers ${JSON.stringify(request.headers)}`);
			const result = await respond(JSON.parse(body), () => {});
			if (result === undefined) response.writeHead(202).end();
			else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
		});
	}).listen(Number(port), '127.0.0.1', () => note('listening'));
}

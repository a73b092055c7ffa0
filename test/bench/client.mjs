import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** In milliseconds: without an answer for this long, the benchmark gives up. */
const ANSWER_TIMEOUT_MS = 120_000;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.on('exit', () => {
	for (const child of running) child.kill('SIGKILL');
});
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
	process.once(signal, () => process.exit(1));
}

/**
 * How to start a program.
 *
 * @typedef {object} Program
 * @property {readonly string[]} args Node's arguments
 * @property {NodeJS.ProcessEnv} env the whole environment
 */

/**
 * Starts Node. The process is killed at the end, whatever happens to the benchmark.
 *
 * @param {Program} program
 */
export function start({ args, env }) {
	const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
	running.add(child);
	child.on('close', () => running.delete(child));
	return child;
}

/** An MCP client of a program over stdio. Handles one request at a time, and does no work of its own while the clock runs. */
export class Client {
	/** @param {Program} program */
	constructor(program) {
		this.child = start(program);
		this.closed = once(this.child, 'close');
		this.requests = 0;
		this.expected = '';
		/** @type {Buffer[]} */
		this.chunks = [];
		/** @type {(answer: Buffer) => void} */
		this.onAnswer = () => {};
		/** @type {(error: Error) => void} */
		this.onFailure = () => {};
		this.child.stdout.on('data', (/** @type {Buffer} */ chunk) => this.read(chunk));
		this.child.stdin.on('error', (error) => this.onFailure(error));
		this.child.on('close', () => this.onFailure(new Error(`${program.args.join(' ')} ended without an answer`)));
	}

	get pid() {
		return this.child.pid ?? 0;
	}

	/** Keeps bytes: strings would be garbage-collected in the middle of the next measurement. @param {Buffer} chunk */
	read(chunk) {
		this.chunks.push(chunk);
		if (chunk.at(-1) !== 0x0a) return;
		const lines = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks);
		this.chunks = [];
		// All other lines are notifications.
		if (lines.includes(this.expected)) this.onAnswer(lines);
	}

	/** @param {object} message */
	send(message) {
		this.child.stdin.write(`${JSON.stringify(message)}\n`);
	}

	/**
	 * @param {string} method
	 * @param {object} params
	 * @returns {Promise<Buffer>} the answer, maybe with notifications; not parsed, because parsing is not the server's time
	 */
	async ask(method, params) {
		this.requests += 1;
		const id = this.requests;
		this.expected = `"id":${id}`;
		/** @type {NodeJS.Timeout | undefined} */
		let timer;
		try {
			return await new Promise((resolve, reject) => {
				this.onAnswer = resolve;
				this.onFailure = reject;
				timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), ANSWER_TIMEOUT_MS);
				this.send({ jsonrpc: '2.0', id, method, params });
			});
		} finally {
			clearTimeout(timer);
			this.onFailure = () => {};
		}
	}

	/** Initializes the connection. @param {{ name: string, version: string }} clientInfo */
	async introduce(clientInfo = { name: 'bench', version: '1.0.0' }) {
		await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
		this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
		await this.ask('tools/list', {});
	}

	/** @param {ToolCall} call @returns {Promise<number>} the round trip in milliseconds */
	async time(call) {
		const before = performance.now();
		const answer = await this.ask('tools/call', call);
		const time = performance.now() - before;
		if (answer.includes('"isError"') || answer.includes('"error"')) textOf(answer);
		return time;
	}

	/** Times several calls in a row. @param {number} times @param {ToolCall} call */
	async timeAll(times, call) {
		const values = [];
		for (let n = 0; n < times; n++) values.push(await this.time(call));
		return values;
	}

	/** @param {ToolCall} call @returns {Promise<string>} the result's text */
	async call(call) {
		return textOf(await this.ask('tools/call', call));
	}

	/** Kills the program and waits until it is gone, so that the next measurement has the machine to itself. */
	async end() {
		this.child.kill('SIGKILL');
		await this.closed;
	}
}

/**
 * The parameters of a `tools/call`.
 *
 * @typedef {object} ToolCall
 * @property {string} name
 * @property {object} arguments
 * @property {object} [_meta]
 */

/** @param {Buffer} answer to a `tools/call` @returns {string} */
function textOf(answer) {
	const lines = answer.toString().trimEnd().split('\n');
	const { result, error } = lines.map((line) => JSON.parse(line)).find(({ id }) => id !== undefined);
	if (error || result.isError) throw new Error(`a call failed: ${answer.toString('utf8', 0, 500)}`);
	return result.content[0].text;
}

/**
 * Connects to a program, and ends it afterwards.
 *
 * @template T
 * @param {Program} program
 * @param {(client: Client) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withClient(program, use) {
	const client = new Client(program);
	try {
		return await use(client);
	} finally {
		await client.end();
	}
}

/**
 * The time from a program's start to the answer of its first call.
 *
 * @param {Program} program
 * @param {ToolCall | undefined} call if undefined, the list of tools is asked for
 * @returns {Promise<number>} milliseconds
 */
export async function timeStart(program, call) {
	const before = performance.now();
	return await withClient(program, async (client) => {
		await client.introduce();
		const answer = call && (await client.ask('tools/call', call));
		const time = performance.now() - before;
		if (answer !== undefined) textOf(answer);
		return time;
	});
}

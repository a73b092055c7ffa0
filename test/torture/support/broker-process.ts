import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LOAD_CONTEXT } from '../../../server/claude-code/tools.ts';
import { errorCodeOf, type Message } from '../../support/broker.ts';
import { SCANNER } from '../../support/guard.ts';
import { ROOT } from './root.ts';

const BOOTSTRAP = join(ROOT, 'server', 'bootstrap.cjs');

/** Milliseconds after which an answer is not waited for any more. */
const PATIENCE = 60_000;

const running = new Set<ChildProcessWithoutNullStreams>();

/** Nothing of what was started outlives the harness. */
process.on('exit', () => {
	for (const child of running) child.kill('SIGKILL');
});

/** The environment of a broker, without anything of the one that the harness runs in. */
export function environmentOf(home: string, data: string): Record<string, string> {
	return { PATH: process.env.PATH ?? '', HOME: home, CLAUDE_PLUGIN_DATA: data };
}

/** Builds the broker in a data folder, for the processes to come. */
export async function prepare(home: string, data: string): Promise<void> {
	await promisify(execFile)(process.execPath, [BOOTSTRAP, 'prepare'], { env: environmentOf(home, data) });
}

/** A broker as a process of its own, whose client is Claude Code. */
export class BrokerProcess {
	readonly #child: ChildProcessWithoutNullStreams;
	readonly #closed: Promise<unknown>;
	readonly #waiting = new Map<string, { resolve(message: Message): void; reject(error: Error): void }>();
	#partial = '';
	#asked = 0;
	#isClosed = false;

	/** Starts one, and introduces the client. */
	static async start(env: Record<string, string>): Promise<BrokerProcess> {
		const broker = new BrokerProcess(env);
		const clientInfo = { name: 'claude-code', version: '2.1.332' };
		await broker.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
		broker.#send({ method: 'notifications/initialized' });
		return broker;
	}

	private constructor(env: Record<string, string>) {
		this.#child = spawn(process.execPath, [BOOTSTRAP], { env });
		const child = this.#child;
		running.add(child);
		child.stderr.resume();
		child.stdin.on('error', () => {});
		child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
		this.#closed = once(child, 'close').then(() => {
			running.delete(child);
			this.#isClosed = true;
			for (const { reject } of this.#waiting.values()) reject(new Error('the broker has ended'));
		});
	}

	get pid(): number {
		return this.#child.pid ?? 0;
	}

	/** Asks, and waits for the answer to this request. */
	async ask(method: string, params: object): Promise<Message> {
		if (this.#isClosed) throw new Error('the broker has ended');
		this.#asked += 1;
		const id = `t${this.#asked}`;
		const { promise, ...settle } = withResolvers<Message>();
		this.#waiting.set(id, settle);
		const timer = setTimeout(() => settle.reject(new Error(`no answer to ${method}`)), PATIENCE);
		this.#send({ id, method, params });
		return await promise.finally(() => {
			clearTimeout(timer);
			this.#waiting.delete(id);
		});
	}

	/** Calls a tool. @returns the text of the result, or the code of its error */
	async call(name: string, input: object, toolUseId?: string): Promise<string> {
		const _meta = toolUseId === undefined ? {} : { 'claudecode/toolUseId': toolUseId };
		const { result, error } = await this.ask('tools/call', { name, arguments: input, _meta });
		const code = errorCodeOf(result);
		return code ?? (result?.content as { text: string }[] | undefined)?.[0]?.text ?? String(error?.code);
	}

	/** Loads a key as an agent of Claude Code does: the hook asks first. */
	async load(key: string, toolUseId: string, session: string, agent = 'a1'): Promise<string> {
		await this.approve(key, toolUseId, session, agent);
		return await this.call('load_context', { key }, toolUseId);
	}

	/** The hook before a load. */
	async approve(key: string, toolUseId: string, session: string, agent = 'a1'): Promise<string> {
		return await this.call('guard', {
			hook_event_name: 'PreToolUse',
			session_id: session,
			agent_id: agent,
			agent_type: SCANNER,
			tool_name: LOAD_CONTEXT,
			tool_use_id: toolUseId,
			tool_input: JSON.stringify({ key }),
		});
	}

	/** Ends it: its input, or the process at once. */
	async end(how: 'in order' | 'SIGKILL'): Promise<void> {
		if (how === 'in order') this.#child.stdin.end();
		else this.#child.kill('SIGKILL');
		await this.#closed;
	}

	#send(message: object): void {
		this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	}

	#take(text: string): void {
		const lines = (this.#partial + text).split('\n');
		this.#partial = lines.pop() ?? '';
		for (const line of lines) {
			const message = JSON.parse(line) as Message;
			this.#waiting.get(String(message.id))?.resolve(message);
		}
	}
}

/** The processes of which the command line holds a text. Linux only. */
export function processesWith(text: string): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name) && commandLine(name).includes(text))
		.map(Number);
}

/** How many descriptors a process has open. Linux only. */
export function descriptorsOf(pid: number): number {
	return readdirSync(`/proc/${pid}/fd`).length;
}

/** Waits until something is so. @returns whether it became so in time */
export async function becomes(isSo: () => boolean | Promise<boolean>, milliseconds: number): Promise<boolean> {
	for (const end = performance.now() + milliseconds; performance.now() < end; ) {
		if (await isSo()) return true;
		await delay(20);
	}
	return await isSo();
}

function commandLine(pid: string): string {
	try {
		// A process that has ended and was not waited for has none.
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
	} catch {
		return '';
	}
}

/** `Promise.withResolvers`, which Node has from 22 on. */
function withResolvers<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: Error): void } {
	let resolve: (value: T) => void = () => {};
	let reject: (error: Error) => void = () => {};
	const promise = new Promise<T>((onValue, onError) => {
		resolve = onValue;
		reject = onError;
	});
	return { promise, resolve, reject };
}

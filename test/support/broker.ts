import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { inject, onTestFinished } from 'vitest';
import { LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { noteErrors } from './given-errors.ts';
import { BOOTSTRAP } from './paths.ts';
import { temporaryFolder } from './temporary.ts';

/** A broker's environment, for the user with this home folder and with the shared data folder. */
export function brokerEnvironment(home: string, extra: Record<string, string> = {}): Record<string, string> {
	const system = { PATH: process.env.PATH ?? '', ...inject('fakedSystem') };
	return { ...system, HOME: home, USERPROFILE: home, CLAUDE_PLUGIN_DATA: inject('preparedData'), ...extra };
}

/** A data folder of the running test, with a built broker. Copied: on Windows, most accounts may not make links. */
export async function dataFolder(): Promise<string> {
	const data = await temporaryFolder();
	const builds = join(inject('preparedData'), 'builds');
	await cp(builds, join(data, 'builds'), { recursive: true, preserveTimestamps: true });
	return data;
}

/** A broker with a connected client of the SDK. */
export interface ConnectedBroker {
	readonly client: Client;
	/** Its standard error so far. */
	errors(): string;
	load(key: string): Promise<CallToolResult>;
}

export async function connectBroker(home: string, extra: Record<string, string> = {}): Promise<ConnectedBroker> {
	const transport = new StdioClientTransport({
		command: process.execPath,
		args: [BOOTSTRAP],
		env: brokerEnvironment(home, extra),
		stderr: 'pipe',
	});
	let errors = '';
	transport.stderr?.on('data', (chunk: Buffer) => {
		errors += chunk.toString();
	});
	const client = new Client({ name: 'test', version: '1.0.0' });
	await client.connect(transport);
	const receive = transport.onmessage;
	transport.onmessage = (message) => {
		noteErrors(JSON.stringify(message));
		receive?.(message);
	};
	onTestFinished(() => client.close());
	return {
		client,
		errors: () => errors,
		load: async (key) => (await client.callTool({ name: 'load_context', arguments: { key } })) as CallToolResult,
	};
}

/** A broker to exchange raw bytes with. */
export interface RawBroker {
	readonly process: ChildProcessWithoutNullStreams;
	send(...messages: readonly (object | string | Buffer)[]): void;
	/** The next line of standard output, parsed. Every line must be JSON. */
	receive(): Promise<Message>;
	/** The same without notifications, which can come at any time. */
	answer(): Promise<Message>;
	/** Its standard error so far. */
	errors(): string;
	/** Ends the input. @returns the exit code and the messages not received yet */
	finish(): Promise<{ code: number | null; rest: Message[]; errors: string }>;
}

/** The fields of a JSON-RPC message that the tests use. */
export interface Message {
	readonly id?: string | number | null;
	readonly result?: Record<string, unknown>;
	readonly error?: { readonly code: number; readonly message: string };
	/** Set in notifications. */
	readonly method?: string;
	readonly params?: Readonly<Record<string, unknown>>;
}

/** The code if a result is one of the broker's own errors; otherwise undefined. */
export function errorCodeOf(result: Message['result']): string | undefined {
	const { 'context-broker/error': error } = Object(result?._meta) as { 'context-broker/error'?: { code: string } };
	return error?.code;
}

/** A result's text, or its error's code. */
export function outcomeOf({ result, error }: Message): string {
	const code = errorCodeOf(result);
	return code ?? (result?.content as { text: string }[] | undefined)?.[0]?.text ?? String(error?.code);
}

export const INITIALIZE = initializeAs('test', '1.0.0');

/** The broker's message on standard error to clients other than Claude Code, once. */
export const KEY_ONLY =
	'context-broker: This MCP client is not Claude Code, so the broker does not know which agent is calling. Anyone who knows a key gets its content.\n';

/** A JSON-RPC request. */
interface Request {
	readonly jsonrpc: '2.0';
	readonly id: string | number;
	readonly method: string;
	readonly params: Readonly<Record<string, unknown>>;
}

/** The `initialize` request of a client with this name and version. */
export function initializeAs(name: string, version: string): Request {
	const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version } };
	return { jsonrpc: '2.0', id: 'initialize', method: 'initialize', params };
}

/** @param command starts the broker; by default with Node, as the client does */
export function startBroker(
	home: string,
	extra: Record<string, string> = {},
	[program, ...args]: [string, ...string[]] = [process.execPath, BOOTSTRAP],
): RawBroker {
	const child = spawn(program, args, { env: brokerEnvironment(home, extra) });
	onTestFinished(() => void child.kill('SIGKILL'));
	const lines: Message[] = [];
	let errors = '';
	let partial = '';
	let wake = () => {};
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		errors += text;
		noteErrors(text);
	});
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		partial += text;
		// Appending and splitting at each chunk would take minutes for a line of 50 MB.
		if (!text.includes('\n')) return;
		noteErrors(partial);
		const parts = partial.split('\n');
		partial = parts.pop() ?? '';
		lines.push(...parts.map((part) => JSON.parse(part) as Message));
		wake();
	});
	const closed = once(child, 'close').then(([code]) => code as number | null);
	const receive = async () => {
		for (;;) {
			const line = lines.shift();
			if (line !== undefined) return line;
			await new Promise<void>((resolve) => {
				wake = resolve;
			});
		}
	};
	return {
		process: child,
		send: (...messages) => {
			for (const message of messages) {
				const raw = typeof message === 'string' || Buffer.isBuffer(message);
				child.stdin.write(raw ? message : `${JSON.stringify(message)}\n`);
			}
		},
		receive,
		answer: async () => {
			for (;;) {
				const message = await receive();
				if (message.id !== undefined) return message;
			}
		},
		errors: () => errors,
		finish: async () => {
			child.stdin.end();
			const code = await closed;
			return { code, rest: lines.splice(0), errors };
		},
	};
}

/** Sends requests in any order and collects all messages. */
export function conversation(broker: RawBroker) {
	const received: Message[] = [];
	const waiting = new Map<unknown, (message: Message) => void>();
	let next = 1;
	let isFinished = false;
	void (async () => {
		while (!isFinished) {
			const message = await broker.receive();
			received.push(message);
			waiting.get(message.id)?.(message);
		}
	})();
	const answerTo = (id: number | string) => {
		const earlier = received.find((message) => message.id === id);
		return earlier === undefined
			? new Promise<Message>((resolve) => void waiting.set(id, resolve))
			: Promise.resolve(earlier);
	};
	const ask = async (method: string, params: object) => {
		const id = `t${next++}`;
		const answer = new Promise<Message>((resolve) => void waiting.set(id, resolve));
		broker.send({ jsonrpc: '2.0', id, method, params });
		return await answer.finally(() => waiting.delete(id));
	};
	const finish = async () => {
		isFinished = true;
		const end = await broker.finish();
		return { ...end, rest: [...received, ...end.rest] };
	};
	return { received, answerTo, ask, finish };
}

/**
 * A `tools/call` of `load_context`.
 *
 * @param toolUseId the id of a model's tool use; clients other than Claude Code send none
 */
export function loadRequest(id: string | number, key: unknown, toolUseId?: unknown): Request {
	return callRequest(id, 'load_context', { key }, toolUseId);
}

/** Claude Code's question to the broker for a hook; by default before the scanner loads. */
export function guardRequest(id: string | number, toolUseId: string, key: string, fields: object = {}): Request {
	return callRequest(id, 'guard', {
		hook_event_name: 'PreToolUse',
		tool_name: LOAD_CONTEXT,
		tool_use_id: toolUseId,
		tool_input: JSON.stringify({ key }),
		agent_id: 'a1',
		agent_type: 'context-broker:privacy-scanner',
		...fields,
	});
}

/** A `tools/call` of any tool. */
export function callRequest(id: string | number, name: string, input: object, toolUseId?: unknown): Request {
	const _meta = toolUseId === undefined ? {} : { _meta: { 'claudecode/toolUseId': toolUseId } };
	return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: input, ..._meta } };
}

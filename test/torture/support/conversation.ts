import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** As much of a JSON-RPC message as the rows look at. */
export interface Answer {
	readonly id?: unknown;
	readonly result?: {
		readonly isError?: boolean;
		readonly content?: readonly { readonly text: string }[];
		readonly structuredContent?: Readonly<Record<string, unknown>>;
		readonly _meta?: Readonly<Record<string, unknown>>;
		readonly tools?: readonly { readonly name: string }[];
	};
	readonly error?: { readonly code: number; readonly message: string };
}

/** Milliseconds after which an answer does not come any more. */
const PATIENCE = 60_000;

/** A client that speaks MCP to a process. */
export class Conversation {
	readonly ended: Promise<number | null>;
	readonly #process: ChildProcess;
	readonly #waiting = new Map<unknown, (answer: Answer | undefined) => void>();
	#next = 1;
	#errors = '';
	#unread = '';
	#isOver = false;

	/** @param child its input and output are pipes, and so may be its standard error */
	constructor(child: ChildProcess) {
		this.#process = child;
		child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(text));
		child.stderr?.setEncoding('utf8').on('data', (text: string) => {
			this.#errors = (this.#errors + text).slice(-10_000);
		});
		this.ended = once(child, 'close').then(([code]) => {
			this.#isOver = true;
			for (const answer of this.#waiting.values()) answer(undefined);
			return code as number | null;
		});
		this.ended.catch(() => {});
	}

	/** What it has printed on standard error. */
	get errors(): string {
		return this.#errors;
	}

	/** Says what a client says first. @returns undefined where it ended before it answered */
	async initialize(name = 'torture', version = '1'): Promise<Answer | undefined> {
		const clientInfo = { name, version };
		const answer = await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
		this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
		return answer;
	}

	/** @returns undefined where it ended before it answered, or was silent for a minute */
	async ask(method: string, params: object): Promise<Answer | undefined> {
		if (this.#isOver) return undefined;
		const id = this.#next++;
		const answered = new Promise<Answer | undefined>((resolve) => {
			const timer = setTimeout(() => resolve(undefined), PATIENCE);
			this.#waiting.set(id, (answer) => {
				clearTimeout(timer);
				resolve(answer);
			});
		});
		this.send({ jsonrpc: '2.0', id, method, params });
		return await answered;
	}

	/** Calls a tool. @param toolUseId as Claude Code tells it */
	async call(name: string, input: object, toolUseId?: string): Promise<Answer | undefined> {
		const _meta = toolUseId === undefined ? {} : { _meta: { 'claudecode/toolUseId': toolUseId } };
		return await this.ask('tools/call', { name, arguments: input, ..._meta });
	}

	send(message: object): void {
		this.#process.stdin?.write(`${JSON.stringify(message)}\n`);
	}

	/** Ends the input, and waits until the process has ended. @returns its exit code */
	async finish(): Promise<number | null> {
		this.#process.stdin?.end();
		return await this.ended;
	}

	#take(text: string): void {
		const lines = (this.#unread + text).split('\n');
		this.#unread = lines.pop() ?? '';
		for (const line of lines) {
			const answer = JSON.parse(line) as Answer;
			this.#waiting.get(answer.id)?.(answer);
			this.#waiting.delete(answer.id);
		}
	}
}

/** The code of the error that a tool answers with, or `delivered`. */
export function codeOf(answer: Answer | undefined): string {
	if (answer === undefined) return 'no answer';
	if (answer.error !== undefined) return `JSON-RPC error ${answer.error.code}`;
	if (answer.result?.isError !== true) return 'delivered';
	return String((answer.result._meta?.['context-broker/error'] as { code?: string } | undefined)?.code);
}

/** The text of a result. */
export function textOf(answer: Answer | undefined): string | undefined {
	return answer?.result?.content?.[0]?.text;
}

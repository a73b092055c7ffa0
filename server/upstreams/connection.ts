import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolListChangedNotificationSchema, ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';

/** A result as the server sent it. */
export type RawResult = Record<string, unknown>;

/** A tool as its server lists it, whatever fields it has. */
export interface RawTool extends RawResult {
	readonly name: string;
}

/** Takes whatever comes: what a server says passes through as it is. */
const rawResult = z.looseObject({});

const toolList = z.looseObject({
	tools: z.array(z.looseObject({ name: z.string() })),
	nextCursor: z.string().optional(),
});

/** Pages of a list of tools; a server that never ends is cut. */
const MOST_PAGES = 100;

/** Milliseconds for a sign of life from a server that may be gone. */
const SIGN_OF_LIFE = 2_000;

/** Milliseconds for the end of a session; the broker's own end waits for it. */
const CLOSE_TIMEOUT_MS = 500;

const UNPASSED = ['resources', 'prompts', 'completions'] as const;

const AS_TASK_ONLY = 'it can be called as a task only, and the broker calls none';

export interface ConnectionOptions {
	readonly transport: Transport & { readonly terminateSession?: () => Promise<void> };
	/** The broker's own version. */
	readonly version: string;
	/** Milliseconds. */
	readonly timeout: number;
	/** Aborted where it is not wanted any more, before it is made. */
	readonly signal?: AbortSignal;
	/** Told when the server says that its tools are others. */
	readonly onToolsChanged: () => void;
	/** Told of a tool that is left out, and why: the end of a sentence. */
	readonly onLeftOut: (name: string, reason: string) => void;
	/** Whether its server is known to be gone: the system can know before the connection does. */
	readonly isGone?: () => boolean;
	/** Told when the connection is over, or could not be made. */
	readonly onClose?: () => void;
}

/** A connection to one instance of a server, from its `initialize` to its end. */
export class Connection {
	readonly #client: Client;
	readonly #timeout: number;
	readonly #onLeftOut: (name: string, reason: string) => void;
	readonly #isGone: () => boolean;
	readonly #transport: ConnectionOptions['transport'];
	#isOpen = true;

	private constructor(client: Client, { transport, timeout, onLeftOut, isGone = () => false }: ConnectionOptions) {
		this.#client = client;
		this.#transport = transport;
		this.#timeout = timeout;
		this.#onLeftOut = onLeftOut;
		this.#isGone = isGone;
	}

	/** Connects. Rejects with whatever went wrong; then nothing is left of it. */
	static async open(options: ConnectionOptions): Promise<Connection> {
		const { transport, version, timeout, signal, ...told } = options;
		const client = new Client({ name: 'context-broker', version }, { capabilities: {} });
		const connection = new Connection(client, options);
		client.onclose = () => {
			connection.#isOpen = false;
			told.onClose?.();
		};
		client.onerror = (error) => connection.#doubt(error);
		client.setNotificationHandler(ToolListChangedNotificationSchema, () => told.onToolsChanged());
		try {
			await client.connect(transport, { timeout, ...(signal && { signal }) });
		} catch (error) {
			await client.close().catch(() => {});
			throw error;
		}
		keepOrder(transport);
		return connection;
	}

	get isOpen(): boolean {
		return this.#isOpen && !this.#isGone();
	}

	/** What the server says to a model of how to use it. */
	get instructions(): string | undefined {
		return this.#client.getInstructions();
	}

	/** What the server offers beside tools; none of it passes through the broker. */
	get unpassed(): string[] {
		return UNPASSED.filter((name) => this.#client.getServerCapabilities()?.[name] !== undefined);
	}

	/**
	 * All tools of the server; none where it offers none. Without those that can only be called as a task
	 * (specification 2025-11-25), and those that a client would not take: of a list with one of them it takes none, so the
	 * broker's own and those of other servers would be gone as well.
	 */
	async tools(): Promise<RawTool[]> {
		if (this.#client.getServerCapabilities()?.tools === undefined) return [];
		const tools: RawTool[] = [];
		let cursor: string | undefined;
		for (let page = 0; page < MOST_PAGES; page++) {
			const params = cursor === undefined ? {} : { cursor };
			const list = await this.#client.request({ method: 'tools/list', params }, toolList, { timeout: this.#timeout });
			tools.push(...list.tools.filter((tool) => this.#isUsable(tool)));
			const { nextCursor } = list;
			// Some servers end with an empty cursor, and some know no pages: the same one again would lead to the same tools.
			if (nextCursor === undefined || nextCursor === '' || nextCursor === cursor) break;
			cursor = nextCursor;
		}
		return tools;
	}

	#isUsable(tool: RawTool): boolean {
		const [issue] = ToolSchema.safeParse(tool).error?.issues ?? [];
		const field = issue === undefined ? Object.keys(tool).find((name) => isTooDeep(tool[name])) : String(issue.path[0]);
		const isTask = Object(tool.execution).taskSupport === 'required';
		const reason = field === undefined ? isTask && AS_TASK_ONLY : `${field} is not as MCP has it`;
		if (reason !== false) this.#onLeftOut(tool.name, reason);
		return reason === false;
	}

	/** Calls a tool. The request is on its way when this returns, where the transport allows it. */
	call(params: RawResult, options: RequestOptions): Promise<RawResult> {
		return this.#client.request({ method: 'tools/call', params }, rawResult, {
			...options,
			timeout: this.#timeout,
			resetTimeoutOnProgress: true,
		});
	}

	/** Also ends the session of a server that listens, which would keep it, where the server lets that happen at once. */
	async close(): Promise<void> {
		const ending = this.#transport.terminateSession?.().catch(() => {});
		await Promise.race([ending, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
		await this.#client.close();
	}

	/**
	 * A server that is gone takes the streams of HTTP with it, but nobody says whose answer is lost (the SDK would wait
	 * for it until the time limit).
	 */
	#doubt(error: Error): void {
		if (!this.#isOpen || !error.message.startsWith('SSE stream disconnected')) return;
		this.#client.ping({ timeout: SIGN_OF_LIFE }).catch(() => this.#client.close());
	}
}

/** Whether a value of JSON can't be written again, though it was read. */
function isTooDeep(value: unknown): boolean {
	try {
		JSON.stringify(value);
		return false;
	} catch {
		return true;
	}
}

/** The SDK (1.32) looks at a notification a moment later than at a response, and drops what was said of its progress before. */
function keepOrder(transport: Transport): void {
	const receive = transport.onmessage;
	transport.onmessage = (message, extra) => {
		if ('method' in message) receive?.(message, extra);
		else queueMicrotask(() => receive?.(message, extra));
	};
}

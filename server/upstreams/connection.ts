import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolListChangedNotificationSchema, ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';

export type RawResult = Record<string, unknown>;

export interface RawTool extends RawResult {
	readonly name: string;
}

const rawResult = z.looseObject({});

const toolList = z.looseObject({
	tools: z.array(z.looseObject({ name: z.string() })),
	nextCursor: z.string().optional(),
});

/** A server with an endless list of tools must not hang the broker. */
const MAX_PAGES = 100;

const PING_TIMEOUT_MS = 2_000;

/** The broker's own shutdown waits for this. */
const CLOSE_TIMEOUT_MS = 500;

const UNPASSED = ['resources', 'prompts', 'completions'] as const;

const AS_TASK_ONLY = 'it can be called only as a task, which the broker does not support';

export interface ConnectionOptions {
	readonly transport: Transport & { readonly terminateSession?: () => Promise<void> };
	readonly version: string;
	readonly timeout: number;
	readonly signal: AbortSignal;
	readonly onToolsChanged: () => void;
	/** @param reason the end of a sentence, for the user */
	readonly onLeftOut: (name: string, reason: string) => void;
	/** The system can know of the server's end before the connection does. */
	readonly isGone?: () => boolean;
	/** Also called if the connection could not be made. */
	readonly onClose?: () => void;
}

export class Connection {
	readonly #client: Client;
	readonly #options: ConnectionOptions;
	#isOpen = true;

	private constructor(client: Client, options: ConnectionOptions) {
		this.#client = client;
		this.#options = options;
	}

	static async open(options: ConnectionOptions): Promise<Connection> {
		const { transport, version, timeout, signal, onToolsChanged, onClose } = options;
		const client = new Client({ name: 'context-broker', version }, { capabilities: {} });
		const connection = new Connection(client, options);
		client.onclose = () => {
			connection.#isOpen = false;
			onClose?.();
		};
		client.onerror = (error) => connection.#probe(error);
		client.setNotificationHandler(ToolListChangedNotificationSchema, () => onToolsChanged());
		try {
			await client.connect(transport, { timeout, signal });
		} catch (error) {
			await client.close().catch(() => {});
			throw error;
		}
		keepOrder(transport);
		return connection;
	}

	get isOpen(): boolean {
		return this.#isOpen && this.#options.isGone?.() !== true;
	}

	get instructions(): string | undefined {
		return this.#client.getInstructions();
	}

	/** What the server offers beside tools. None of it passes through the broker. */
	get unpassed(): string[] {
		return UNPASSED.filter((name) => this.#client.getServerCapabilities()?.[name] !== undefined);
	}

	/** Without invalid tools and tools that run only as a task: a client would reject the whole list. */
	async tools(): Promise<RawTool[]> {
		if (this.#client.getServerCapabilities()?.tools === undefined) return [];
		const tools: RawTool[] = [];
		let cursor: string | undefined;
		for (let page = 0; page < MAX_PAGES; page++) {
			const params = cursor === undefined ? {} : { cursor };
			const list = await this.#client.request({ method: 'tools/list', params }, toolList, {
				timeout: this.#options.timeout,
			});
			tools.push(...list.tools.filter((tool) => this.#isUsable(tool)));
			const { nextCursor } = list;
			// Some servers end the list with an empty cursor, and some repeat the page.
			if (nextCursor === undefined || nextCursor === '' || nextCursor === cursor) break;
			cursor = nextCursor;
		}
		return tools;
	}

	#isUsable(tool: RawTool): boolean {
		const [issue] = ToolSchema.safeParse(tool).error?.issues ?? [];
		const field = issue === undefined ? Object.keys(tool).find((name) => isTooDeep(tool[name])) : String(issue.path[0]);
		const isTask = Object(tool.execution).taskSupport === 'required';
		const reason = field === undefined ? isTask && AS_TASK_ONLY : `its ${field} does not follow MCP`;
		if (reason !== false) this.#options.onLeftOut(tool.name, reason);
		return reason === false;
	}

	call(params: RawResult, options: RequestOptions): Promise<RawResult> {
		return this.#client.request({ method: 'tools/call', params }, rawResult, {
			...options,
			timeout: this.#options.timeout,
			resetTimeoutOnProgress: true,
		});
	}

	/** Also ends the session on an HTTP server, unless that takes longer than CLOSE_TIMEOUT_MS. */
	async close(): Promise<void> {
		const ending = this.#options.transport.terminateSession?.().catch(() => {});
		await Promise.race([ending, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
		await this.#client.close();
	}

	/**
	 * After a broken HTTP stream, the SDK waits for lost answers until the time limit. A failed ping closes the connection.
	 */
	#probe(error: Error): void {
		if (!this.#isOpen || !error.message.startsWith('SSE stream disconnected')) return;
		this.#client.ping({ timeout: PING_TIMEOUT_MS }).catch(() => this.#client.close());
	}
}

/** Whether parsed JSON is too deeply nested to be serialised again. */
function isTooDeep(value: unknown): boolean {
	try {
		JSON.stringify(value);
		return false;
	} catch {
		return true;
	}
}

/** The SDK (1.32) handles a notification after a response that follows it, and so drops its progress. */
function keepOrder(transport: Transport): void {
	const receive = transport.onmessage;
	transport.onmessage = (message, extra) => {
		if ('method' in message) receive?.(message, extra);
		else queueMicrotask(() => receive?.(message, extra));
	};
}

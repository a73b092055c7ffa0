import type { ClientInfo } from '../claude-code/client.ts';
import {
	CANCELLED,
	INTERNAL_ERROR,
	INVALID_PARAMS,
	isObject,
	METHOD_NOT_FOUND,
	type Message,
	type Outgoing,
	type Params,
	type Request,
	type RequestId,
	RpcError,
} from './messages.ts';

/** Newest first. The parts of MCP that the broker uses are the same in all versions. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

export interface Transport {
	onmessage?: (message: Message) => void;
	start(): Promise<void>;
	send(message: Outgoing): Promise<void>;
}

export interface RequestContext {
	/** Aborted if the client cancels the request. */
	readonly signal: AbortSignal;
	readonly meta: Params;
	/** Undefined if the client did not ask for progress. */
	readonly progress: ((params: object) => void) | undefined;
}

/** A thrown error with a number as `code` becomes the answer's error. Any other becomes `INTERNAL_ERROR`. */
export type Handler = (params: Params, context: RequestContext) => Promise<Answer>;

export interface Answer {
	readonly result: object;
	/** Whether it is sent even if the request was cancelled. */
	readonly isSentAlways?: boolean;
}

export interface McpServerOptions {
	readonly version: string;
	readonly handlers: Readonly<Record<'tools/list' | 'tools/call', Handler>>;
	readonly instructions?: () => Promise<string | undefined>;
	readonly onClient: (client: ClientInfo | undefined) => void;
}

/** The part of MCP that a server of tools needs. The SDK's server would take as long to load as the rest of the broker. */
export class McpServer {
	readonly #options: McpServerOptions;
	readonly #handlers: ReadonlyMap<string, Handler>;
	readonly #running = new Map<RequestId, AbortController>();
	/** Resolves when `initialize` is answered: no other request is answered earlier. */
	#greeted: Promise<unknown> | undefined;
	#transport: Transport | undefined;
	#client: ClientInfo | undefined;

	constructor(options: McpServerOptions) {
		this.#options = options;
		this.#handlers = new Map([
			...Object.entries(options.handlers),
			['initialize', async (params: Params) => ({ result: await this.#initialize(params) })],
			['ping', async () => ({ result: {} })],
		]);
	}

	/** Undefined before `initialize`. */
	get client(): ClientInfo | undefined {
		return this.#client;
	}

	async connect(transport: Transport): Promise<void> {
		this.#transport = transport;
		transport.onmessage = (message) => this.#receive(message);
		await transport.start();
	}

	async notifyToolsChanged(): Promise<void> {
		await this.#transport?.send({ method: 'notifications/tools/list_changed' });
	}

	#receive(message: Message): void {
		if (message.id !== undefined) {
			const answered = this.#answer(message);
			if (message.method === 'initialize') this.#greeted = answered;
			return;
		}
		if (message.method === CANCELLED) this.#running.get(message.params?.requestId as RequestId)?.abort();
		else if (message.method === 'notifications/initialized') this.#options.onClient(this.#client);
	}

	async #answer({ id, method, params = {} }: Request): Promise<void> {
		const controller = new AbortController();
		this.#running.set(id, controller);
		const { signal } = controller;
		let answer: Outgoing;
		let isSentAlways = false;
		try {
			const handler = this.#handlers.get(method);
			if (handler === undefined) throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
			const { _meta: meta = {} } = params;
			if (!isObject(meta)) throw invalidParams(method);
			if (method !== 'initialize' && this.#greeted !== undefined) await this.#greeted;
			const given = await handler(params, { signal, meta, progress: this.#progressFor(meta, signal) });
			answer = { id, result: given.result };
			isSentAlways = given.isSentAlways === true;
		} catch (thrown) {
			answer = { id, error: faultOf(thrown) };
		}
		// If two requests have one id, the entry can be the other's.
		if (this.#running.get(id) === controller) this.#running.delete(id);
		if (!signal.aborted || isSentAlways) await this.#transport?.send(answer);
	}

	#progressFor({ progressToken }: Params, signal: AbortSignal): RequestContext['progress'] {
		// Any other value is invalid (specification 2025-11-25, Progress), and may be nested too deeply for JSON.stringify.
		if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return undefined;
		return (params) => {
			if (signal.aborted) return;
			void this.#transport?.send({ method: 'notifications/progress', params: { ...params, progressToken } });
		};
	}

	async #initialize({ protocolVersion, capabilities, clientInfo }: Params): Promise<object> {
		const { name, version } = Object(clientInfo) as Record<string, unknown>;
		if (typeof protocolVersion !== 'string' || !isObject(capabilities)) throw invalidParams('initialize');
		if (typeof name !== 'string' || typeof version !== 'string') throw invalidParams('initialize');
		this.#client = { name, version };
		const instructions = await this.#options.instructions?.();
		return {
			protocolVersion: VERSIONS.find((known) => known === protocolVersion) ?? VERSIONS[0],
			capabilities: { tools: { listChanged: true } },
			serverInfo: { name: 'context-broker', version: this.#options.version },
			...(instructions !== undefined && { instructions }),
		};
	}
}

export function invalidParams(method: string): RpcError {
	return new RpcError(INVALID_PARAMS, `Invalid params for ${method}`);
}

/** An unforeseen error gets a fixed message, since its own can contain anything. */
function faultOf(thrown: unknown): { code: number; message: string; data?: unknown } {
	const { code, message, data } = Object(thrown) as { code?: unknown; message?: unknown; data?: unknown };
	if (typeof code !== 'number') return { code: INTERNAL_ERROR, message: 'Internal error' };
	return { code, message: String(message), ...(data === undefined ? {} : { data }) };
}

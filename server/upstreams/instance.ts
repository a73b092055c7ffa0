import { setTimeout as delay } from 'node:timers/promises';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Connection, RawResult, RawTool } from './connection.ts';
import { ClosedToPrivate } from './transport.ts';

export class UnreachableError extends Error {}

/** The connection was lost before the answer came. */
export class ConnectionLostError extends Error {}

export type Connect = (onToolsChanged: () => void, signal: AbortSignal) => Promise<Connection>;

export interface InstanceOptions {
	readonly connect: Connect;
	readonly onTools: () => void;
	/** Called after each failed attempt, except those in the background. */
	readonly onUnreachable: (cause: unknown) => void;
	/** The instance whose first attempt this one waits for. */
	readonly after?: Instance | undefined;
	/** For servers that the broker does not start: they can become available later. */
	readonly retryUntilAvailable: boolean;
}

const [FIRST_RETRY_MS, MAX_RETRY_MS] = [1_000, 60_000];

/** One instance of a server. The next call renews a lost connection. */
export class Instance {
	/** Never rejects. */
	firstAttempt: Promise<unknown> = Promise.resolve();
	readonly #options: InstanceOptions;
	#connection: Connection | undefined;
	#connecting: Promise<Connection> | undefined;
	#tools: readonly RawTool[] | undefined;
	/** The last request for the tools. Requests run one after the other. */
	#reading: Promise<void> = Promise.resolve();
	readonly #closed = new AbortController();
	/** Whether a background attempt is running, whose failures are not reported. */
	#isRetrying = false;

	constructor(options: InstanceOptions) {
		this.#options = options;
	}

	get tools(): readonly RawTool[] | undefined {
		return this.#tools;
	}

	get greeting(): Pick<Connection, 'instructions' | 'unpassed'> | undefined {
		return this.#connection;
	}

	/** Connected, and its tools are listed. */
	get isReady(): boolean {
		return this.#connection?.isOpen === true && this.#tools !== undefined;
	}

	/** Connects. Never rejects. With `retryUntilAvailable`, keeps retrying in the background. */
	async start(): Promise<void> {
		this.firstAttempt = this.connect().catch(() => {});
		await this.firstAttempt;
		if (this.#options.retryUntilAvailable) void this.#retry();
	}

	/** Returns the open connection, or connects. @throws UnreachableError */
	async connect(): Promise<Connection> {
		if (this.#connection?.isOpen === true) return this.#connection;
		this.#connecting ??= this.#connect().finally(() => {
			this.#connecting = undefined;
		});
		return await this.#connecting;
	}

	/**
	 * Calls a tool. Never repeats a call that the server may have begun.
	 *
	 * @param mayStart checked right before the call is sent
	 * @param afterWaiting runs before that check if a connection had to be made
	 * @throws UnreachableError, ConnectionLostError, ClosedToPrivate, or the server's error
	 */
	async call(
		params: RawResult,
		options: RequestOptions,
		mayStart: () => boolean,
		afterWaiting = async () => {},
	): Promise<RawResult> {
		for (let isFirst = true; ; isFirst = false) {
			const hasToWait = this.#connection?.isOpen !== true;
			const connection = await this.connect();
			if (hasToWait) await afterWaiting();
			if (!mayStart()) throw new ClosedToPrivate();
			try {
				return await connection.call(params, options);
			} catch (error) {
				if (error instanceof ClosedToPrivate) throw error;
				if (isFirst && isSafeToRetry(error)) await connection.close().catch(() => {});
				else if (options.signal?.aborted !== true && !connection.isOpen)
					throw new ConnectionLostError('lost', { cause: error });
				else throw error;
			}
		}
	}

	async close(): Promise<void> {
		this.#closed.abort('closed');
		await this.#connection?.close();
	}

	async #retry(): Promise<void> {
		const { signal } = this.#closed;
		for (let pause = FIRST_RETRY_MS; this.#tools === undefined; pause = Math.min(2 * pause, MAX_RETRY_MS)) {
			await delay(pause, undefined, { ref: false, signal }).catch(() => {});
			if (signal.aborted) return;
			this.#isRetrying = true;
			const cause = await this.#findTools().catch((error: UnreachableError) => error.cause);
			this.#isRetrying = false;
			if (cause instanceof ClosedToPrivate) return;
		}
	}

	async #findTools(): Promise<void> {
		await this.connect();
		// An earlier attempt can have connected without reading the tools.
		if (this.#tools === undefined) await this.#readTools();
	}

	async #connect(): Promise<Connection> {
		try {
			const { after } = this.#options;
			if (after !== undefined) await after.firstAttempt;
			this.#closed.signal.throwIfAborted();
			const connection = await this.#options.connect(() => void this.#readTools(), this.#closed.signal);
			this.#connection = connection;
			if (this.#closed.signal.aborted) await connection.close();
			await this.#readTools();
			return connection;
		} catch (cause) {
			this.#report(cause);
			throw new UnreachableError('unreachable', { cause });
		}
	}

	#readTools(): Promise<void> {
		this.#reading = this.#reading.then(async () => await this.#readNow());
		return this.#reading;
	}

	async #readNow(): Promise<void> {
		const tools = await this.#connection?.tools().catch((error: unknown) => {
			this.#report(error);
			return undefined;
		});
		if (tools === undefined) return;
		this.#tools = tools;
		this.#options.onTools();
	}

	#report(cause: unknown): void {
		if (cause instanceof ClosedToPrivate || this.#closed.signal.aborted || this.#isRetrying) return;
		this.#options.onUnreachable(cause);
	}
}

/** Error codes from before the request was sent. */
const BEFORE_SENDING = [
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'UND_ERR_CONNECT_TIMEOUT',
];

/** An unknown session, in a message with status 400. Any other 400 can come after an effect. */
const UNKNOWN_SESSION = /session[- ]id|session not found|not initialized/i;

/** Whether the server was not reached, or did not know the session (404 by the specification, 400 on some servers). */
function isSafeToRetry(error: unknown): boolean {
	if (error instanceof StreamableHTTPError)
		return error.code === 404 || (error.code === 400 && UNKNOWN_SESSION.test(error.message));
	const { message, cause } = error as Error;
	if (message === 'Not connected') return true;
	return BEFORE_SENDING.includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}

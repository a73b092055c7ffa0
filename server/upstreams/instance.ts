import { setTimeout as delay } from 'node:timers/promises';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Connection, RawResult, RawTool } from './connection.ts';
import { ClosedToPrivate } from './transport.ts';

/** It can't be connected to; the cause says why. */
export class UnreachableError extends Error {}

/** The connection ended before the answer came. */
export class ConnectionLostError extends Error {}

/** Opens a connection to an instance. Rejects where there is none, or where it is not wanted any more. */
export type Connect = (onToolsChanged: () => void, signal: AbortSignal) => Promise<Connection>;

export interface InstanceOptions {
	readonly connect: Connect;
	/** Told when its tools are other than before. */
	readonly onTools: () => void;
	/** Told why it can't be reached, each time that a call, or the start, has tried it. */
	readonly onUnreachable: (cause: unknown) => void;
	/** One whose first start is over before this one is started. */
	readonly after?: Instance | undefined;
	/** Whether it may come later than the broker: somebody else starts it. */
	readonly retryUntilAvailable: boolean;
}

/** Milliseconds between looks for an instance that has not come yet; each pause is twice the one before. */
const PAUSE = { first: 1_000, longest: 60_000 };

/** One instance of a server: connected as long as that goes, and again for the next call where it was lost. */
export class Instance {
	readonly #options: InstanceOptions;
	#connection: Connection | undefined;
	#connecting: Promise<Connection> | undefined;
	#tools: readonly RawTool[] | undefined;
	/** The last question for the tools: answers count in the order of the questions. */
	#reading: Promise<void> = Promise.resolve();
	#firstAttempt: Promise<unknown> = Promise.resolve();
	readonly #closed = new AbortController();
	/** Nobody wants to know that it still is not there. */
	#isLookedFor = false;

	constructor(options: InstanceOptions) {
		this.#options = options;
	}

	/** Its tools as it said last; undefined as long as it has not. */
	get tools(): readonly RawTool[] | undefined {
		return this.#tools;
	}

	/** Resolves when the first attempt to connect is over, however it ended. */
	get firstAttempt(): Promise<unknown> {
		return this.#firstAttempt;
	}

	/** What it said of itself when it was connected last. */
	get greeting(): Pick<Connection, 'instructions' | 'unpassed'> | undefined {
		return this.#connection;
	}

	/** Whether it is connected, and has told its tools. */
	get isReady(): boolean {
		return this.#connection?.isOpen === true && this.#tools !== undefined;
	}

	/** Connects. Resolves where that does not succeed, too; one that comes later is looked for again then, until it has. */
	async start(): Promise<void> {
		this.#firstAttempt = this.connect().catch(() => {});
		await this.#firstAttempt;
		if (this.#options.retryUntilAvailable) void this.#lookForIt();
	}

	/** Connects, unless it is connected. @throws UnreachableError */
	async connect(): Promise<Connection> {
		if (this.#connection?.isOpen === true) return this.#connection;
		this.#connecting ??= this.#connect().finally(() => {
			this.#connecting = undefined;
		});
		return await this.#connecting;
	}

	/**
	 * Calls a tool, at most once: a call that the server may have begun is not repeated.
	 *
	 * @param mayStart asked in the moment in which the call is sent
	 * @param afterWaiting done before that where the call had to wait for a connection
	 * @throws UnreachableError, ConnectionLostError, ClosedToPrivate, or the error that the server answered with
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

	/** For good: a connection that is still being made is given up. */
	async close(): Promise<void> {
		this.#closed.abort('closed');
		await this.#connection?.close();
	}

	async #lookForIt(): Promise<void> {
		const { signal } = this.#closed;
		for (let pause = PAUSE.first; this.#tools === undefined; pause = Math.min(2 * pause, PAUSE.longest)) {
			await delay(pause, undefined, { ref: false, signal }).catch(() => {});
			if (signal.aborted) return;
			this.#isLookedFor = true;
			const cause = await this.#findTools().catch((error: UnreachableError) => error.cause);
			this.#isLookedFor = false;
			// That stays so.
			if (cause instanceof ClosedToPrivate) return;
		}
	}

	/** @throws UnreachableError */
	async #findTools(): Promise<void> {
		await this.connect();
		// It can have connected before without telling them.
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

	/** Where nothing more goes to it, that is no fault of the server. */
	#report(cause: unknown): void {
		if (cause instanceof ClosedToPrivate || this.#closed.signal.aborted || this.#isLookedFor) return;
		this.#options.onUnreachable(cause);
	}
}

/** Codes of errors that happen before a request has left. */
const BEFORE_SENDING = [
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'UND_ERR_CONNECT_TIMEOUT',
];

/** How servers say with status 400 that they do not know the session. Any other 400 can come after an effect. */
const UNKNOWN_SESSION = /session[- ]id|session not found|not initialized/i;

/**
 * Whether the server has certainly not begun with a request: it could not be reached, or did not know the session (404
 * by the specification, 400 by some servers), as after a restart.
 */
function isSafeToRetry(error: unknown): boolean {
	if (error instanceof StreamableHTTPError)
		return error.code === 404 || (error.code === 400 && UNKNOWN_SESSION.test(error.message));
	const { message, cause } = error as Error;
	if (message === 'Not connected') return true;
	return BEFORE_SENDING.includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}

import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ServerConfig } from '../context-map/server-config.ts';
import { BrokerError } from '../errors.ts';
import type { RawResult, RawTool } from './connection.ts';
import { ConnectionLostError, type Instance, UnreachableError } from './instance.ts';
import { ClosedToPrivate } from './transport.ts';

export interface UpstreamCall {
	readonly params: RawResult;
	readonly signal: AbortSignal;
	/** Undefined if the client did not ask for progress. */
	readonly onProgress: ((progress: RawResult) => void) | undefined;
	/** Whether the session holds private data. Once true, it stays true. */
	readonly isPrivate: () => boolean;
	/** Looks again: another process can serve the same session. */
	readonly refresh: () => Promise<void>;
	/** Called before private data is given out. @param given a result or an error @throws BrokerError */
	readonly notePrivate: (given: unknown) => Promise<void>;
}

export interface UpstreamState {
	readonly name: string;
	readonly tools: number;
	/** Whether it is connected and its tools are listed. */
	readonly isReached: boolean;
	readonly isIsolatedReached: boolean | undefined;
	readonly unpassed: readonly string[];
}

/** A server behind the broker: an open instance, and an isolated one for sessions with private data. */
export class Upstream {
	readonly config: ServerConfig;
	readonly #open: Instance;
	readonly #isolated: Instance | undefined;
	#started: Promise<unknown> = Promise.resolve();

	constructor(config: ServerConfig, open: Instance, isolated: Instance | undefined) {
		this.config = config;
		this.#open = open;
		this.#isolated = isolated;
	}

	start(): void {
		this.#started = Promise.all([this.#open.start(), this.#isolated?.start()]);
	}

	async started(): Promise<void> {
		await this.#started;
	}

	tools(isPrivate: boolean): readonly RawTool[] {
		const [first, second] = isPrivate ? [this.#isolated, this.#open] : [this.#open, this.#isolated];
		return first?.tools ?? second?.tools ?? [];
	}

	get state(): UpstreamState {
		return {
			name: this.config.name,
			tools: this.tools(false).length,
			isReached: this.#open.isReady,
			isIsolatedReached: this.#isolated?.isReady,
			unpassed: this.#open.greeting?.unpassed ?? [],
		};
	}

	get instructions(): string | undefined {
		return (this.#open.greeting ?? this.#isolated?.greeting)?.instructions;
	}

	get isListed(): boolean {
		return (this.#open.tools ?? this.#isolated?.tools) !== undefined;
	}

	/** Calls a tool on the instance that the session may use. @throws BrokerError, or the server's error */
	async call(tool: string, call: UpstreamCall): Promise<RawResult> {
		const isPrivateTool = this.config.privateTools.includes(tool);
		try {
			const result = await this.#call({ ...call.params, name: tool }, call, isPrivateTool);
			if (isPrivateTool) await call.notePrivate(result);
			return result;
		} catch (error) {
			// An error can repeat the result.
			if (isPrivateTool && !(error instanceof BrokerError)) await call.notePrivate(error);
			throw error;
		}
	}

	async #call(params: RawResult, call: UpstreamCall, isPrivateTool: boolean): Promise<RawResult> {
		const { isPrivate } = call;
		const options = {
			signal: withoutReason(call.signal),
			// Always requested, because progress extends the time limit. A private tool's messages are not passed on.
			onprogress: ({ message, ...progress }: RawResult) =>
				call.onProgress?.(isPrivateTool || message === undefined ? progress : { ...progress, message }),
		};
		if (!isPrivate() || this.#servesOpenly) {
			try {
				const mayStart = () => this.#servesOpenly || !isPrivate();
				return await this.#open.call(params, options, mayStart, call.refresh);
			} catch (error) {
				// The session can have received private data meanwhile.
				const isUnsent = error instanceof UnreachableError && isPrivate() && !this.#servesOpenly;
				if (!isUnsent && !(error instanceof ClosedToPrivate)) throw asBrokerError(error, 'upstream_unavailable');
			}
		}
		if (this.#isolated === undefined) throw new BrokerError('refused_when_private');
		try {
			return await this.#isolated.call(params, options, () => true);
		} catch (error) {
			throw asBrokerError(error, 'isolated_instance_unavailable');
		}
	}

	get #servesOpenly(): boolean {
		return this.#isolated === undefined && !this.config.refusesWhenPrivate;
	}

	async close(): Promise<void> {
		await Promise.all([this.#open.close(), this.#isolated?.close()]);
	}
}

function asBrokerError(error: unknown, unreachable: 'upstream_unavailable' | 'isolated_instance_unavailable'): unknown {
	if (error instanceof UnreachableError) return new BrokerError(unreachable, { cause: error });
	if (error instanceof ConnectionLostError) return new BrokerError('upstream_lost', { cause: error });
	if (!(error instanceof McpError)) return new BrokerError('upstream_lost', { cause: error });
	const isOurLimit = error.code === ErrorCode.RequestTimeout && hasTimeout(error.data);
	return isOurLimit ? new BrokerError('upstream_timeout', { cause: error }) : serverError(error);
}

/** The server's error without the prefix that the SDK adds. */
function serverError({ code, message, data }: McpError): Error {
	return Object.assign(new Error(message.replace(/^MCP error -?\d+: /, '')), { code, data });
}

/** Whether the SDK's own time limit is the cause: it marks the data. Servers use the same error code. */
function hasTimeout(data: unknown): boolean {
	return typeof (data as { timeout?: unknown } | undefined)?.timeout === 'number';
}

function withoutReason(signal: AbortSignal): AbortSignal {
	const controller = new AbortController();
	const abort = () => controller.abort('cancelled');
	if (signal.aborted) abort();
	else signal.addEventListener('abort', abort, { once: true });
	return controller.signal;
}

import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ServerConfig } from '../context-map/server-config.ts';
import { BrokerError } from '../errors.ts';
import type { RawResult, RawTool } from './connection.ts';
import { ConnectionLostError, type Instance, UnreachableError } from './instance.ts';
import { ClosedToPrivate } from './transport.ts';

/** What goes with a call. */
export interface UpstreamCall {
	/** Arguments and `_meta`, as the client sent them. */
	readonly params: RawResult;
	/** Aborted where the client does not want it any more. */
	readonly signal: AbortSignal;
	/** Passes on what the server says of its progress; undefined where the client did not ask. */
	readonly onProgress: ((progress: RawResult) => void) | undefined;
	/** Whether the session holds private data, now. Once it does, it does for good. */
	readonly isPrivate: () => boolean;
	/** Looks once more whether it does: another process can have found it in the meantime. */
	readonly lookAgain: () => Promise<void>;
	/** Takes note that the session holds private data, before what is private is given out. @throws BrokerError */
	readonly notePrivate: () => Promise<void>;
}

/** How a server stands. */
export interface UpstreamState {
	readonly name: string;
	/** How many it has told. */
	readonly tools: number;
	/** Whether it can be called and has told its tools. */
	readonly isReached: boolean;
	/** The same of its isolated instance; undefined where it has none. */
	readonly isIsolatedReached: boolean | undefined;
	/** What it offers beside tools, which stays behind the broker. */
	readonly unpassed: readonly string[];
}

/** A server behind the broker: the open instance, and the isolated one for sessions that hold private data. */
export class Upstream {
	readonly config: ServerConfig;
	readonly #open: Instance;
	readonly #isolated: Instance | undefined;
	/** Settled when each instance was connected, or could not be. */
	#started: Promise<unknown> = Promise.resolve();

	constructor(config: ServerConfig, open: Instance, isolated: Instance | undefined) {
		this.config = config;
		this.#open = open;
		this.#isolated = isolated;
	}

	/** Connects both instances, at the same time. */
	start(): void {
		this.#started = Promise.all([this.#open.start(), this.#isolated?.start()]);
	}

	async started(): Promise<void> {
		await this.#started;
	}

	/** Its tools, as far as one of the instances has told them. */
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

	/** What it says to a model of how to use it. */
	get instructions(): string | undefined {
		return (this.#open.greeting ?? this.#isolated?.greeting)?.instructions;
	}

	/** Whether it has told its tools yet. */
	get isListed(): boolean {
		return (this.#open.tools ?? this.#isolated?.tools) !== undefined;
	}

	/**
	 * Calls a tool, on the instance that the session may use.
	 *
	 * @param tool as the server names it
	 * @throws BrokerError, or the server's own error
	 */
	async call(tool: string, call: UpstreamCall): Promise<RawResult> {
		const isPrivateTool = this.config.privateTools.includes(tool);
		try {
			const result = await this.#call({ ...call.params, name: tool }, call, isPrivateTool);
			if (isPrivateTool) await call.notePrivate();
			return result;
		} catch (error) {
			// A server's error can say what its result would.
			if (isPrivateTool && !(error instanceof BrokerError)) await call.notePrivate();
			throw error;
		}
	}

	async #call(params: RawResult, call: UpstreamCall, isPrivateTool: boolean): Promise<RawResult> {
		const { isPrivate } = call;
		const options = {
			// The client's own words on why go to nobody.
			signal: withoutReason(call.signal),
			// Asked for in any case: it is a sign of life. What a private tool says on the way stays here.
			onprogress: ({ message, ...progress }: RawResult) =>
				call.onProgress?.(isPrivateTool || message === undefined ? progress : { ...progress, message }),
		};
		if (!isPrivate() || this.#servesOpenly) {
			try {
				const mayStart = () => this.#servesOpenly || !isPrivate();
				return await this.#open.call(params, options, mayStart, call.lookAgain);
			} catch (error) {
				// Private data can have come while the call was on its way out.
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

	/** Whether the open instance serves private sessions too: the user has configured nothing else. */
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
	return isOurLimit ? new BrokerError('upstream_timeout', { cause: error }) : asItCame(error);
}

/** The error of a server. The SDK puts words of its own before its message. */
function asItCame({ code, message, data }: McpError): Error {
	return Object.assign(new Error(message.replace(/^MCP error -?\d+: /, '')), { code, data });
}

/** The SDK's mark of its own time limit; servers use that code too. */
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

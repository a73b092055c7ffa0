import { setTimeout as delay } from 'node:timers/promises';
import type { RelayedOrigin } from '../context-map/isolated-tools.ts';
import { BrokerError } from '../errors.ts';
import type { ExposableTool } from '../exposure/policy.ts';
import type { RawResult, RawTool } from './connection.ts';
import type { UpstreamCall } from './upstream.ts';
import type { OfferedTool, Upstreams } from './upstreams.ts';

/** What the relay has to know of the session. */
export interface RelaySession<Call> {
	/** Whether it holds private data, now. Once it does, it does for good. */
	readonly isPrivate: boolean;
	/** Looks once more whether it does, since another process can serve it too. */
	lookAgain(): Promise<void>;
	/** Lets a call pass: looks up what has to be looked up, and refuses what would get at private files. @throws BrokerError */
	permit(call: Call, tool: string, input: unknown, origin: RelayedOrigin): Promise<void>;
	/** The broker has no result of the server for a call. */
	noteFailed(call: Call): void;
	/** Private data is about to be given out to whoever makes a call. @throws BrokerError `state_unwritable` */
	notePrivate(call: Call): Promise<void>;
}

/** Claude Code waits two seconds for a server that is connecting, before its first request. */
const GREETING_PATIENCE_MS = 1_500;

/** The servers behind the broker, as one set of tools. Until they are set up there is none. */
export class UpstreamRelay<Call extends { readonly signal: AbortSignal }> {
	readonly #session: RelaySession<Call>;
	readonly #started: Promise<unknown>;
	readonly #patience: () => number;
	readonly #begun = performance.now();
	#upstreams: Upstreams | undefined;

	/**
	 * @param upstreams started; resolves when it is known which there are
	 * @param patience milliseconds from now that a question for the tools waits for servers that are on their way;
	 *   not longer, since a server that does not answer takes no other tools along
	 */
	constructor(session: RelaySession<Call>, upstreams: Promise<Upstreams>, patience: () => number) {
		this.#session = session;
		this.#patience = patience;
		this.#started = upstreams.then((ready) => {
			this.#upstreams = ready;
			return ready.started();
		});
	}

	/** The tools, under the names that they have here. */
	async listings(): Promise<readonly RawTool[]> {
		await this.#settled(this.#patience());
		return [...this.#offered().values()].map(({ listing }) => listing);
	}

	/**
	 * What the servers say of how to use their tools, as far as they are there by now, or soon: no hook reaches the broker
	 * before this was answered.
	 *
	 * @param shown the names of the tools that are shown, here
	 */
	async instructions(shown: () => Promise<ReadonlySet<string>>): Promise<string | undefined> {
		await this.#settled(Math.min(this.#patience(), GREETING_PATIENCE_MS));
		return this.#upstreams?.instructions(this.#session.isPrivate, await shown());
	}

	/** @param patience milliseconds from the start */
	async #settled(patience: number): Promise<void> {
		const rest = this.#begun + patience - performance.now();
		const over = new AbortController();
		await Promise.race([
			this.#started,
			delay(Math.max(0, rest), undefined, { ref: false, signal: over.signal }).catch(() => {}),
		]);
		over.abort();
	}

	has(name: string): boolean {
		return this.#offered().has(name);
	}

	/** @throws BrokerError, or the error of the server */
	async call(
		name: string,
		call: Call & { readonly params: Readonly<RawResult>; readonly onProgress: UpstreamCall['onProgress'] },
	): Promise<RawResult> {
		const offered = this.#offered().get(name);
		if (offered === undefined) throw new Error('no such tool');
		try {
			await this.#session.permit(call, name, call.params.arguments, originOf(offered));
			return await offered.upstream.call(offered.tool, {
				params: call.params,
				signal: call.signal,
				onProgress: call.onProgress,
				isPrivate: () => this.#session.isPrivate,
				lookAgain: async () => await this.#session.lookAgain(),
				notePrivate: async () => await this.#session.notePrivate(call),
			});
		} catch (error) {
			if (error instanceof BrokerError) this.#session.noteFailed(call);
			throw error;
		}
	}

	/** Where a tool comes from; undefined where there is no such tool. */
	originOf(name: string): RelayedOrigin | undefined {
		const offered = this.#offered().get(name);
		return offered && originOf(offered);
	}

	exposable(): ExposableTool[] {
		return this.#upstreams?.exposable(this.#session.isPrivate) ?? [];
	}

	/** How the names of tools begin that are still to come; any can, as long as nobody knows which servers there are. */
	expected(): string[] {
		return this.#upstreams?.expected() ?? [''];
	}

	async close(): Promise<void> {
		await this.#upstreams?.close();
	}

	#offered(): ReadonlyMap<string, OfferedTool> {
		return this.#upstreams?.offered(this.#session.isPrivate) ?? new Map();
	}
}

function originOf({ upstream, tool, listing }: OfferedTool): RelayedOrigin {
	const { name: server, privateTools } = upstream.config;
	const isListedLarge = Object(listing._meta)['anthropic/maxResultSizeChars'] !== undefined;
	return { server, tool, isListedLarge, isPrivate: privateTools.includes(tool) };
}

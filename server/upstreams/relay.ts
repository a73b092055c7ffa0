import { setTimeout as delay } from 'node:timers/promises';
import type { RelayedOrigin } from '../context-map/isolated-tools.ts';
import { BrokerError } from '../errors.ts';
import type { ExposableTool } from '../exposure/policy.ts';
import type { RawResult, RawTool } from './connection.ts';
import type { UpstreamCall } from './upstream.ts';
import type { OfferedTool, Upstreams } from './upstreams.ts';

/** Claude Code waits two seconds for a server that connects. */
const GREETING_TIMEOUT_MS = 1_500;

export class OfferedTools {
	readonly #started: Promise<unknown>;
	readonly #isPrivate: () => boolean;
	readonly #begun = performance.now();
	#upstreams: Upstreams | undefined;

	constructor(upstreams: Promise<Upstreams>, isPrivate: () => boolean) {
		this.#isPrivate = isPrivate;
		this.#started = upstreams.then((ready) => {
			this.#upstreams = ready;
			return ready.started();
		});
	}

	get isPrivate(): boolean {
		return this.#isPrivate();
	}

	/** The offered tools under their names in the broker. @param patience milliseconds since the start to wait for servers */
	async listings(patience: number): Promise<readonly RawTool[]> {
		await this.#settled(patience);
		return [...this.#offered().values()].map(({ listing }) => listing);
	}

	/**
	 * Instructions of the servers that connect in time. No hook reaches the broker before this is answered, so it must be
	 * fast.
	 */
	async instructions(patience: number, shown: () => Promise<ReadonlySet<string>>): Promise<string | undefined> {
		await this.#settled(Math.min(patience, GREETING_TIMEOUT_MS));
		return this.#upstreams?.instructions(this.isPrivate, await shown());
	}

	async #settled(patience: number): Promise<void> {
		const rest = this.#begun + patience - performance.now();
		const over = new AbortController();
		await Promise.race([
			this.#started,
			delay(Math.max(0, rest), undefined, { ref: false, signal: over.signal }).catch(() => {}),
		]);
		over.abort();
	}

	get(name: string): OfferedTool | undefined {
		return this.#offered().get(name);
	}

	originOf(name: string): RelayedOrigin | undefined {
		const offered = this.#offered().get(name);
		return offered && originOf(offered);
	}

	exposable(): ExposableTool[] {
		return this.#upstreams?.exposable(this.isPrivate) ?? [];
	}

	/** Name prefixes of tools not listed yet; `['']` until the servers are known. */
	expected(): string[] {
		return this.#upstreams?.expected() ?? [''];
	}

	async close(): Promise<void> {
		await this.#upstreams?.close();
	}

	#offered(): ReadonlyMap<string, OfferedTool> {
		return this.#upstreams?.offered(this.isPrivate) ?? new Map();
	}
}

export interface RelayPolicy<Call> {
	/** Looks again whether the session holds private data: another process can serve the same session. */
	refresh(): Promise<void>;
	permit(call: Call, tool: string, input: unknown, origin: RelayedOrigin): Promise<void>;
	noteFailed(call: Call): void;
	/**
	 * Called before private data is given to the caller.
	 *
	 * @param given a result or an error
	 * @throws BrokerError `state_unwritable`
	 */
	notePrivate(call: Call, given: unknown): Promise<void>;
}

export class UpstreamRelay<Call extends { readonly signal: AbortSignal }> {
	readonly offered: OfferedTools;
	readonly #policy: RelayPolicy<Call>;

	constructor(offered: OfferedTools, policy: RelayPolicy<Call>) {
		this.offered = offered;
		this.#policy = policy;
	}

	/** @throws BrokerError, or the server's error */
	async call(
		name: string,
		call: Call & { readonly params: Readonly<RawResult>; readonly onProgress: UpstreamCall['onProgress'] },
	): Promise<RawResult> {
		const offered = this.offered.get(name);
		if (offered === undefined) throw new Error('no such tool');
		const policy = this.#policy;
		try {
			await policy.permit(call, name, call.params.arguments, originOf(offered));
			return await offered.upstream.call(offered.tool, {
				params: call.params,
				signal: call.signal,
				onProgress: call.onProgress,
				isPrivate: () => this.offered.isPrivate,
				refresh: async () => await policy.refresh(),
				notePrivate: async (given) => await policy.notePrivate(call, given),
			});
		} catch (error) {
			if (error instanceof BrokerError) policy.noteFailed(call);
			throw error;
		}
	}
}

function originOf({ upstream, tool, listing }: OfferedTool): RelayedOrigin {
	const { name: server, privateTools } = upstream.config;
	const isListedLarge = Object(listing._meta)['anthropic/maxResultSizeChars'] !== undefined;
	return { server, tool, isListedLarge, isPrivate: privateTools.includes(tool) };
}

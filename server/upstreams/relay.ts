import { setTimeout as delay } from 'node:timers/promises';
import type { RelayedOrigin } from '../context-map/isolated-tools.ts';
import { BrokerError } from '../errors.ts';
import type { ExposableTool } from '../exposure/policy.ts';
import type { RawResult, RawTool } from './connection.ts';
import type { UpstreamCall } from './upstream.ts';
import type { OfferedTool, Upstreams } from './upstreams.ts';

/** Claude Code waits two seconds for a server that is connecting, before its first request. */
const GREETING_PATIENCE_MS = 1_500;

/** What the servers behind the broker offer, as one set of tools. Until they are set up there is none. */
export class OfferedTools {
	readonly #started: Promise<unknown>;
	readonly #isPrivate: () => boolean;
	readonly #begun = performance.now();
	#upstreams: Upstreams | undefined;

	/**
	 * @param upstreams started; resolves when it is known which there are
	 * @param isPrivate whether the session holds private data, now. Once it does, it does for good
	 */
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

	/**
	 * The tools, under the names that they have here.
	 *
	 * @param patience milliseconds from the start that the question waits for servers that are on their way; not longer,
	 *   since a server that does not answer takes no other tools along
	 */
	async listings(patience: number): Promise<readonly RawTool[]> {
		await this.#settled(patience);
		return [...this.#offered().values()].map(({ listing }) => listing);
	}

	/**
	 * What the servers say of how to use their tools, as far as they are there by now, or soon: no hook reaches the broker
	 * before this was answered.
	 *
	 * @param shown the names of the tools that are shown, here
	 */
	async instructions(patience: number, shown: () => Promise<ReadonlySet<string>>): Promise<string | undefined> {
		await this.#settled(Math.min(patience, GREETING_PATIENCE_MS));
		return this.#upstreams?.instructions(this.isPrivate, await shown());
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

	get(name: string): OfferedTool | undefined {
		return this.#offered().get(name);
	}

	/** Where a tool comes from; undefined where there is no such tool. */
	originOf(name: string): RelayedOrigin | undefined {
		const offered = this.#offered().get(name);
		return offered && originOf(offered);
	}

	exposable(): ExposableTool[] {
		return this.#upstreams?.exposable(this.isPrivate) ?? [];
	}

	/** How the names of tools begin that are still to come; any can, as long as nobody knows which servers there are. */
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

/** Who decides about calls of such tools. */
export interface RelayPolicy<Call> {
	/** Looks once more whether the session holds private data, since another process can serve it too. */
	lookAgain(): Promise<void>;
	/** Lets a call pass: looks up what has to be looked up, and refuses what would get at private files. @throws BrokerError */
	permit(call: Call, tool: string, input: unknown, origin: RelayedOrigin): Promise<void>;
	/** The broker has no result of the server for a call. */
	noteFailed(call: Call): void;
	/** Private data is about to be given out to whoever makes a call. @throws BrokerError `state_unwritable` */
	notePrivate(call: Call): Promise<void>;
}

/** Passes calls on to the servers behind the broker. */
export class UpstreamRelay<Call extends { readonly signal: AbortSignal }> {
	readonly offered: OfferedTools;
	readonly #policy: RelayPolicy<Call>;

	constructor(offered: OfferedTools, policy: RelayPolicy<Call>) {
		this.offered = offered;
		this.#policy = policy;
	}

	/** @throws BrokerError, or the error of the server */
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
				lookAgain: async () => await policy.lookAgain(),
				notePrivate: async () => await policy.notePrivate(call),
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

import { setTimeout as delay } from 'node:timers/promises';
import type { ExposableTool } from '../exposure/policy.ts';
import type { RawResult, RawTool } from './connection.ts';
import type { ToolOrigin } from './tool-names.ts';
import type { UpstreamCall } from './upstream.ts';
import type { Upstreams } from './upstreams.ts';

/** What the relay has to know of the session. */
export interface RelaySession<Call> {
	/** Whether it holds private data, now. Once it does, it does for good. */
	readonly isPrivate: boolean;
	/** Lets a call pass: looks up what has to be looked up, and refuses what would get at private files. @throws BrokerError */
	permit(call: Call, tool: string, input: unknown): Promise<void>;
	/** Private data is about to be given out to whoever makes a call. @throws BrokerError `state_unwritable` */
	notePrivate(call: Call): Promise<void>;
}

/** The servers behind the broker, as one set of tools. Until they are set up there is none. */
export class UpstreamRelay<Call extends { readonly signal: AbortSignal }> {
	readonly #session: RelaySession<Call>;
	readonly #listed: Promise<unknown>;
	#upstreams: Upstreams | undefined;

	/**
	 * @param upstreams started; resolves when it is known which there are
	 * @param patience milliseconds from now that a question for the tools waits for servers that are on their way; not
	 *   longer, since a server that does not answer takes no other tools along
	 */
	constructor(session: RelaySession<Call>, upstreams: Promise<Upstreams>, patience: number) {
		this.#session = session;
		const started = upstreams.then((ready) => {
			this.#upstreams = ready;
			return ready.started();
		});
		this.#listed = Promise.race([started, delay(patience, undefined, { ref: false })]);
	}

	/** The tools, under the names that they have here. */
	async listings(): Promise<readonly RawTool[]> {
		await this.#listed;
		return [...this.#offered().values()].map(({ listing }) => listing);
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
		await this.#session.permit(call, name, call.params.arguments);
		return await offered.upstream.call(offered.tool, {
			params: call.params,
			signal: call.signal,
			onProgress: call.onProgress,
			isPrivate: () => this.#session.isPrivate,
			notePrivate: async () => await this.#session.notePrivate(call),
		});
	}

	/** Where a tool comes from, by the names that are used there; undefined where there is no such tool. */
	originOf(name: string): ToolOrigin | undefined {
		const offered = this.#offered().get(name);
		return offered && { server: offered.upstream.config.name, tool: offered.tool };
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

	#offered() {
		return this.#upstreams?.offered(this.#session.isPrivate) ?? new Map();
	}
}

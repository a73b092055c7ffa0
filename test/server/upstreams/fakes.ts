import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
// The broker's own copy: it asks what kind of error it has.
import { StreamableHTTPError } from '../../../node_modules/@modelcontextprotocol/sdk/dist/esm/client/streamableHttp.js';
import { ErrorCode, McpError } from '../../../node_modules/@modelcontextprotocol/sdk/dist/esm/types.js';
import type { ServerConfig } from '../../../server/context-map/server-config.ts';
import type { Connection, RawResult, RawTool } from '../../../server/upstreams/connection.ts';
import { type Connect, Instance } from '../../../server/upstreams/instance.ts';
import { Upstream } from '../../../server/upstreams/upstream.ts';

export { ErrorCode, McpError, StreamableHTTPError };

/** What a fake server does with a call. */
export type Answer = (params: RawResult, options: RequestOptions, connection: FakeConnection) => Promise<RawResult>;

/** A connection that nothing is behind, with what is used of a real one. */
export interface FakeConnection {
	isOpen: boolean;
	/** Says that its tools are others. */
	readonly sayToolsChanged: () => void;
	/** Ends it, from whichever side. */
	end(): void;
}

export interface FakeOptions {
	readonly answer: Answer;
	/** The names of its tools, or another list of them. */
	readonly tools: () => Promise<RawTool[]>;
	/** Before each connection is there; rejects where there is none. */
	readonly arrive: () => Promise<unknown>;
	readonly retryUntilAvailable: boolean;
	readonly after?: Instance;
}

/** An instance of a server that is played here, with all that happened to it. */
export function fakeInstance(more: Partial<FakeOptions> = {}) {
	const options: FakeOptions = {
		answer: async () => ({}),
		tools: async () => [],
		arrive: async () => {},
		retryUntilAvailable: false,
		...more,
	};
	const connections: FakeConnection[] = [];
	const calls: RawResult[] = [];
	const unreachable: unknown[] = [];
	const seen = { attempts: 0, toolsTold: 0 };
	const connect: Connect = async (sayToolsChanged) => {
		seen.attempts += 1;
		await options.arrive();
		const connection = {
			isOpen: true,
			sayToolsChanged,
			end: () => {
				connection.isOpen = false;
			},
			tools: options.tools,
			call: async (params: RawResult, how: RequestOptions) => {
				calls.push(params);
				return await options.answer(params, how, connection);
			},
			close: async () => connection.end(),
		};
		connections.push(connection);
		return connection as unknown as Connection;
	};
	const instance = new Instance({
		connect,
		retryUntilAvailable: options.retryUntilAvailable,
		after: options.after,
		onTools: () => {
			seen.toolsTold += 1;
		},
		onUnreachable: (cause) => unreachable.push(cause),
	});
	return { instance, connections, calls, unreachable, seen };
}

export function configOf(more: Partial<ServerConfig> = {}): ServerConfig {
	return {
		name: 'server',
		open: { kind: 'http', url: 'http://localhost/', headers: {} },
		isolated: undefined,
		refusesWhenPrivate: false,
		privateTools: [],
		isolation: { server: 'server', tools: [], runByClient: false },
		readTimeout: 60_000,
		...more,
	};
}

/** A server with tools of these names. */
export function upstreamWith(name: string, tools: readonly string[]): Upstream {
	const { instance } = fakeInstance({ tools: async () => tools.map((tool) => ({ name: tool })) });
	return new Upstream(configOf({ name }), instance, undefined);
}

/** Something to come: a promise with its ends. */
export function pending<T = void>() {
	let resolve: (value: T) => void = () => {};
	let reject: (error: unknown) => void = () => {};
	const promise = new Promise<T>((yes, no) => {
		resolve = yes;
		reject = no;
	});
	return { promise, resolve, reject };
}

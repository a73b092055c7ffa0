import type { IsolatedTools } from './isolated-tools.ts';

/** How one instance of an MCP server is reached. */
export type InstanceConfig = HttpInstance | StdioInstance;

/** One that listens at a URL, by streamable HTTP. */
export interface HttpInstance {
	readonly kind: 'http';
	/** Without user information: that is among the headers. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** One that the broker starts. */
export interface StdioInstance {
	readonly kind: 'stdio';
	readonly command: string;
	readonly args: readonly string[];
	/** Beyond the few variables that every server gets. */
	readonly env: Readonly<Record<string, string>>;
	/** As written: absolute, `~/…`, or from the folder of the map. Undefined for the project. */
	readonly cwd: string | undefined;
	/** Whether the broker is to take the network from it. */
	readonly withoutNetwork: boolean;
}

/** An MCP server that the broker stands in front of. */
export interface ServerConfig {
	readonly name: string;
	readonly open: InstanceConfig;
	/** The instance for sessions that hold private data, where there is one. */
	readonly isolated: InstanceConfig | undefined;
	/** Whether calls are refused in such a session where there is no isolated instance; else the open one serves. */
	readonly refusesWhenPrivate: boolean;
	/** The names of tools whose results are private data, as the server names them. */
	readonly privateTools: readonly string[];
	/** Which of its tools run in a subagent only. */
	readonly isolation: IsolatedTools;
	/** Milliseconds without a sign of life after which a call is given up. */
	readonly readTimeout: number;
}

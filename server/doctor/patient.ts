import type { ContextMap } from '../context-map/context-map.ts';
import type { MapContent } from '../context-map/parse.ts';
import type { ExposableTool } from '../exposure/policy.ts';
import type { Warn } from '../upstreams/create-upstreams.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';

/** What a program has said; undefined where there is no such program, or it did not end in time. */
export interface Said {
	readonly status: number;
	/** Standard output. */
	readonly text: string;
}

/** What the doctor looks at. */
export interface Patient {
	/** The broker's own version. */
	readonly version: string;
	/** Of Node.js, without the `v`. */
	readonly node: string;
	readonly platform: NodeJS.Platform;
	readonly environment: NodeJS.ProcessEnv;
	readonly home: string;
	/** The working folder. */
	readonly project: string;
	/** Where an administrator's settings of Claude Code lie, by default where the system has them. */
	readonly managed?: string;
	/** The data folder: that of Claude Code's plugin where there is one, else the broker's own. */
	readonly data: string;
	readonly map: ContextMap;
	/** The path of the env file. @throws EnvFileError */
	readonly envFile: () => string;
	/** The tools that can be shown, but for those of servers. */
	readonly tools: readonly ExposableTool[];
	/** Runs a program. */
	readonly run: (program: string, args: readonly string[]) => Promise<Said | undefined>;
	/** Proves that commands can be run without a network. @throws BrokerError */
	readonly isolate: () => Promise<unknown>;
	/** Connects to the servers of the map. @param warn told what a person should know */
	readonly connect: (content: MapContent, warn: Warn) => Promise<Upstreams>;
}

import { homedir, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { xdgConfig } from 'xdg-basedir';
import manifest from '../package.json' with { type: 'json' };
import { ContextMap } from './context-map/context-map.ts';
import { locateContextMap } from './context-map/locate.ts';
import { configInvalid } from './context-map/map-fault.ts';
import { type MapContent, withoutMap } from './context-map/parse.ts';
import type { ServerConfig } from './context-map/server-config.ts';
import { locateEnvFile } from './env-file/env-file.ts';
import { BrokerError } from './errors.ts';
import { cachedReader } from './files/cached-reader.ts';
import type { ReadFile } from './files/read-stable.ts';
import { lazyAsync } from './memoize.ts';
import { FileSystem } from './paths/file-system.ts';
import type { Programs } from './programs.ts';
import { report } from './standard-error.ts';
import type { Warn } from './upstreams/create-upstreams.ts';
import { Upstreams } from './upstreams/upstreams.ts';

/** First argument of the watchdog process; the broker's process id follows. */
export const WATCH_COMMANDS = 'watch-commands';

/** First argument of the process that cleans traces; the client's process id follows. */
export const CLEAN_TRACES = 'clean-traces';

/** First argument of a search thread. */
export const SEARCH = 'search-thread';

/** The program and the argument of a search thread. */
export function searchThread(): readonly [string, string] {
	return [process.argv[1] ?? '', SEARCH];
}

/** Faults reported at the start. Finding the line of each takes time in a large map. */
const MAX_FAULTS = 5;

export interface Base {
	readonly version: string;
	readonly home: string;
	/** The working folder: absolute. */
	readonly project: string;
	readonly map: ContextMap;
	readonly readFile: ReadFile;
	readonly system: FileSystem;
	/** The path of the env file. @throws EnvFileError */
	readonly envFile: () => string;
	/** Created when the first program is started; `begun` is undefined before. */
	readonly programs: { (): Promise<Programs>; readonly begun: Promise<Programs> | undefined };
	/** A monotonic clock, in milliseconds. */
	readonly now: () => number;
}

export function createBase(): Base {
	const home = homedir();
	const now = () => performance.now();
	const system = new FileSystem(process.platform, now);
	const readFile = cachedReader(async (path) => await system.answers(path));
	return {
		version: manifest.version,
		home,
		project: projectFolder(process.env),
		map: new ContextMap(locateContextMap(xdgConfig, home), home, process.env, readFile),
		...{ readFile, system },
		envFile: () => locateEnvFile(process.env, xdgConfig, home),
		programs: lazyAsync(async () => {
			const { createPrograms } = await import('./programs.ts');
			const watching = [process.argv[1] ?? '', WATCH_COMMANDS, String(process.pid)];
			return createPrograms({ process, folder: tmpdir(), watching, now });
		}),
		now,
	};
}

export interface ConnectOptions {
	readonly isPrivate: () => boolean;
	/** Called when the tools may have changed. */
	readonly onTools: () => void;
	readonly warn: Warn;
}

export async function connect(
	servers: readonly ServerConfig[],
	{ version, project, map, programs }: Base,
	options: ConnectOptions,
): Promise<Upstreams> {
	if (servers.length === 0) return new Upstreams([], () => {});
	const upstreams = (await programs()).createUpstreams({
		...options,
		servers,
		version,
		resolveFolder: (cwd) => (cwd === undefined ? project : map.resolve({ path: cwd, agents: undefined })),
	});
	upstreams.start();
	return upstreams;
}

/** Starts all servers of the map, and reports the map's faults. */
export async function connectAll(base: Base, options: ConnectOptions): Promise<Upstreams> {
	const { servers, faults } = await base.map.read().catch((error: unknown): MapContent => {
		const known = BrokerError.from(error);
		if (known.code !== 'config_missing') report(known);
		return withoutMap();
	});
	for (const fault of faults.slice(0, MAX_FAULTS)) report(configInvalid(fault));
	return await connect(servers, base, options);
}

/** If the working folder was removed: its former path. Commands are then refused because it does not exist. */
function projectFolder({ CLAUDE_PROJECT_DIR = '', PWD = 'removed' }: NodeJS.ProcessEnv): string {
	try {
		return resolve(CLAUDE_PROJECT_DIR);
	} catch {
		return resolve('/', PWD);
	}
}

import { homedir } from 'node:os';
import { NetworkIsolation } from './isolation.ts';
import { findHole } from './prove.ts';
import { reachableSockets } from './sockets.ts';
import { type FindProgram, isolationWays } from './ways.ts';

export interface CreateIsolationOptions {
	/** The broker's. */
	readonly process: Pick<NodeJS.Process, 'platform' | 'env' | 'getuid' | 'getgid'>;
	/** For temporary files. */
	readonly folder: string;
	readonly find: FindProgram;
}

/** The isolation of this machine. */
export function createIsolation({ process, folder, find }: CreateIsolationOptions): NetworkIsolation {
	const [user, group] = [process.getuid?.(), process.getgid?.()];
	const account = user === undefined || group === undefined ? undefined : { user, group };
	const { PATH = '' } = process.env;
	return new NetworkIsolation({
		ways: () => isolationWays(process.platform, account, find),
		findHole: (way) => findHole(way, folder, { PATH }),
		sockets: () => reachableSockets(process.env, homedir(), user),
	});
}

import { homedir } from 'node:os';
import { commandEnvironment } from './environment.ts';
import { familiesOn } from './families.ts';
import { NetworkIsolation } from './isolation/isolation.ts';
import { findHole } from './isolation/prove.ts';
import { reachableSockets } from './isolation/sockets.ts';
import { isolationWays } from './isolation/ways.ts';
import { procOf } from './process-table.ts';
import { Shell } from './shell.ts';
import { systemProgram } from './system-program.ts';
import { startWatching, Watchdog } from './watchdog.ts';

export interface CreateShellOptions {
	/** The broker's. */
	readonly process: Pick<NodeJS.Process, 'platform' | 'env' | 'getuid' | 'getgid'>;
	/** For temporary files. */
	readonly folder: string;
	/** The program that watches over commands, and its arguments. */
	readonly watchdog: readonly [string, ...string[]];
	/** A clock that is never set back, in milliseconds. */
	readonly now: () => number;
}

/** A shell that runs commands on this machine. */
export function createShell({ process, folder, watchdog, now }: CreateShellOptions): Shell {
	const { platform, env: environment } = process;
	const [user, group] = [process.getuid?.(), process.getgid?.()];
	const account = user === undefined || group === undefined ? undefined : { user, group };
	const find = (name: string) => systemProgram(name, environment.PATH);
	const variables = commandEnvironment(environment, { platform, commandId: 'proof', isNetworkIsolated: true });
	return new Shell({
		environment,
		platform,
		folder,
		isolation: new NetworkIsolation({
			ways: () => isolationWays(platform, account, find),
			findHole: (way) => findHole(way, folder, variables),
			sockets: () => reachableSockets(environment, homedir(), user),
		}),
		watchdog: new Watchdog(() => startWatching(watchdog)),
		familyOf: familiesOn(platform, now),
		processOf: platform === 'linux' ? procOf : () => undefined,
		now,
	});
}

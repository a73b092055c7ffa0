import { createIsolation } from './isolation/create-isolation.ts';
import type { NetworkIsolation } from './isolation/isolation.ts';
import { familiesOn } from './processes/families.ts';
import { procOf } from './processes/process-table.ts';
import { systemProgram } from './processes/system-program.ts';
import { watchCommands } from './processes/watch-commands.ts';
import { startWatching, Watchdog } from './processes/watchdog.ts';
import { createShell } from './shell/create-shell.ts';
import type { Shell } from './shell/shell.ts';
import { type CreateUpstreamsOptions, createUpstreams } from './upstreams/create-upstreams.ts';
import type { Upstreams } from './upstreams/upstreams.ts';

/** What starts programs. */
export interface Programs {
	readonly shell: Shell;
	readonly isolation: Pick<NetworkIsolation, 'prepare'>;
	readonly createUpstreams: (options: UpstreamsOptions) => Upstreams;
}

export type UpstreamsOptions = Omit<CreateUpstreamsOptions, 'isolate' | 'watchdog' | 'familyOf' | 'isGone'>;

export interface ProgramsOptions {
	/** The broker's. */
	readonly process: Pick<NodeJS.Process, 'platform' | 'env' | 'execPath'>;
	/** Where temporary files go. */
	readonly folder: string;
	/** The arguments with which this program watches over the commands of a broker. */
	readonly watching: readonly string[];
	/** A clock that is never set back, in milliseconds. */
	readonly now: () => number;
}

/** Puts together all that starts programs. A file of its own, to be loaded when the first one is to be started. */
export function createPrograms({ process, folder, watching, now }: ProgramsOptions): Programs {
	const watchdog = new Watchdog(() => startWatching([process.execPath, ...watching]));
	const find = (name: string) => systemProgram(name, process.env.PATH);
	const isolation = createIsolation({ process, folder, find });
	return {
		shell: createShell({ process, folder, isolation, watchdog, now }),
		isolation,
		createUpstreams: (options) =>
			createUpstreams({
				...options,
				isolate: async () => await isolation.prepare(),
				watchdog,
				familyOf: familiesOn(process.platform, now),
				isGone: (pid) => process.platform === 'linux' && pid !== undefined && procOf(pid) === undefined,
			}),
	};
}

/** Watches over the commands of a broker until it is gone, and then ends what they have left. */
export async function watch({ stdin, platform }: NodeJS.Process, now: () => number): Promise<void> {
	await watchCommands(stdin, familiesOn(platform, now));
}

import { createIsolation, type NetworkIsolation } from './isolation/isolation.ts';
import { procOf } from './processes/process-table.ts';
import { processTreesOn } from './processes/process-tree.ts';
import { systemProgram } from './processes/system-program.ts';
import { startWatching, Watchdog, watchCommands } from './processes/watchdog.ts';
import { createShell, type Shell } from './shell/shell.ts';
import { type CreateUpstreamsOptions, createUpstreams } from './upstreams/create-upstreams.ts';
import type { Upstreams } from './upstreams/upstreams.ts';

export interface Programs {
	readonly shell: Shell;
	readonly isolation: Pick<NetworkIsolation, 'prepare'>;
	readonly createUpstreams: (
		options: Omit<CreateUpstreamsOptions, 'isolate' | 'watchdog' | 'treeOf' | 'isGone'>,
	) => Upstreams;
}

export interface ProgramsOptions {
	readonly process: Pick<NodeJS.Process, 'platform' | 'env' | 'execPath'>;
	readonly folder: string;
	/** The arguments with which this program runs as the watchdog. */
	readonly watching: readonly string[];
	readonly now: () => number;
}

/** Creates everything that starts programs. A file of its own, loaded only when the first program is started. */
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
				treeOf: processTreesOn(process.platform, now),
				isGone: (pid) => process.platform === 'linux' && pid !== undefined && procOf(pid) === undefined,
			}),
	};
}

/** The watchdog process. */
export async function watch({ stdin, platform }: NodeJS.Process, now: () => number): Promise<void> {
	await watchCommands(stdin, processTreesOn(platform, now));
}

import { familiesOn } from '../processes/families.ts';
import { procOf } from '../processes/process-table.ts';
import { Shell, type ShellOptions } from './shell.ts';

export interface CreateShellOptions extends Pick<ShellOptions, 'folder' | 'isolation' | 'watchdog' | 'now'> {
	/** The broker's. */
	readonly process: Pick<NodeJS.Process, 'platform' | 'env'>;
}

/** A shell that runs commands on this machine. */
export function createShell({ process, ...options }: CreateShellOptions): Shell {
	const { platform, env: environment } = process;
	return new Shell({
		...options,
		environment,
		platform,
		familyOf: familiesOn(platform, options.now),
		processOf: platform === 'linux' ? procOf : () => undefined,
	});
}

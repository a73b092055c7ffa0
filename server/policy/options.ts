import type { ClientInfo } from '../claude-code/client.ts';
import type { MapElsewhere } from '../context-map/map-elsewhere.ts';
import type { Entry, PrivateContent } from '../context-map/parse.ts';
import type { BrokerError } from '../errors.ts';
import type { Journal } from '../record/journal.ts';
import type { Session } from '../record/session.ts';
import type { TraceCleaner } from '../traces/trace-cleaner.ts';
import type { Schedule } from './deadline.ts';
import type { FileProtectionOptions } from './file-protection.ts';
import type { ToolIsolationOptions } from './tool-isolation/tool-isolation.ts';

export interface Call {
	readonly client: ClientInfo | undefined;
	/** `_meta["claudecode/toolUseId"]`. Claude Code's own calls, for hooks, have none. */
	readonly toolUseId: string | undefined;
}

export interface PolicyOptions {
	readonly map: {
		readonly file: string;
		/** @throws BrokerError */
		read(): Promise<PrivateContent>;
		resolve(entry: Entry): string;
	};
	/** Looks for a map in other places; called if there is none in its own. */
	readonly findMapElsewhere?: () => Promise<MapElsewhere | undefined>;
	readonly readMarkdown: (path: string) => Promise<string>;
	/** Whether the user shows a tool. @param tool its name without prefix */
	readonly isShown: (tool: string) => Promise<boolean>;
	readonly journal: Pick<Journal, 'add' | 'loads'>;
	/** Cleans what Claude Code writes about agents. */
	readonly traces: Pick<TraceCleaner, 'load' | 'finish' | 'takeFailures'>;
	readonly session: Session;
	readonly files: FileProtectionOptions;
	readonly toolIsolation: ToolIsolationOptions;
	readonly environment: NodeJS.ProcessEnv;
	/** Runs work a little later, so that it does not delay an answer. */
	readonly defer: (work: () => void) => void;
	readonly schedule?: Schedule;
	/** A monotonic clock, in milliseconds. */
	readonly now: () => number;
	readonly report: (error: BrokerError) => void;
	/** Called once if the key alone decides. */
	readonly onKeyOnly: () => void;
}

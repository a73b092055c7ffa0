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

/** A request to call a tool of the broker, as far as it says who makes it. */
export interface Call {
	/** What the client introduced itself as; undefined before it has. */
	readonly client: ClientInfo | undefined;
	/** `_meta["claudecode/toolUseId"]`: a model's use of the tool. Claude Code's own calls, for hooks, have none. */
	readonly toolUseId: string | undefined;
}

export interface PolicyOptions {
	readonly map: {
		readonly file: string;
		/** What it holds now. @throws BrokerError */
		read(): Promise<PrivateContent>;
		resolve(entry: Entry): string;
	};
	/** Looks for a map in other places than its own; asked where there is none in its own. */
	readonly findMapElsewhere?: () => Promise<MapElsewhere | undefined>;
	/** The text of a Markdown file. @throws BrokerError */
	readonly readMarkdown: (path: string) => Promise<string>;
	/** Whether there is the tool `load_context`: the user can hide it. */
	readonly isShown: () => Promise<boolean>;
	/** Who has got what, in all processes. */
	readonly journal: Pick<Journal, 'add' | 'loads'>;
	/** Cleans what Claude Code writes of agents. */
	readonly traces: Pick<TraceCleaner, 'load' | 'finish' | 'takeFailures'>;
	/** The session that this process serves. */
	readonly session: Session;
	readonly files: FileProtectionOptions;
	readonly toolIsolation: ToolIsolationOptions;
	readonly environment: NodeJS.ProcessEnv;
	/** Does work when nobody waits for the broker. */
	readonly later: (work: () => void) => void;
	/** By default a timer. */
	readonly schedule?: Schedule;
	/** A clock that is never set back, in milliseconds. */
	readonly now: () => number;
	/** Told of every refusal. */
	readonly report: (error: BrokerError) => void;
	/** Told once, where the key alone decides. */
	readonly onKeyOnly: () => void;
}

import { type HookEvent, hookEventSchema } from '../../server/claude-code/hooks.ts';
import { LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { ContextMap } from '../../server/context-map/context-map.ts';
import type { RelayedOrigin } from '../../server/context-map/isolated-tools.ts';
import type { PrivateContent } from '../../server/context-map/parse.ts';
import { BrokerError } from '../../server/errors.ts';
import { readMarkdown } from '../../server/files/read-markdown.ts';
import { FileSystem } from '../../server/paths/file-system.ts';
import { Guard } from '../../server/policy/guard.ts';
import type { GuardOptions } from '../../server/policy/guard-options.ts';
import { PrivateSession } from '../../server/policy/private-session.ts';
import type { LoadRecord } from '../../server/record/load-records.ts';

export const SCANNER = 'context-broker:privacy-scanner';

/** What a map says; nothing is wrong with it unless the test says so. */
export type MapInTest = Omit<PrivateContent, 'paths' | 'faults'> & Partial<PrivateContent>;

/** A guard in process, and what it has told. */
export interface GuardInTest {
	readonly guard: Guard;
	readonly session: PrivateSession;
	/** What it goes by, to be changed by the test. */
	readonly setting: {
		now: number;
		map: MapInTest;
		failure: unknown;
		files: Record<string, string>;
		isShown: boolean;
		isUnwritable: boolean;
		isUnreadable: boolean;
		/** Each look for a mark waits for it. */
		lookUp: Promise<void>;
		/** Each look at a path, before links are resolved. */
		look: (path: string) => Promise<unknown>;
		/** Each read of a private file waits for it. */
		reading: Promise<void>;
		/** Where the tools come from that pass through. */
		origins: Record<string, RelayedOrigin>;
		/** Milliseconds since 1970. */
		clock: number;
		/** The deadline of a decision comes after a fifth of the time. */
		isHurried: boolean;
	};
	/** The codes that it has reported. */
	readonly reported: string[];
	readonly records: LoadRecord[];
	/** What the person was told. */
	readonly warnings: string[];
	/** The sessions that are written down as private. */
	readonly marked: Set<string>;
	/** How often it has told that the key alone decides. */
	keyOnly(): number;
}

/** A guard whose map is given as entries or read from a file. */
export function createGuard(map: MapInTest | ContextMap, environment: NodeJS.ProcessEnv = {}): GuardInTest {
	const reported: string[] = [];
	const records: LoadRecord[] = [];
	const marked = new Set<string>();
	const warnings: string[] = [];
	let numbers = 0;
	let keyOnly = 0;
	const inMemory = !(map instanceof ContextMap);
	const setting: GuardInTest['setting'] = {
		now: 0,
		map: inMemory ? map : { entries: new Map(), off: [], allowTools: [], isolation: [] },
		failure: undefined,
		files: {},
		isShown: true,
		isUnwritable: false,
		isUnreadable: false,
		lookUp: Promise.resolve(),
		look: async () => {},
		reading: Promise.resolve(),
		origins: {},
		clock: Date.now(),
		isHurried: false,
	};
	const privateSessions = {
		add: async (session: string) => {
			if (setting.isUnwritable) throw new BrokerError('state_unwritable');
			marked.add(session);
		},
		has: async (session: string) => {
			await setting.lookUp;
			return marked.has(session);
		},
	};
	const report = ({ code }: BrokerError) => void reported.push(code);
	const session = new PrivateSession(privateSessions, report);
	void session.meet(environment.CLAUDE_CODE_SESSION_ID ?? '');
	const readLink = async (path: string) => {
		await setting.look(path);
		return '';
	};
	const options: GuardOptions = {
		session,
		isShown: async () => setting.isShown,
		map: inMemory
			? {
					file: '/config/context-map.toml',
					read: async () => {
						if (setting.failure !== undefined) throw setting.failure;
						return { paths: [], faults: [], ...setting.map };
					},
					resolve: ({ path }) => `/private/${path}`,
				}
			: map,
		readMarkdown: async (path) => {
			await setting.reading;
			if (!inMemory) return await readMarkdown(path);
			const text = setting.files[path];
			if (text === undefined) throw new BrokerError('file_missing');
			return text;
		},
		privateSessions,
		records: {
			add: async (record) => void records.push({ ...record, since: 0 }),
			all: async () => records,
			mayHold: async () => setting.isUnreadable,
		},
		toolIsolation: {
			originOf: (name) => setting.origins[name],
			clock: () => setting.clock,
			number: () => {
				numbers += 1;
				return String(numbers);
			},
			warn: (sentence) => void warnings.push(sentence),
		},
		files: {
			home: '/home/jo',
			environment,
			platform: 'linux',
			// A Mac says where its drives are by their names alone.
			system: new FileSystem('darwin', () => setting.now, inMemory ? readLink : undefined),
			taskFolders: ['/tmp/claude-0'],
			now: () => setting.now,
		},
		environment,
		schedule: (work) => {
			// Only tests of the deadline have one: others may take their time on a busy machine.
			const timer = setting.isHurried ? setTimeout(work, 50) : undefined;
			return () => clearTimeout(timer);
		},
		now: () => setting.now,
		later: () => {},
		report,
		onKeyOnly: () => {
			keyOnly += 1;
		},
	};
	const told = { reported, records, marked, warnings };
	return { guard: new Guard(options), session, setting, ...told, keyOnly: () => keyOnly };
}

/** An event of a hook: by default of the scanner, in the first session. */
export function hookEvent(hook_event_name: string, fields: Partial<HookEvent> = {}): HookEvent {
	return {
		...hookEventSchema().parse({ hook_event_name }),
		session_id: 's1',
		transcript_path: '/home/jo/.claude/projects/-project/s1.jsonl',
		cwd: '/project',
		agent_id: 'a1',
		agent_type: SCANNER,
		...fields,
	};
}

/** The event before a load. */
export function loadEvent(toolUseId: string, key: string, agent_type = SCANNER, agent_id = 'a1'): HookEvent {
	const tool = { tool_name: LOAD_CONTEXT, tool_use_id: toolUseId, tool_input: JSON.stringify({ key }) };
	return hookEvent('PreToolUse', { ...tool, agent_type, agent_id });
}

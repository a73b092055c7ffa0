import { type HookEvent, hookEventSchema } from '../../server/claude-code/hooks.ts';
import { LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { ContextMap } from '../../server/context-map/context-map.ts';
import type { RelayedOrigin } from '../../server/context-map/isolated-tools.ts';
import type { PrivateContent } from '../../server/context-map/parse.ts';
import { BrokerError } from '../../server/errors.ts';
import { readMarkdown } from '../../server/files/read-markdown.ts';
import { FileSystem } from '../../server/paths/file-system.ts';
import { answerHook } from '../../server/policy/answer-hook.ts';
import { admitLoad, noteLoad } from '../../server/policy/before-load.ts';
import type { Call, PolicyOptions } from '../../server/policy/options.ts';
import { noteFailed, noteRelayed, permitCommand, permitRelay } from '../../server/policy/proxied-calls.ts';
import { createState, type State } from '../../server/policy/state.ts';
import type { RelayedTool } from '../../server/policy/tool-isolation/tool-isolation.ts';
import type { Entry, Holder, Load } from '../../server/record/journal.ts';
import { Session } from '../../server/record/session.ts';
import type { Approval } from '../../server/record/tool-uses.ts';

export const SCANNER = 'context-broker:privacy-scanner';

/** What a map says; nothing is wrong with it unless the test says so. */
export type MapInTest = Omit<PrivateContent, 'paths' | 'faults'> & Partial<PrivateContent>;

/** A guard in process, and what it has told. */
export interface GuardInTest {
	readonly guard: ReturnType<typeof guardOf>;
	readonly state: State;
	readonly session: Session;
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
	/** What the journal says of loads. */
	readonly loads: Load[];
	/** What the person was told. */
	readonly warnings: string[];
	/** The sessions and agents that the journal says hold private data, by name. */
	readonly marked: Set<string>;
	/** How often it has told that the key alone decides. */
	keyOnly(): number;
}

/** A guard whose map is given as entries or read from a file. */
export function createGuard(map: MapInTest | ContextMap, environment: NodeJS.ProcessEnv = {}): GuardInTest {
	const reported: string[] = [];
	const loads: Load[] = [];
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
	const journal = {
		add: async (entries: readonly Entry[]) => {
			if (setting.isUnwritable && entries.length > 0) throw new BrokerError('state_unwritable');
			for (const { session, agent, type = '', transcript = '', loaded, private: isPrivate = false } of entries) {
				if (isPrivate) marked.add(session);
				if (isPrivate && agent !== undefined) marked.add(holderName({ session, agent }));
				if (loaded && agent !== undefined) loads.push({ session, agent, type, transcript, since: 0, isPrivate });
			}
		},
		loads: async () => [...loads],
		holds: async (holder: Holder) => {
			await setting.lookUp;
			const { session, agent } = holder;
			const isOfAgent = (load: Load) => load.agent === agent && (agent !== '' || load.session === session);
			const isOf = (load: Load) => load.isPrivate && (agent === undefined ? load.session === session : isOfAgent(load));
			return setting.isUnreadable || marked.has(holderName(holder)) || loads.some(isOf);
		},
	};
	const report = ({ code }: BrokerError) => void reported.push(code);
	const session = new Session(journal, report);
	void session.track(environment.CLAUDE_CODE_SESSION_ID ?? '');
	const readLink = async (path: string) => {
		await setting.look(path);
		return '';
	};
	const options: PolicyOptions = {
		session,
		traces: { load: () => {}, finish: () => {}, takeFailures: () => [] },
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
		journal,
		toolIsolation: {
			originOf: (name) => setting.origins[name],
			clock: () => setting.clock,
			createSuffix: () => {
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
		defer: () => {},
		report,
		onKeyOnly: () => {
			keyOnly += 1;
		},
	};
	const told = { reported, loads, marked, warnings };
	const state = createState(options);
	return { guard: guardOf(state), state, session, setting, ...told, keyOnly: () => keyOnly };
}

/** What the tools of the broker ask of the policy. */
function guardOf(state: State) {
	return {
		answer: async (event: HookEvent, call: Call) => await answerHook(event, call, state),
		admit: (call: Call, key: string, tool = LOAD_CONTEXT) => admitLoad(call, key, tool, state),
		note: async (
			approval: (Partial<Approval> & Pick<Approval, 'caller'>) | undefined,
			path: string,
			text: string,
			isPrivate: boolean,
		) => await noteLoad(approval, { path, text }, isPrivate, state),
		permitCommand: async (call: Call, command: string, directory: string) =>
			await permitCommand(call, command, directory, state),
		permitRelay: async (call: Call, tool: RelayedTool, input: unknown, directory: string) =>
			await permitRelay(call, tool, input, directory, state),
		noteFailed: (call: Call) => noteFailed(call, state),
		noteRelayed: async (call: Call, given: unknown = {}) => await noteRelayed(call, given, state),
		get isPrivate() {
			return state.session.isPrivate;
		},
	};
}

/** The name under which the journal keeps a session or an agent. */
function holderName({ session, agent }: Holder): string {
	if (agent === undefined) return session;
	return agent === '' ? `${session}\0main` : `\0${agent}`;
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

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

/** A map's content; without faults unless the test adds some. */
export type MapInTest = Omit<PrivateContent, 'paths' | 'faults'> & Partial<PrivateContent>;

/** A guard in this process, and everything it reported. */
export interface GuardInTest {
	readonly guard: ReturnType<typeof guardOf>;
	readonly state: State;
	readonly session: Session;
	/** The guard's surroundings, for the test to change. */
	readonly setting: {
		now: number;
		map: MapInTest;
		failure: unknown;
		files: Record<string, string>;
		isShown: boolean;
		isUnwritable: boolean;
		isUnreadable: boolean;
		/** Each look-up of a mark waits for this. */
		lookUp: Promise<void>;
		/** Runs before a path's links are resolved. */
		look: (path: string) => Promise<unknown>;
		/** Each read of a private file waits for this. */
		reading: Promise<void>;
		/** Origins of the servers' tools. */
		origins: Record<string, RelayedOrigin>;
		/** Milliseconds since 1970. */
		clock: number;
		/** Whether a decision's deadline comes after a fifth of the usual time. */
		isHurried: boolean;
	};
	/** Codes of reported errors. */
	readonly reported: string[];
	/** Loads in the journal. */
	readonly loads: Load[];
	/** Warnings to the user. */
	readonly warnings: string[];
	/** Sessions and agents with private data in the journal, by name. */
	readonly marked: Set<string>;
	/** How many times it warned that the key alone decides. */
	keyOnly(): number;
}

/** A guard with a map that is given as content or read from a file. */
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
			platform: inMemory ? 'linux' : process.platform,
			// On macOS, drives are recognised by their paths alone.
			system: new FileSystem('darwin', () => setting.now, inMemory ? readLink : undefined),
			taskFolders: ['/tmp/claude-0'],
			now: () => setting.now,
		},
		environment,
		schedule: (work) => {
			// Only tests of the deadline have one: the others must not fail on a busy machine.
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

/** The policy's functions that the broker's tools call. */
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

/** The journal's name for a session or an agent. */
function holderName({ session, agent }: Holder): string {
	if (agent === undefined) return session;
	return agent === '' ? `${session}\0main` : `\0${agent}`;
}

/** A hook event; by default from the scanner, in the first session. */
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

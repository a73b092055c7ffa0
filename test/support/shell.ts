import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import { asAccount } from './account.ts';
import { callRequest, conversation, INITIALIZE, type Message, startBroker } from './broker.ts';
import { BOOTSTRAP } from './paths.ts';
import { commandLines, processesWith } from './processes.ts';
import { createUser, type User } from './user.ts';

export { processesWith };

/** What `run_shell_command` gives, structured. */
export interface ShellResult {
	readonly command: string;
	readonly directory: string;
	readonly output: string;
	readonly error: string | null;
	readonly exit_code: number | null;
	readonly signal: string | null;
	readonly background_pids: readonly number[];
	readonly process_group: number | null;
	readonly duration_ms: number;
	readonly output_bytes: number;
	readonly truncated: boolean;
	readonly timed_out: boolean;
	readonly cancelled: boolean;
	readonly network_isolated: boolean;
}

/** A broker with the shell tool shown, spoken to in messages. */
export interface ShellBroker {
	readonly pid: number;
	readonly user: User;
	/** Sends messages without waiting for an answer. */
	send(...messages: readonly object[]): void;
	/** Asks, and waits for the answer to this request. */
	ask(method: string, params: object): Promise<Message>;
	/** The same for the tool. @param more other arguments @param _meta of the request */
	call(command: unknown, more?: object, _meta?: object): Promise<Message>;
	/** Runs a command that is expected to run. */
	run(command: string, more?: object): Promise<ShellResult>;
	/** Every message that has come, in order. */
	readonly received: readonly Message[];
	/** Waits for the answer to a request with this id. */
	answerTo(id: number | string): Promise<Message>;
	kill(signal: NodeJS.Signals): void;
	/** Everything it printed on standard error so far. */
	errors(): string;
	/** Ends the input. */
	finish(): Promise<{ code: number | null; rest: Message[]; errors: string }>;
}

export interface ShellBrokerOptions {
	/** Follows a map with one key, `k`, for a file `catalog.md`. */
	readonly map?: string;
	/** Beyond the broker's; the project is the user's home. */
	readonly env?: Record<string, string>;
	/** By default of a client that is not Claude Code. */
	readonly initialize?: object;
	/** The id of the account that runs it, where it is not that of the test. Takes root. */
	readonly user?: number;
	/** Files that stand in the place of the system's programs, by their paths. Takes root. */
	readonly programs?: Readonly<Record<string, string>>;
}

/** A broker of a user of its own, initialized. */
export async function startShellBroker(options: ShellBrokerOptions = {}): Promise<ShellBroker> {
	const { map = '', env = {}, initialize = INITIALIZE, user: account, programs = {} } = options;
	const user = await createUser();
	await user.write('catalog.md', '# Catalog\n- Jane Example\n');
	await user.writeMap(`[keys]\nk = "catalog.md"\n${map}`);
	const shown = { CONTEXT_BROKER_ENABLED_TOOLS: 'all', CLAUDE_PROJECT_DIR: user.home };
	if (account !== undefined) execFileSync('chown', ['-R', String(account), user.home]);
	const broker = startBroker(user.home, { ...shown, ...env }, commandFor(account, programs));
	broker.send(initialize);
	await broker.receive();
	broker.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
	const { received, answerTo, ask, finish } = conversation(broker);
	const call = (command: unknown, more: object = {}, _meta: object = {}) =>
		ask('tools/call', { name: 'run_shell_command', arguments: { command, ...more }, _meta });
	return {
		pid: broker.process.pid ?? 0,
		user,
		send: broker.send,
		ask,
		call,
		run: async (command, more) => {
			const { result, error } = await call(command, more);
			expect(error).toBeUndefined();
			expect(result?.structuredContent, JSON.stringify(result)).toHaveProperty('exit_code');
			return result?.structuredContent as ShellResult;
		},
		received,
		answerTo,
		kill: (signal) => void broker.process.kill(signal),
		errors: broker.errors,
		finish,
	};
}

/** Puts files in the place of others, for what it runs and nobody else. */
const REPLACING = 'while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done; shift; exec "$@"';

function commandFor(account: number | undefined, programs: Readonly<Record<string, string>>): [string, ...string[]] {
	const run: [string, ...string[]] = [process.execPath, BOOTSTRAP];
	const inside: [string, ...string[]] = account === undefined ? run : asAccount(account, ...run);
	const pairs = Object.entries(programs).flatMap(([path, file]) => [file, path]);
	if (pairs.length === 0) return inside;
	return ['unshare', '--mount', 'sh', '-c', REPLACING, 'sh', ...pairs, '--', ...inside];
}

/** A call of the tool, to be sent. */
export function shellRequest(id: number, command: string) {
	return callRequest(id, 'run_shell_command', { command });
}

/** A number of seconds that no other process sleeps: what sleeps for it was started by this test. */
export function uniqueSeconds(): string {
	return `${randomInt(300, 900)}.${randomInt(1_000_000, 10_000_000)}`;
}

/** Waits until `sleep` runs for so many seconds. */
export async function expectSleeping(seconds: string): Promise<void> {
	await expect.poll(() => [...commandLines().values()], { interval: 20 }).toContain(`sleep ${seconds}`);
}

/** Waits until there is none. */
export async function expectGone(text: string): Promise<void> {
	await expect.poll(() => processesWith(text), { interval: 20 }).toEqual([]);
}

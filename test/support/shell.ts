import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import { asAccount } from './account.ts';
import { callRequest, conversation, INITIALIZE, type Message, startBroker } from './broker.ts';
import { BOOTSTRAP } from './paths.ts';
import { commandLine, processesWith } from './processes.ts';
import { createUser, type User } from './user.ts';

export { processesWith };

/** The structured result of `run_shell_command`. */
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

/** A broker that shows the shell tool, to exchange messages with. */
export interface ShellBroker {
	readonly pid: number;
	readonly user: User;
	/** Sends messages without waiting for an answer. */
	send(...messages: readonly object[]): void;
	/** Sends a request and waits for its answer. */
	ask(method: string, params: object): Promise<Message>;
	/** The same for the shell tool. @param more other arguments @param _meta the request's `_meta` */
	call(command: unknown, more?: object, _meta?: object): Promise<Message>;
	/** Runs a command that must succeed in starting. */
	run(command: string, more?: object): Promise<ShellResult>;
	/** Every message so far, in order. */
	readonly received: readonly Message[];
	/** Waits for the answer to a request with this id. */
	answerTo(id: number | string): Promise<Message>;
	kill(signal: NodeJS.Signals): void;
	/** Its standard error so far. */
	errors(): string;
	/** Ends the input. */
	finish(): Promise<{ code: number | null; rest: Message[]; errors: string }>;
}

export interface ShellBrokerOptions {
	/** Appended to a map with one key, `k`, for a file `catalog.md`. */
	readonly map?: string;
	/** In addition to the broker's environment. The project is the user's home folder. */
	readonly env?: Record<string, string>;
	/** By default from a client other than Claude Code. */
	readonly initialize?: object;
	/** The id of the account to run it as, if not the test's. Needs root. */
	readonly user?: number;
	/** Replacements for system programs, by their paths. Needs root. */
	readonly programs?: Readonly<Record<string, string>>;
}

/** Starts an initialized broker for a new user. */
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

/** Mounts replacements over files, only for the command that it runs. */
const REPLACING = 'while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done; shift; exec "$@"';

function commandFor(account: number | undefined, programs: Readonly<Record<string, string>>): [string, ...string[]] {
	const run: [string, ...string[]] = [process.execPath, BOOTSTRAP];
	const inside: [string, ...string[]] = account === undefined ? run : asAccount(account, ...run);
	const pairs = Object.entries(programs).flatMap(([path, file]) => [file, path]);
	if (pairs.length === 0) return inside;
	return ['unshare', '--mount', 'sh', '-c', REPLACING, 'sh', ...pairs, '--', ...inside];
}

/** A call of the shell tool, to be sent. */
export function shellRequest(id: number, command: string) {
	return callRequest(id, 'run_shell_command', { command });
}

/** A number of seconds that no other process sleeps, to recognise this test's processes. */
export function uniqueSeconds(): string {
	return `${randomInt(300, 900)}.${randomInt(1_000_000, 10_000_000)}`;
}

/** Waits until `sleep` runs with this number of seconds. */
export async function expectSleeping(seconds: string): Promise<void> {
	const sleeping = () => processesWith(seconds).filter((pid) => commandLine(pid) === `sleep ${seconds} `);
	await expect.poll(sleeping, { interval: 20 }).not.toEqual([]);
}

/** Waits until no process has this text in its command line. */
export async function expectGone(text: string): Promise<void> {
	await expect.poll(() => processesWith(text), { interval: 20 }).toEqual([]);
}

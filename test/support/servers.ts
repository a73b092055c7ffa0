import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { type Message, outcomeOf } from './broker.ts';
import { hasEnded } from './processes.ts';
import { type ShellBroker, startShellBroker } from './shell.ts';
import { temporaryFolder } from './temporary.ts';

/** The MCP server for tests; see the file. */
export const SERVER = fileURLToPath(new URL('recording-server.mjs', import.meta.url));

/** A log for a server. */
export interface Recording {
	readonly log: string;
	/** The logged lines so far. */
	lines(): Promise<string[]>;
	/** How many calls the server got. */
	calls(): Promise<number>;
}

export async function createRecording(): Promise<Recording> {
	const log = join(await temporaryFolder(), 'calls.log');
	const lines = async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
	return { log, lines, calls: async () => (await lines()).filter((line) => line.startsWith('call ')).length };
}

/** The fields of a server's table in the map, for a server that the broker starts. */
export function stdio(recording: Recording, isolated?: Recording | 'without network'): string {
	const args = (log: string) => JSON.stringify([SERVER, log]);
	const other =
		isolated === undefined
			? ''
			: isolated === 'without network'
				? 'isolate_network = true\n'
				: `args_isolated = ${args(isolated.log)}\n`;
	return `command = ${JSON.stringify(process.execPath)}\nargs = ${args(recording.log)}\n${other}`;
}

/** The fields of a server's table in the map, for a program in JavaScript. */
export function script(code: string, ...args: readonly string[]): string {
	return `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(['-e', code, ...args])}\n`;
}

/** A port of the loopback interface that was free a moment ago. */
export async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	server.close();
	await once(server, 'close');
	return port;
}

/** Starts a server that listens on a port. */
export async function listen(recording: Recording, port: number): Promise<ChildProcess> {
	const child = spawn(process.execPath, [SERVER, recording.log, String(port)], { stdio: 'ignore' });
	onTestFinished(() => void child.kill('SIGKILL'));
	await expect.poll(recording.lines).toContain('listening');
	return child;
}

/** Kills a server and waits until the system reports its end. */
export async function killServer({ log }: Recording): Promise<void> {
	const pid = Number(await readFile(`${log}.pid`, 'utf8'));
	process.kill(pid, 'SIGKILL');
	await expect.poll(() => hasEnded(pid), { interval: 5 }).toBe(true);
}

/**
 * A broker with servers behind it.
 *
 * @param servers their tables in TOML, by name
 * @param live servers whose tools to wait for; by default all
 * @param initialize the client's first message; by default not Claude Code's
 */
export async function startBrokerWith(
	servers: Readonly<Record<string, string>>,
	live: readonly string[] = Object.keys(servers),
	env: Record<string, string> = {},
	initialize?: object,
): Promise<ShellBroker> {
	const tables = Object.entries(servers).map(([name, fields]) => `[mcp_servers.${name}]\n${fields}`);
	const shown = { CONTEXT_BROKER_ENABLED_TOOLS: 'default', ...env };
	const broker = await startShellBroker({ map: tables.join('\n'), env: shown, ...(initialize && { initialize }) });
	const missing = async () => {
		const listed = await toolNames(broker);
		return live.filter((server) => !listed.some((name) => name.startsWith(`${server}__`)));
	};
	await expect.poll(missing).toEqual([]);
	return broker;
}

/** Names of the tools that the broker lists. */
export async function toolNames(broker: ShellBroker): Promise<string[]> {
	const { result } = await broker.ask('tools/list', {});
	const tools = (result?.tools ?? []) as { name: string }[];
	return tools.map(({ name }) => name);
}

/** Calls a tool, and waits for the answer. */
export async function callTool(
	broker: ShellBroker,
	name: string,
	input: object = {},
	_meta: object = {},
): Promise<Message> {
	return await broker.ask('tools/call', { name, arguments: input, _meta });
}

/** A result's text, or its error's code. */
export async function outcome(broker: ShellBroker, name: string, input: object = {}): Promise<string | undefined> {
	return outcomeOf(await callTool(broker, name, input));
}

export async function loadPrivate(broker: ShellBroker): Promise<Message> {
	return await callTool(broker, 'load_context', { key: 'k' });
}

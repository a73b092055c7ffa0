import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Invocation } from './invocation.ts';
import type { IsolationWay } from './ways.ts';

/** Milliseconds for one attempt to reach the listener. */
const PATIENCE = 5_000;

/** Bytes that the path of a socket can have on every system. Node cuts off the rest: the socket then lies elsewhere. */
const LONGEST_PATH = 103;

/** Says what it could reach: a port on this machine, a socket in the file system; and that it ran at all. */
const ATTEMPT = [
	'(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && echo port',
	'[ -S "$2" ] && echo socket',
	'echo ran',
].join('\n');

/**
 * Proves that a program run in this way reaches neither a port nor a socket of this machine, and that it would without.
 *
 * @param folder for a temporary socket
 * @returns why it is not proven; undefined where it is
 */
export async function findHole(
	way: IsolationWay,
	folder: string,
	environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
	const place = await mkdtemp(join(isTooLong(folder) ? '/tmp' : folder, NAME));
	const listeners: Server[] = [];
	let connections = 0;
	const listen = async (where: { host: string; port: number } | { path: string }) => {
		const server = createServer((socket) => {
			connections += 1;
			socket.destroy();
		});
		listeners.push(server.listen(where));
		await once(server, 'listening');
		return server;
	};
	try {
		const { port } = (await listen({ host: '127.0.0.1', port: 0 })).address() as AddressInfo;
		const socket = join(place, 'socket');
		await listen({ path: socket });
		const attempt: Invocation = { program: 'bash', args: ['-c', ATTEMPT, 'bash', String(port), socket] };
		const attempting = async (invocation: Invocation) => {
			connections = 0;
			const said = await outputOf(invocation, environment);
			return { said, connections };
		};
		const open = await attempting(attempt);
		if (open.said !== 'port\nsocket\nran\n' || open.connections === 0) {
			return 'without isolation the listener could not be reached either';
		}
		const closed = await attempting(way.wrap(attempt, way.hidesSockets ? [socket] : []));
		if (!closed.said.endsWith('ran\n')) return closed.said.trim() || 'it did not run';
		const wanted = way.hidesSockets ? 'ran\n' : 'socket\nran\n';
		return closed.said === wanted && closed.connections === 0 ? undefined : 'it reached the listener';
	} finally {
		for (const server of listeners) server.close();
		await rm(place, { recursive: true, force: true });
	}
}

const NAME = 'context-broker-';

function isTooLong(folder: string): boolean {
	return Buffer.byteLength(join(folder, `${NAME}XXXXXX`, 'socket')) > LONGEST_PATH;
}

/** What a program prints, or why it could not be run. */
async function outputOf({ program, args }: Invocation, env: Readonly<Record<string, string>>): Promise<string> {
	const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
	const printed = { stdout: '', stderr: '' };
	for (const name of ['stdout', 'stderr'] as const) {
		child[name].on('data', (chunk: Buffer) => {
			printed[name] += chunk.toString();
		});
	}
	const failed = new Promise<string>((resolve) => {
		child.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
	});
	// In a group of its own, so that nothing of it is left.
	const limit = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), PATIENCE);
	try {
		return await Promise.race([failed, once(child, 'close').then(() => printed.stdout || printed.stderr)]);
	} finally {
		clearTimeout(limit);
	}
}

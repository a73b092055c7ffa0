import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Invocation, Sandbox } from './sandboxes.ts';

const ATTEMPT_TIMEOUT_MS = 5_000;

/** In bytes, the limit of every system. Node truncates a longer path, so the socket would be elsewhere. */
const MAX_SOCKET_PATH = 103;

/** Prints what it can reach (a port of this machine, a socket in the file system), and that it ran at all. */
const ATTEMPT = [
	'(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && echo port',
	'[ -S "$2" ] && echo socket',
	'echo ran',
].join('\n');

/**
 * Checks that a program in the sandbox reaches neither a port nor a socket of this machine, and that outside it reaches both.
 *
 * @returns why the sandbox does not isolate; undefined if it does
 */
export async function verifyIsolation(
	sandbox: Sandbox,
	folder: string,
	environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
	const temporary = await mkdtemp(join(isTooLong(folder) ? '/tmp' : folder, PREFIX));
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
		const socket = join(temporary, 'socket');
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
		const closed = await attempting(sandbox.wrap(attempt, sandbox.hidesSockets ? [socket] : []));
		if (!closed.said.endsWith('ran\n')) return closed.said.trim() || 'it did not run';
		const wanted = sandbox.hidesSockets ? 'ran\n' : 'socket\nran\n';
		return closed.said === wanted && closed.connections === 0 ? undefined : 'it reached the listener';
	} finally {
		for (const server of listeners) server.close();
		await rm(temporary, { recursive: true, force: true });
	}
}

const PREFIX = 'context-broker-';

function isTooLong(folder: string): boolean {
	return Buffer.byteLength(join(folder, `${PREFIX}XXXXXX`, 'socket')) > MAX_SOCKET_PATH;
}

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
	// The whole process group, so that no child is left.
	const limit = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), ATTEMPT_TIMEOUT_MS);
	try {
		return await Promise.race([failed, once(child, 'close').then(() => printed.stdout || printed.stderr)]);
	} finally {
		clearTimeout(limit);
	}
}

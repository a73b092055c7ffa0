import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { systemProgram } from '../../../server/processes/system-program.ts';
import {
	IS_ROOT,
	isReadableFor,
	MAY_MOUNT,
	MAY_NOT_ISOLATE,
	MAY_NOT_MOUNT,
	mayUse,
	ROOT_ALONE,
	SANDBOXES,
	UNREADABLE,
} from '../../support/account.ts';
import { expectGone, processesWith, type ShellBroker, startShellBroker, uniqueSeconds } from '../../support/shell.ts';
import { shortFolder, temporaryFolder } from '../../support/temporary.ts';

beforeEach(({ skip }) => skip(!SANDBOXES.some(mayUse), MAY_NOT_ISOLATE));

async function listening(server: Server): Promise<Server> {
	await once(server, 'listening');
	onTestFinished(() => void server.close());
	return server;
}

function hello(): Server {
	return createServer((socket) => socket.on('error', () => {}).end('hello\n'));
}

/** A port of this machine that answers, and a command that asks it. */
async function port() {
	const server = await listening(hello().listen(0, '127.0.0.1'));
	return { ask: `cat </dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}` };
}

async function load(broker: ShellBroker): Promise<void> {
	const { result } = await broker.ask('tools/call', { name: 'load_context', arguments: { key: 'k' } });
	expect(result).toMatchObject({ content: [{ text: expect.stringContaining('Jane') }] });
}

/** Scripts in the place of the system's programs, by their names. */
async function fake(programs: Readonly<Record<string, string>>): Promise<Record<string, string>> {
	const folder = await temporaryFolder();
	await chmod(folder, 0o755);
	const files: Record<string, string> = {};
	for (const [name, script] of Object.entries(programs)) {
		const path = systemProgram(name);
		if (path === undefined) continue;
		files[path] = join(folder, name);
		await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	}
	return files;
}

const FAILS = 'echo "no permission" >&2; exit 1';

/** Runs what it is given and takes nothing away. */
const IGNORES_ITS_FLAGS = 'while [ "$1" != bash ]; do shift; done; exec "$@"';

const hasBubblewrap = systemProgram('bwrap') !== undefined;

describe('once private context was given out, commands have no network', () => {
	const withoutRights = { user: 12_345 };
	const onlyBubblewrap = { programs: { unshare: FAILS }, takesBubblewrap: true };
	test.for<{ name: string; programs: Record<string, string>; user?: number; takesBubblewrap?: boolean }>([
		{ name: 'by namespaces', programs: {} },
		{ name: 'by namespaces, for an account without rights', programs: {}, ...withoutRights },
		{ name: 'by bubblewrap, where namespaces fail', ...onlyBubblewrap },
		{ name: 'by bubblewrap, for an account without rights', ...withoutRights, ...onlyBubblewrap },
		{
			name: 'by bubblewrap, where the other way takes nothing away',
			...onlyBubblewrap,
			programs: { unshare: IGNORES_ITS_FLAGS },
		},
	])('$name', async ({ programs, user, takesBubblewrap = false }, { skip }) => {
		skip(takesBubblewrap && !hasBubblewrap, 'bubblewrap is not there');
		skip(takesBubblewrap && !MAY_MOUNT, MAY_NOT_MOUNT);
		skip(user !== undefined && !IS_ROOT, ROOT_ALONE);
		skip(user !== undefined && !isReadableFor(user), UNREADABLE);
		const broker = await startShellBroker({ programs: await fake(programs), ...(user === undefined ? {} : { user }) });
		const { ask } = await port();
		expect(await broker.run(ask)).toMatchObject({ output: 'hello\n', network_isolated: false });
		expect((await broker.run('echo "[$CONTEXT_BROKER_NETWORK]"; id -u; pwd')).output).toBe(
			`[]\n${user ?? process.getuid?.()}\n${broker.user.home}\n`,
		);
		await load(broker);
		const after = await broker.run(ask);
		expect(after).toMatchObject({ exit_code: 1, network_isolated: true });
		expect(after.output).toMatch(/Connection refused|Network is unreachable/);
		expect((await broker.run('echo "[$CONTEXT_BROKER_NETWORK]"; id -u; pwd')).output).toBe(
			`[none]\n${user ?? process.getuid?.()}\n${broker.user.home}\n`,
		);
		expect((await broker.run('cat /proc/net/dev | tail -n +3 | cut -d: -f1')).output.trim()).toBe('lo');
		expect((await broker.run('touch made && ls made && exit 4')).exit_code).toBe(4);
	});
});

test('a service behind a socket in the file system is out of reach as well', async () => {
	for (const programs of MAY_MOUNT && hasBubblewrap ? [{}, { unshare: FAILS }] : [{}]) {
		const broker = await startShellBroker({ programs: await fake(programs) });
		const socket = join(await shortFolder(), 'service.sock');
		await listening(hello().listen(socket));
		const ask = `'${process.execPath}' -e 'net.connect(process.argv[1]).on("error", ({ code }) => console.log(code)).pipe(process.stdout)' ${socket}`;
		expect((await broker.run(ask)).output).toBe('hello\n');
		await load(broker);
		expect((await broker.run(ask)).output).toMatch(/^(ECONNREFUSED|EACCES|ENOTSOCK)\n$/);
	}
});

test('a command can not go back to the network, also as root', async () => {
	for (const programs of MAY_MOUNT && hasBubblewrap ? [{}, { unshare: FAILS }] : [{}]) {
		const broker = await startShellBroker({ programs: await fake(programs) });
		const { ask } = await port();
		await load(broker);
		const { output } = await broker.run(`nsenter --target ${broker.pid} --net bash -c '${ask}'`);
		expect(output).toMatch(/Permission denied|Operation not permitted/);
	}
});

test('a command without a network has limits, a background and an end like any other', async () => {
	const broker = await startShellBroker({ map: '[shell]\nidle_timeout = 4\n' });
	await load(broker);
	expect(await broker.run('trap "" TERM; echo a; echo b >/dev/stderr; setsid sleep 200; true')).toMatchObject({
		timed_out: true,
		output: 'a\nb\n',
	});
	const seconds = uniqueSeconds();
	const { background_pids } = await broker.run(`sleep ${seconds} &`);
	expect(background_pids).toEqual(processesWith(seconds));
	await broker.finish();
	await expectGone(seconds);
});

test('where it can not be had, the command does not run, and it is told what to do', async ({ skip }) => {
	skip(!MAY_MOUNT, MAY_NOT_MOUNT);
	const broker = await startShellBroker({ programs: await fake({ bwrap: FAILS, unshare: IGNORES_ITS_FLAGS }) });
	expect(await broker.run('touch before')).toMatchObject({ exit_code: 0 });
	await load(broker);
	for (let i = 0; i < 2; i++) {
		expect((await broker.call('touch after')).result).toMatchObject({
			isError: true,
			_meta: {
				'context-broker/error': { code: 'network_isolation_unavailable', next: expect.stringMatching(/bubblewrap/) },
			},
		});
	}
	expect((await broker.ask('ping', {})).error).toBeUndefined();
	const { errors } = await broker.finish();
	expect(errors).toMatch(/ Tried: unshare: it reached the listener(; bwrap: no permission)?\.\n/);
	expect(await readdir(broker.user.home)).toEqual(['.config', 'before']);
});

test('what works only later counts at once', async ({ skip }) => {
	skip(!MAY_MOUNT, MAY_NOT_MOUNT);
	const programs = await fake({ bwrap: FAILS, unshare: FAILS });
	const broker = await startShellBroker({ programs });
	await load(broker);
	expect((await broker.call('echo hi')).result).toMatchObject({ isError: true });
	for (const [path, file] of Object.entries(programs)) await copyFile(path, file);
	expect(await broker.run('echo hi')).toMatchObject({ network_isolated: true, output: 'hi\n' });
});

test('a program of the same name in the project, or first in the PATH, is not taken for that of the system', async () => {
	const broker = await startShellBroker({ env: { PATH: `planted${delimiter}${process.env.PATH}` } });
	const folder = join(broker.user.home, 'planted');
	await mkdir(folder);
	for (const name of ['unshare', 'bwrap', 'mkfifo', 'mount']) {
		await writeFile(join(folder, name), `#!/bin/sh\ntouch '${folder}/used'\n${IGNORES_ITS_FLAGS}\n`, { mode: 0o755 });
	}
	const { ask } = await port();
	await load(broker);
	expect((await broker.run(ask)).output).toMatch(/Connection refused/);
	expect(await readdir(folder)).not.toContain('used');
});

test('a command without a network can serve itself', async () => {
	const broker = await startShellBroker();
	await load(broker);
	const program =
		'net.createServer((s) => s.end("own\\n")).listen(0, "127.0.0.1", function () { net.connect(this.address().port, "127.0.0.1").on("end", () => setTimeout(process.exit, 50)).pipe(process.stdout) })';
	expect(await broker.run(`'${process.execPath}' -e '${program}'`)).toMatchObject({ output: 'own\n' });
});

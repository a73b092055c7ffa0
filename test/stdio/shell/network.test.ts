import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectGone, processesWith, type ShellBroker, startShellBroker, uniqueSeconds } from '../../support/shell.ts';
import { temporaryFolder } from '../../support/temporary.ts';

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

/** A PATH in which programs are scripts. */
async function pathWith(programs: Readonly<Record<string, string>>): Promise<string> {
	const folder = join(await temporaryFolder(), 'bin');
	await mkdir(folder);
	await chmod(join(folder, '..'), 0o755);
	for (const [name, script] of Object.entries(programs)) {
		await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	}
	return [folder, process.env.PATH].join(delimiter);
}

const FAILS = 'echo "no permission" >&2; exit 1';

/** Runs what it is given and takes nothing away. */
const IGNORES_ITS_FLAGS = 'while [ "$1" != bash ]; do shift; done; exec "$@"';

const isRoot = process.getuid?.() === 0;

const hasBubblewrap = spawnSync('bwrap', ['--version']).status === 0;

describe('once private context was given out, commands have no network', () => {
	const onlyBubblewrap = { programs: { unshare: FAILS }, isSkipped: !hasBubblewrap };
	const withoutRights = { user: 12_345, isSkipped: !isRoot };
	test.for<{ name: string; programs: Record<string, string>; user?: number; isSkipped?: boolean }>([
		{ name: 'with bubblewrap, where there is one', programs: {} },
		{ name: 'with namespaces alone, where bubblewrap fails', programs: { bwrap: FAILS } },
		{ name: 'with namespaces alone, where bubblewrap is not what it says', programs: { bwrap: IGNORES_ITS_FLAGS } },
		{ name: 'with bubblewrap, where namespaces alone fail', ...onlyBubblewrap },
		{ name: 'with namespaces alone, for an account without rights', programs: { bwrap: FAILS }, ...withoutRights },
		{
			name: 'with bubblewrap, for an account without rights',
			...onlyBubblewrap,
			...withoutRights,
			isSkipped: !isRoot || !hasBubblewrap,
		},
	])('$name', async ({ programs, user, isSkipped = false }, { skip }) => {
		skip(isSkipped);
		const env = { PATH: await pathWith(programs) };
		const broker = await startShellBroker({ env, ...(user === undefined ? {} : { user }) });
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
	for (const programs of [{}, { bwrap: FAILS }] as const) {
		const broker = await startShellBroker({ env: { PATH: await pathWith(programs) } });
		const socket = join(broker.user.home, 'service.sock');
		await listening(hello().listen(socket));
		const ask = `'${process.execPath}' -e 'net.connect(process.argv[1]).on("error", ({ code }) => console.log(code)).pipe(process.stdout)' ${socket}`;
		expect((await broker.run(ask)).output).toBe('hello\n');
		await load(broker);
		expect((await broker.run(ask)).output).toMatch(/^(ECONNREFUSED|EACCES|ENOTSOCK)\n$/);
	}
});

test('a command can not go back to the network, also as root', async () => {
	for (const programs of [{}, { bwrap: FAILS }] as const) {
		const broker = await startShellBroker({ env: { PATH: await pathWith(programs) } });
		const { ask } = await port();
		await load(broker);
		const { output } = await broker.run(`nsenter --target ${broker.pid} --net bash -c '${ask}'`);
		expect(output).toMatch(/Permission denied|Operation not permitted/);
	}
});

test('a command without a network has limits, a background and an end like any other', async () => {
	const broker = await startShellBroker({ map: '[shell]\nidle_timeout = 1\n' });
	await load(broker);
	expect(await broker.run('trap "" TERM; echo a; echo b >/dev/stderr; setsid sleep 20')).toMatchObject({
		timed_out: true,
		output: 'a\nb\n',
	});
	const seconds = uniqueSeconds();
	const { background_pids } = await broker.run(`sleep ${seconds} &`);
	expect(background_pids).toEqual(processesWith(seconds));
	await broker.finish();
	await expectGone(seconds);
});

test('where it can not be had, the command does not run, and it is told what to do', async () => {
	const env = { PATH: await pathWith({ bwrap: FAILS, unshare: IGNORES_ITS_FLAGS }) };
	const broker = await startShellBroker({ env });
	expect(await broker.run('touch before')).toMatchObject({ exit_code: 0 });
	await load(broker);
	for (let i = 0; i < 2; i++) {
		expect((await broker.call('touch after')).result).toMatchObject({
			isError: true,
			structuredContent: {
				error: { code: 'network_isolation_unavailable', next: expect.stringMatching(/bubblewrap/) },
			},
		});
	}
	expect((await broker.ask('ping', {})).error).toBeUndefined();
	const { errors } = await broker.finish();
	expect(errors).toMatch(/ Tried: bwrap: no permission; unshare: it reached the listener\.\n/);
	expect(await readdir(broker.user.home)).toEqual(['.config', 'before']);
});

test('what is installed while the session runs counts at once', async () => {
	const path = await pathWith({ bwrap: FAILS, unshare: FAILS });
	const broker = await startShellBroker({ env: { PATH: path } });
	await load(broker);
	expect((await broker.call('echo hi')).result).toMatchObject({ isError: true });
	await writeFile(join(path.split(delimiter)[0] ?? '', 'unshare'), '#!/bin/sh\nexec /usr/bin/unshare "$@"\n');
	expect(await broker.run('echo hi')).toMatchObject({ network_isolated: true, output: 'hi\n' });
});

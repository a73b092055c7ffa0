import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { brokerEnvironment, dataFolder, INITIALIZE, loadRequest, startBroker } from '../support/broker.ts';
import { BOOTSTRAP } from '../support/paths.ts';
import { SYSTEM } from '../support/system.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { createUser } from '../support/user.ts';

async function endsSoon(pid: number): Promise<void> {
	await expect.poll(() => isAlive(pid), { interval: 50 }).toBe(false);
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

async function startedBroker() {
	const broker = startBroker((await createUser()).home);
	broker.send(INITIALIZE);
	await broker.receive();
	return broker;
}

test('it ends when its input ends, with exit code 0', async () => {
	const { process: child } = await startedBroker();
	child.stdin.end();
	const [code] = await once(child, 'close');
	expect(code).toBe(0);
});

test('what was asked before the input ended is still answered', async () => {
	const user = await createUser();
	const text = 'x'.repeat(400_000);
	await user.write('catalog.md', text);
	await user.writeMap('[keys]\nk = "catalog.md"\n');
	const broker = startBroker(user.home);
	broker.send(INITIALIZE, loadRequest(1, 'k'), loadRequest(2, 'k'));
	const { rest, code } = await broker.finish();
	expect(rest.filter(({ result }) => JSON.stringify(result)?.includes(text))).toHaveLength(2);
	expect(code).toBe(0);
});

test('what an older version has kept of calls and decisions, it removes', async () => {
	const data = await dataFolder();
	const older = ['receipts', 'decisions', 'private-agents', 'private-sessions'];
	for (const name of older) {
		await mkdir(join(data, name));
		await writeFile(join(data, name, 'old.jsonl'), '{}\n');
		await utimes(join(data, name), 0, 0);
	}
	const broker = startBroker((await createUser()).home, { CLAUDE_PLUGIN_DATA: data });
	broker.send(INITIALIZE);
	await broker.receive();
	const kept = async () => (await readdir(data)).filter((name) => older.includes(name));
	await expect.poll(kept).toEqual([]);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('it ends on %s', async (signal) => {
	const { process: child } = await startedBroker();
	child.kill(signal);
	const [code] = await once(child, 'close');
	expect(code).toBe(0);
});

test('it ends when nobody reads its output any more', async () => {
	const { process: child, send } = await startedBroker();
	child.stdout.destroy();
	send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: 2, method: 'ping' });
	const [code] = await once(child, 'close');
	expect(code).toBe(0);
});

test('it lives on where nobody reads its errors', async () => {
	const { process: child, send, receive } = await startedBroker();
	child.stderr.destroy();
	for (const id of [1, 2]) {
		send(loadRequest(id, 'none'));
		expect((await receive()).id).toBe(id);
	}
});

test('it lives on where its errors go to a full disk', async ({ skip }) => {
	skip(SYSTEM !== 'linux', 'Linux alone has /dev/full');
	const command = ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh', process.execPath, BOOTSTRAP] as const;
	const { send, receive } = startBroker((await createUser()).home, {}, [...command]);
	send(INITIALIZE);
	await receive();
	for (const id of [1, 2]) {
		send(loadRequest(id, 'none'));
		expect((await receive()).id).toBe(id);
	}
});

test('it lives on while its client is silent', async () => {
	const broker = await startedBroker();
	await new Promise((resolve) => setTimeout(resolve, 4_000));
	broker.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
	expect((await broker.receive()).id).toBe(1);
});

/**
 * Starts the broker below a parent that can be killed, with its input a FIFO that this test keeps open, as a wrapper or
 * a sibling of the client can.
 */
async function startBelowParent(parentScript: string): Promise<{ parent: ChildProcess; pid: () => Promise<number> }> {
	const folder = await temporaryFolder();
	const [fifo, pidFile] = [join(folder, 'fifo'), join(folder, 'pid')];
	const user = await createUser();
	const script = `mkfifo "$FIFO"; exec 3<>"$FIFO"; ${parentScript}`;
	const env = { ...brokerEnvironment(user.home), FIFO: fifo, PID: pidFile, NODE: process.execPath, BOOTSTRAP };
	const parent = spawn('sh', ['-c', script], { env, stdio: 'ignore' });
	const keeper = spawn('sh', ['-c', 'while ! [ -p "$FIFO" ]; do sleep 0.05; done; exec sleep 300 3<>"$FIFO"'], {
		env,
		stdio: 'ignore',
	});
	onTestFinished(() => {
		parent.kill('SIGKILL');
		keeper.kill('SIGKILL');
	});
	const pid = async () => {
		let text = '';
		await expect
			.poll(async () => {
				text = await readFile(pidFile, 'utf8').catch(() => '');
				return text;
			})
			.toMatch(/^\d+\n$/);
		return Number.parseInt(text, 10);
	};
	return { parent, pid };
}

test('it ends when its parent is killed, also where another process holds its input open', async () => {
	const { parent, pid } = await startBelowParent('"$NODE" "$BOOTSTRAP" <"$FIFO" & echo $! >"$PID"; wait');
	const broker = await pid();
	// Long enough that the broker is past its start.
	await new Promise((resolve) => setTimeout(resolve, 1_000));
	expect(isAlive(broker)).toBe(true);
	parent.kill('SIGKILL');
	await endsSoon(broker);
});

test('it ends when its parent was gone before it could look', async () => {
	const { parent, pid } = await startBelowParent(
		'sh -c \'sleep 0.3; exec "$NODE" "$BOOTSTRAP" <"$FIFO"\' & echo $! >"$PID"; wait',
	);
	const broker = await pid();
	parent.kill('SIGKILL');
	expect(isAlive(broker)).toBe(true);
	await endsSoon(broker);
});

test('two at once, as a client that probes starts them, do not disturb each other', async () => {
	const user = await createUser();
	const [probe, real] = [startBroker(user.home), startBroker(user.home)];
	probe.send(INITIALIZE);
	real.send(INITIALIZE);
	await Promise.all([probe.receive(), real.receive()]);
	probe.process.kill('SIGKILL');
	real.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
	expect((await real.receive()).id).toBe(1);
});

test.each(['--serve', 'serve', 'tools'])('an argument that it does not know is refused: %s', async (argument) => {
	const broker = startBroker((await createUser()).home, {}, [process.execPath, BOOTSTRAP, argument]);
	const { code, errors, rest } = await broker.finish();
	expect({ code, rest }).toEqual({ code: 2, rest: [] });
	expect(errors).toMatch(/^context-broker: .* See "context-broker help"\.\n$/);
});

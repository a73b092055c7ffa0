import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { INITIALIZE, loadRequest, startBroker } from '../support/broker.ts';
import { asking, createInstallation, HINDERED, outcome, READY, SILENT, wasHindered } from '../support/installation.ts';
import { createUser } from '../support/user.ts';

test('the real packages are installed, and the real broker serves', async ({ skip }) => {
	const { root, env, run, contents } = await createInstallation({ isReal: true });
	const user = await createUser(env.HOME);
	await user.write('a.md', 'private');
	await user.writeMap('[keys]\nk = "a.md"\n');
	const hook = await run(['prepare']);
	skip(wasHindered(hook), HINDERED);
	// On a slow machine it says that it is late.
	expect(hook.code).toBe(0);
	expect(await contents()).toEqual(READY);
	const server = startBroker(user.home, env, [process.execPath, join(root, 'server', 'bootstrap.cjs')]);
	server.send(INITIALIZE, loadRequest(1, 'k'));
	await server.receive();
	expect((await server.receive()).result).toEqual({ content: [{ type: 'text', text: 'private' }] });
});

test('hook and server that start at the same moment do one install, and the server then serves', async () => {
	const { start, run, npmRuns, contents } = await createInstallation();
	const answer = asking(start([]))('x');
	expect(await run(['prepare'])).toEqual(SILENT);
	expect(await answer).toBe('served x\n');
	expect(await npmRuns()).toBe(1);
	expect(await contents()).toEqual(READY);
});

test('a server alone does the same, what it is sent meanwhile is not lost', async () => {
	const { start, npmRuns, contents } = await createInstallation();
	const server = start([]);
	server.stdin?.write('one\ntwo\n');
	await expect.poll(npmRuns).toBe(1);
	server.stdin?.write('three\n');
	let printed = '';
	server.stdout?.on('data', (text) => {
		printed += text;
	});
	await expect.poll(() => printed).toBe('served one\nserved two\nserved three\n');
	expect(await contents()).toEqual(READY);
});

const namespace = spawnSync('unshare', ['-Urpf', '--mount-proc', 'true']).status === 0;

test('a container that shares the home and starts meanwhile waits for the one install', async ({ skip }) => {
	skip(!namespace, 'this account may make no namespaces');
	const { root, env, start, npmRuns, contents } = await createInstallation();
	const first = outcome(start(['prepare']));
	await expect.poll(npmRuns, { interval: 20 }).toBe(1);
	const args = ['-Urpf', '--mount-proc', process.execPath, join(root, 'server', 'bootstrap.cjs'), 'prepare'];
	const second = outcome(spawn('unshare', args, { env }));
	expect(await Promise.all([first, second])).toEqual([SILENT, SILENT]);
	expect(await npmRuns()).toBe(1);
	expect(await contents()).toEqual(READY);
});

test("the package's bin is a link to the same file", async () => {
	const { root, env } = await createInstallation();
	const bin = join(root, 'node_modules', '.bin');
	await mkdir(bin, { recursive: true });
	await symlink('../../server/bootstrap.cjs', join(bin, 'context-broker'));
	await chmod(join(root, 'server', 'bootstrap.cjs'), 0o755);
	const { stdout, stderr } = await promisify(execFile)(join(bin, 'context-broker'), ['prepare'], { env });
	expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
});

import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { createInstallation, type Installation, outcome, READY } from '../support/installation.ts';
import { createUser } from '../support/user.ts';

async function loadThrough({ root, env }: Installation): Promise<unknown> {
	const client = new Client({ name: 'test', version: '1.0.0' });
	const bootstrap = join(root, 'server', 'bootstrap.cjs');
	await client.connect(new StdioClientTransport({ command: process.execPath, args: [bootstrap], env }));
	onTestFinished(() => client.close());
	return await client.callTool({ name: 'load_context', arguments: { key: 'k' } });
}

async function withContext(installation: Installation): Promise<Installation> {
	const user = await createUser(installation.env.HOME);
	await user.write('a.md', 'private');
	await user.writeMap('[keys]\nk = "a.md"\n');
	return installation;
}

test('hook and server that start at the same moment do one install, and the server then serves', async () => {
	const installation = await withContext(await createInstallation());
	const [hook, result] = await Promise.all([installation.run(['prepare']), loadThrough(installation)]);
	expect(hook).toEqual({ code: 0, stdout: '', stderr: '' });
	expect(result).toEqual({ content: [{ type: 'text', text: 'private' }] });
	expect(await installation.npmRuns()).toBe(1);
	expect(await installation.contents()).toEqual(READY);
});

test('a server alone does the same, what it is sent meanwhile is not lost', async () => {
	const installation = await withContext(await createInstallation());
	expect(await loadThrough(installation)).toEqual({ content: [{ type: 'text', text: 'private' }] });
	expect(await installation.npmRuns()).toBe(1);
});

test('fifty sessions at once do one install', async () => {
	const { start, npmRuns, contents, builds } = await createInstallation();
	const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcome(start(['prepare']))));
	expect(new Set(outcomes.map(({ code, stdout, stderr }) => `${code}${stdout}${stderr}`))).toEqual(new Set(['0']));
	expect(await npmRuns()).toBe(1);
	expect(await builds()).toHaveLength(1);
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
	expect(await Promise.all([first, second])).toEqual(Array(2).fill({ code: 0, stdout: '', stderr: '' }));
	expect(await npmRuns()).toBe(1);
	expect(await contents()).toEqual(READY);
});

test("the package's bin is a link to the same file", async () => {
	const { root, env } = await createInstallation();
	const bin = join(root, 'node_modules', '.bin');
	await mkdir(bin, { recursive: true });
	await symlink('../../server/bootstrap.cjs', join(bin, 'context-broker'));
	await chmod(join(root, 'server', 'bootstrap.cjs'), 0o755);
	await writeFile(join(root, 'unrelated'), '');
	const { stdout, stderr } = await promisify(execFile)(join(bin, 'context-broker'), ['prepare'], { env });
	expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { processesOf, procOf, readCim, readProc, readPs } from '../../../server/processes/process-table.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function sleeper(env: Record<string, string> = {}, program = 'sleep', args = ['100']) {
	const child = spawn(program, args, { detached: true, env: { PATH: process.env.PATH, ...env } });
	onTestFinished(() => void child.kill('SIGKILL'));
	await once(child, 'spawn');
	return child;
}

test('/proc tells of a process what belongs to it', async () => {
	const { pid = 0 } = await sleeper({ CONTEXT_BROKER_COMMAND: 'a=b c', OTHER: '1' });
	const found = readProc().find((each) => each.pid === pid);
	expect(found).toMatchObject({ pid, parent: process.pid, group: pid, commandId: 'a=b c' });
	expect(found?.started).toBeGreaterThan(procOf(process.pid)?.started ?? Number.POSITIVE_INFINITY);
});

test('a program can have any name', async () => {
	const { pid = 0 } = await sleeper({}, 'bash', ['-c', 'exec -a ") R 1 (" sleep 100']);
	await expect.poll(() => procOf(pid)).toMatchObject({ pid, parent: process.pid, group: pid, commandId: undefined });
});

test('one that has ended is none', async () => {
	const child = await sleeper();
	child.kill('SIGKILL');
	await once(child, 'exit');
	expect(procOf(child.pid ?? 0)).toBeUndefined();
	expect(procOf(999_999_999)).toBeUndefined();
});

test('ps(1) tells the same, but for environments', async () => {
	const { pid = 0 } = await sleeper();
	const found = (await readPs()).find((each) => each.pid === pid);
	expect(found).toMatchObject({ pid, parent: process.pid, group: pid, commandId: undefined });
	expect(found?.identity).toMatch(/^\d+ \S.*\d{4}$/);
});

/** A folder with programs of these names that print something, and note that they were used. */
async function programs(printed: string, ...names: string[]): Promise<string> {
	const folder = await temporaryFolder();
	for (const name of names) {
		await writeFile(join(folder, name), `#!/bin/sh\ntouch '${folder}/used'\n${printed}\n`, { mode: 0o755 });
	}
	onTestFinished(() => void vi.unstubAllEnvs());
	return folder;
}

test('it is the ps(1) of the system, not the first in the PATH', async () => {
	const folder = await programs('exit 1', 'ps');
	vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
	expect(await readPs()).not.toEqual([]);
	expect(await readdir(folder)).not.toContain('used');
});

/** On Linux the whole path is the name of a file, which is looked up in PATH. */
const POWERSHELL = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';

test('PowerShell tells of ids, parents and starts', async () => {
	const folder = await programs(`printf '4 0 1700000000000\\r\\n${process.pid} 4 1700000000123\\r\\n'`, POWERSHELL);
	vi.stubEnv('SystemRoot', 'C:\\Windows');
	vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
	const found = (await readCim()).find(({ pid }) => pid === process.pid);
	expect(found).toMatchObject({ parent: 4, started: 1_700_000_000_123, identity: `${process.pid} 1700000000123` });
	expect(found?.group).toBeNaN();
});

test.each(['exit 1', 'true', "echo '4 0 1700000000000'"])('a list that is none is an error: %s', async (printed) => {
	vi.stubEnv('SystemRoot', 'C:\\Windows');
	vi.stubEnv('PATH', `${await programs(printed, POWERSHELL)}:${process.env.PATH}`);
	await expect(readCim()).rejects.toThrow();
});

test('who asks at the same time gets the same table, and who asks later a new one', async () => {
	const read = processesOf('linux');
	const [one, two] = await Promise.all([read(), read()]);
	expect(one).toBe(two);
	expect(await read()).not.toBe(one);
});

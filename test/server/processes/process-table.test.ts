import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { processesOf, procOf, readProc, readPs } from '../../../server/processes/process-table.ts';

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

test('who asks at the same time gets the same table, and who asks later a new one', async () => {
	const read = processesOf('linux');
	const [one, two] = await Promise.all([read(), read()]);
	expect(one).toBe(two);
	expect(await read()).not.toBe(one);
});

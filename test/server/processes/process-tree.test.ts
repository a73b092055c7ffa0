import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isRunning } from '../../../server/processes/is-running.ts';
import type { Process } from '../../../server/processes/process-table.ts';
import { membersOf, processTreesOn } from '../../../server/processes/process-tree.ts';
import { commandLine } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temporary.ts';

function process_(pid: number, parent: number, more: Partial<Process> = {}): Process {
	return { pid, parent, group: pid, identity: `${pid} then`, started: 100, commandId: undefined, ...more };
}

const ID = { commandId: 'c', root: 10, since: 50, seen: ['10 then'] };

function pids(processes: readonly Process[], id = ID): number[] {
	return membersOf(id, processes).map(({ pid }) => pid);
}

describe('a process belongs to a command', () => {
	test('by its group', () => {
		expect(pids([process_(10, 1), process_(11, 1, { group: 10 }), process_(12, 1)])).toEqual([10, 11]);
	});

	test('by its environment, unless it is older', () => {
		const mine = { commandId: 'c' };
		expect(pids([process_(20, 1, mine), process_(21, 1, { ...mine, started: 49 }), process_(22, 1)])).toEqual([20]);
		expect(pids([process_(20, 1, { commandId: 'other' })])).toEqual([]);
	});

	test('by its parents, in whatever order they are listed', () => {
		expect(pids([process_(13, 12), process_(12, 11), process_(11, 10), process_(10, 1), process_(14, 99)])).toEqual([
			13, 12, 11, 10,
		]);
	});

	test('since it was seen as one', () => {
		const id = { ...ID, seen: ['30 then'] };
		expect(pids([process_(30, 1), process_(31, 30), process_(32, 1)], id)).toEqual([30, 31]);
	});

	test('not by an id that was given away again', () => {
		const later = { identity: '10 later' };
		expect(pids([process_(10, 1, later), process_(11, 1, { group: 10 })])).toEqual([]);
		expect(pids([process_(11, 1, { group: 10, identity: '11 x' })], { ...ID, seen: [] })).toEqual([]);
	});

	test('by its first process, also if that leads no group', () => {
		const group = { group: 5 };
		expect(pids([process_(10, 1, group), process_(11, 10, group), process_(12, 1, group)])).toEqual([10, 11]);
		expect(pids([process_(10, 1, { ...group, identity: '10 later' }), process_(11, 10, group)])).toEqual([]);
	});

	test('by the id of a parent that has ended, unless it is older: Windows gives no other', () => {
		const { seen: _, ...id } = ID;
		const unknown = { group: Number.NaN };
		const orphans = [
			process_(11, 10, unknown),
			process_(12, 10, { ...unknown, started: 49 }),
			process_(13, 99, unknown),
		];
		expect(membersOf(id, orphans).map(({ pid }) => pid)).toEqual([11]);
		expect(pids(orphans)).toEqual([]);
		expect(pids([process_(10, 1), process_(21, 20, { started: 99 }), process_(20, 10)])).toEqual([10, 20]);
	});

	test('by the group also where nobody has looked yet', () => {
		const { seen: _, ...id } = ID;
		expect(membersOf(id, [process_(11, 1, { group: 10 })])).toHaveLength(1);
		expect(membersOf({ commandId: 'c' }, [process_(11, 1, { group: 10 })])).toEqual([]);
	});
});

test('ending a tree that is gone does nothing, and it keeps no group', async () => {
	const child = spawn(process.execPath, ['-e', ''], { detached: true });
	await once(child, 'exit');
	const tree = processTreesOn(process.platform, () => performance.now())({ commandId: 'none', root: child.pid ?? 0 });
	await tree.end();
	expect(tree.id.seen).toEqual([]);
});

test('where ps(1) tells of processes, a group is ended as well', async () => {
	const child = spawn('bash', ['-c', 'trap "" TERM; sleep 100 & setsid sleep 100 & wait; wait'], { detached: true });
	onTestFinished(() => void child.kill('SIGKILL'));
	const exited = once(child, 'exit');
	let time = 0;
	// However slow the machine is: four looks for TERM, then as many as it takes.
	const now = () => (time += time < 500 ? 100 : 1);
	const tree = processTreesOn('darwin', now)({ commandId: 'none', root: child.pid ?? 0 });
	await expect.poll(async () => (await tree.members()).length).toBe(3);
	await tree.end();
	expect(await exited).toEqual([null, 'SIGKILL']);
	expect(tree.id.seen).toEqual([]);
});

const UNLISTED = async () => {
	throw new Error('no list');
};

describe('if the system lists no processes', () => {
	test('a group is ended all the same, and so is a process that leads none', async () => {
		for (const detached of [true, false]) {
			const command = detached
				? 'trap "" TERM; sleep 100 & echo $!; wait; wait'
				: 'trap "" TERM; echo; sleep 100; sleep 1';
			const child = spawn('bash', ['-c', command], { detached });
			onTestFinished(() => void child.kill('SIGKILL'));
			const exited = once(child, 'exit');
			const [output] = await once(child.stdout, 'data');
			await processTreesOn('darwin', () => 0, UNLISTED)({ commandId: 'none', root: child.pid ?? 0 }).end();
			expect(await exited).toEqual([null, 'SIGKILL']);
			if (detached) await expect.poll(() => commandLine(Number(output))).toBe('');
		}
	});

	test('nothing is ended whose first process may have ended: its id can be another one by now', async () => {
		const child = spawn('sleep', ['100'], { detached: true });
		onTestFinished(() => void child.kill('SIGKILL'));
		await once(child, 'spawn');
		const tree = processTreesOn('darwin', () => 0, UNLISTED)({ commandId: 'none', root: child.pid ?? 0 });
		expect(await tree.members()).toEqual([]);
		await tree.end();
		expect(commandLine(child.pid ?? 0)).toBe('sleep 100');
	});

	test.skipIf(process.platform !== 'win32')('Windows ends it with all that it has started', async () => {
		const inner = 'setTimeout(() => {}, 100_000)';
		const code = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}]);
			console.log(child.pid); child.on('exit', () => {});`;
		const child = spawn(process.execPath, ['-e', code]);
		const exited = once(child, 'exit');
		const [output] = await once(child.stdout, 'data');
		expect(isRunning(Number(output))).toBe(true);
		await processTreesOn('win32', () => 0, UNLISTED)({ commandId: 'none', root: child.pid ?? 0 }).end();
		await exited;
		await expect.poll(() => isRunning(Number(output))).toBe(false);
	});

	test('Windows ends it, by its own program and no other', async () => {
		const folder = await temporaryFolder();
		// On Linux its whole path is the name of a file, which is looked up in PATH.
		for (const name of ['taskkill', 'taskkill.exe', 'C:\\Windows\\System32\\taskkill.exe']) {
			const script = `#!/bin/sh\nprintf '%s\\n' "\${0##*/} $*" >>'${folder}/used'\n`;
			await writeFile(join(folder, name), script, { mode: 0o755 });
		}
		vi.stubEnv('SystemRoot', 'C:\\Windows');
		vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
		onTestFinished(() => void vi.unstubAllEnvs());
		await processTreesOn('win32', () => 0, UNLISTED)({ commandId: 'none', root: 4711 }).end();
		const used = 'C:\\Windows\\System32\\taskkill.exe /pid 4711 /t /f\n';
		expect(await readFile(join(folder, 'used'), 'utf8')).toBe(used.repeat(2));
	});
});

test('neither the first process of all nor the broker itself is ever one', () => {
	const mine = { group: 10, commandId: 'c', identity: '10 then' };
	expect(
		pids([process_(1, 0, mine), process_(process.pid, 1, mine), process_(11, 1), process_(12, process.pid)]),
	).toEqual([]);
	expect(membersOf({ commandId: undefined as unknown as string }, [process_(11, 1)])).toEqual([]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Process } from '../../../server/processes/process-table.ts';
import { membersOf, processTreesOn } from '../../../server/processes/process-tree.ts';

function process_(pid: number, parent: number, more: Partial<Process> = {}): Process {
	return { pid, parent, group: pid, identity: `${pid} then`, started: 100, commandId: undefined, ...more };
}

const ID = { commandId: 'c', group: 10, since: 50, seen: ['10 then'] };

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

	test('by the group also where nobody has looked yet', () => {
		const { seen: _, ...id } = ID;
		expect(membersOf(id, [process_(11, 1, { group: 10 })])).toHaveLength(1);
		expect(membersOf({ commandId: 'c' }, [process_(11, 1, { group: 10 })])).toEqual([]);
	});
});

test('ending a tree that is gone does nothing, and it keeps no group', async () => {
	const child = spawn('true', { detached: true });
	await once(child, 'exit');
	const tree = processTreesOn('linux', () => performance.now())({ commandId: 'none', group: child.pid ?? 0 });
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
	const tree = processTreesOn('darwin', now)({ commandId: 'none', group: child.pid ?? 0 });
	await expect.poll(async () => (await tree.members()).length).toBe(3);
	await tree.end();
	expect(await exited).toEqual([null, 'SIGKILL']);
	expect(tree.id.seen).toEqual([]);
});

test('on Windows nothing is known of a command that is over', async () => {
	const tree = processTreesOn('win32', () => 0)({ commandId: 'c', group: 10 });
	expect(await tree.members()).toEqual([]);
	expect(tree.id.seen).toEqual([]);
});

test('neither the first process of all nor the broker itself is ever one', () => {
	const mine = { group: 10, commandId: 'c', identity: '10 then' };
	expect(
		pids([process_(1, 0, mine), process_(process.pid, 1, mine), process_(11, 1), process_(12, process.pid)]),
	).toEqual([]);
	expect(membersOf({ commandId: undefined as unknown as string }, [process_(11, 1)])).toEqual([]);
});

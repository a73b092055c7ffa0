import { expect, test } from 'vitest';
import { currentParent } from '../../server/lifetime.ts';

test('the parent is the one that the system names; on Windows, that has none, none once it is gone', () => {
	const ours = { platform: 'linux' as NodeJS.Platform, ppid: 7 };
	const running = new Set([7]);
	const isRunning = (pid: number) => running.has(pid);
	const onLinux = currentParent({ ...ours }, isRunning);
	const onWindows = currentParent({ ...ours, platform: 'win32' }, isRunning);
	expect([onLinux(), onWindows()]).toEqual([7, 7]);
	running.clear();
	expect([onLinux(), onWindows()]).toEqual([7, 0]);
	// One that was gone before says nothing of the client.
	expect(currentParent({ ...ours, platform: 'win32' }, isRunning)()).toBe(7);
	const adopted = { ...ours };
	const parent = currentParent(adopted, isRunning);
	adopted.ppid = 1;
	expect(parent()).toBe(1);
});

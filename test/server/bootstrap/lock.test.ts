import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Lock, processIdSpace } from '../../../server/bootstrap/lock.mjs';
import { failFor } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const PASSED = 999_999_999;

/** Two processes that want the same lock; time goes on when it is told to. */
async function twoLocks() {
	vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
	onTestFinished(() => void vi.useRealTimers());
	const file = join(await temporaryFolder(), '.lock');
	const [holder, other] = [new Lock(file), new Lock(file)];
	onTestFinished(() => holder.release());
	onTestFinished(() => other.release());
	/** How often the other is refused when it tries once a second. */
	const refusals = (most: number) => {
		for (let count = 0; count < most; count++) {
			if (other.tryTake()) return count;
			vi.advanceTimersByTime(1_000);
		}
		return most;
	};
	return { file, holder, other, refusals };
}

test('a lock is had by one, until it is released', async () => {
	const { holder, other } = await twoLocks();
	expect([holder.tryTake(), other.tryTake()]).toEqual([true, false]);
	expect([holder.isHeld(), other.isHeld()]).toEqual([true, false]);
	other.release();
	expect(holder.isHeld()).toBe(true);
	holder.release();
	expect(other.tryTake()).toBe(true);
});

test.each([
	['', `${process.pid} ${processIdSpace()} token`],
	[', whose process id means nothing here', `${PASSED} elsewhere token`],
	[' of an older version', `${PASSED} token`],
])('a holder%s keeps it for as long as it refreshes it, and loses it ten seconds later', async (_, content) => {
	const { file, holder, refusals } = await twoLocks();
	holder.tryTake();
	writeFileSync(file, content);
	expect(refusals(1_000)).toBe(1_000);
	expect(readFileSync(file, 'utf8')).toBe(content);
	clearInterval(holder.heartbeat);
	// One look sees that it is too old, the next takes it.
	expect(refusals(1_000)).toBe(11);
});

test.each([
	['a process that is gone', `${PASSED} ${processIdSpace()} token`, 0],
	['one of another container, long ago', '1 elsewhere token', 600],
	['an older version, long ago', `${process.pid} token`, 600],
	['one that had not yet written to it, long ago', '', 600],
])('a lock that was left behind by %s is taken at the second look', async (_, content, age) => {
	const { file, refusals } = await twoLocks();
	writeFileSync(file, content);
	const then = Date.now() / 1_000 - age;
	utimesSync(file, then, then);
	expect(refusals(3)).toBe(1);
});

test('one who has lost it does not take it from the next', async () => {
	const { file, holder, other } = await twoLocks();
	holder.tryTake();
	writeFileSync(file, '');
	expect(holder.isHeld()).toBe(false);
	writeFileSync(file, other.content);
	holder.release();
	expect(other.isHeld()).toBe(true);
});

test('on Windows a lock that is just being removed is waited for, for a moment', async () => {
	const file = join(await temporaryFolder(), '.lock');
	let isBusy = true;
	failFor('openSync', 'EPERM', (path) => isBusy && path === file);
	expect(() => new Lock(file, 'linux').tryTake()).toThrow();
	const lock = new Lock(file, 'win32');
	for (let times = 0; times < 100; times++) expect(lock.tryTake()).toBe(false);
	expect(() => lock.tryTake()).toThrow();
	isBusy = false;
	expect(lock.tryTake()).toBe(true);
	lock.release();
});

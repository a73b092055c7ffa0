import { expect, test } from 'vitest';
import { retryIfBusy, retryReadIfBusy } from '../../../server/bootstrap/retry.mjs';

/** Fails some times, then returns how often it was called. */
function failing(code: string, times: number) {
	let calls = 0;
	return () => {
		calls += 1;
		if (calls <= times) throw Object.assign(new Error(code), { code });
		return calls;
	};
}

async function outcomeOf(action: () => number, platform: NodeJS.Platform): Promise<unknown> {
	return await retryIfBusy(action, platform).catch(({ code }) => code);
}

test.each(['EPERM', 'EACCES', 'EBUSY', 'ENOTEMPTY'])('%s is tried again on Windows', async (code) => {
	expect(await outcomeOf(failing(code, 3), 'win32')).toBe(4);
});

test('what stays busy is told after a moment', async () => {
	expect(await outcomeOf(failing('EBUSY', 1_000), 'win32')).toBe('EBUSY');
});

test.each(['linux', 'darwin'] as const)('on %s it lasts, so it is told at once', async (platform) => {
	expect(await outcomeOf(failing('EPERM', 1), platform)).toBe('EPERM');
});

test('another error is told at once', async () => {
	expect(await outcomeOf(failing('ENOSPC', 1), 'win32')).toBe('ENOSPC');
});

test('what is read while a call waits is told soon', async () => {
	const start = performance.now();
	await expect(retryReadIfBusy(failing('EPERM', 1_000), 'win32')).rejects.toThrow('EPERM');
	expect(performance.now() - start).toBeLessThan(2_000);
});

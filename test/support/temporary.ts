import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the running test's own, removed with all that is in it when the test ends. */
export async function temporaryFolder(parent = tmpdir()): Promise<string> {
	const folder = await mkdtemp(join(parent, 'context-broker-'));
	onTestFinished(async () => {
		await chmod(folder, 0o700);
		await rm(folder, { recursive: true, force: true, maxRetries: 5 });
	});
	return folder;
}

/** One for sockets: no system makes one of which the path is longer than 107 bytes. */
export async function shortFolder(): Promise<string> {
	return await temporaryFolder(process.platform === 'win32' ? tmpdir() : '/tmp');
}

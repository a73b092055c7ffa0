import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for the running test; removed when it ends, on Windows once no process works in it. */
export async function temporaryFolder(parent = tmpdir()): Promise<string> {
	const folder = await mkdtemp(join(parent, 'context-broker-'));
	onTestFinished(async () => {
		await chmod(folder, 0o700);
		await rm(folder, { recursive: true, force: true, maxRetries: 15 });
	});
	return folder;
}

/** A folder for sockets: on Linux, a socket's path has at most 107 bytes. */
export async function shortFolder(): Promise<string> {
	return await temporaryFolder(process.platform === 'win32' ? tmpdir() : '/tmp');
}

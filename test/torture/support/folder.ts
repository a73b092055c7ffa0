import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives a folder to a piece of work, and removes it with all that is in it afterwards, also on failure. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), 'context-broker-torture-'));
	const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	process.once('exit', remove);
	try {
		return await use(folder);
	} finally {
		process.off('exit', remove);
		remove();
	}
}

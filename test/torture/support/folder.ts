import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Does something with a folder of its own, which is gone afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), 'context-broker-torture-'));
	try {
		return await use(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

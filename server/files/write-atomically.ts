import { promises as fs } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { retryIfBusy } from '../bootstrap/retry.mjs';

/** Only this account can read the file. @param prepare gets the empty file */
export async function writeAtomically(
	path: string,
	content: string | Buffer,
	prepare: (file: FileHandle) => Promise<void> = async () => {},
): Promise<void> {
	const folder = dirname(path);
	// Starts with the file's name, so that ignore patterns such as `.env.*` match it too.
	const temporary = join(folder, `${basename(path).slice(0, 40)}.${crypto.randomUUID()}`);
	try {
		await fs.mkdir(folder, { recursive: true, mode: 0o700 });
		const file = await fs.open(temporary, 'wx', 0o600);
		try {
			await prepare(file);
			await file.writeFile(content);
			await file.sync();
		} finally {
			await file.close();
		}
		await retryIfBusy(() => fs.rename(temporary, path));
	} catch (error) {
		await retryIfBusy(() => fs.rm(temporary, { force: true })).catch(() => {}); // The first error is the one to report.
		throw error;
	}
}

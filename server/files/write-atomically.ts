import { promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes a file in one step, for the account alone: whoever reads it meanwhile gets the old text or the new one. Makes
 * its folder.
 *
 * @returns the topmost folder that was made; undefined where none was
 */
export async function writeAtomically(path: string, text: string): Promise<string | undefined> {
	const folder = dirname(path);
	const temporary = join(folder, `.${crypto.randomUUID()}`);
	try {
		const made = await fs.mkdir(folder, { recursive: true, mode: 0o700 });
		const file = await fs.open(temporary, 'wx', 0o600);
		await file
			.writeFile(text)
			.then(() => file.sync())
			.finally(() => file.close());
		await fs.rename(temporary, path);
		return made;
	} catch (error) {
		await fs.rm(temporary, { force: true }).catch(() => {}); // The first error tells more.
		throw error;
	}
}

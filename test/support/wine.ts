import { promises } from 'node:fs';
import { onTestFinished } from 'vitest';

export const IS_WINE = process.platform === 'win32' && process.env.WINEPREFIX !== undefined;

/** How often a test repeats something that takes much longer under Wine. */
export function timesOf(count: number): number {
	return IS_WINE ? count / 10 : count;
}

/**
 * Until the test ends, each addition to a file is one step, as on Windows: "write operations will not overwrite existing data"
 * (FILE_APPEND_DATA in https://learn.microsoft.com/windows/win32/fileio/file-access-rights-constants). Wine asks for the
 * file's size and then writes there (NtWriteFile in dlls/ntdll/unix/file.c), so one of two additions at once can be lost.
 */
export function addInOneStep(): void {
	if (!IS_WINE) return;
	const { open } = promises;
	let last: Promise<unknown> = Promise.resolve();
	promises.open = async (path, flags, mode) => {
		const file = await open(path, flags, mode);
		if (flags !== 'a') return file;
		const write = file.write.bind(file) as (text: Uint8Array) => ReturnType<typeof file.write<Uint8Array>>;
		file.write = (async (text: Uint8Array) => {
			const written = last.then(() => write(text));
			last = written.catch(() => {});
			return await written;
		}) as typeof file.write;
		return file;
	};
	onTestFinished(() => {
		promises.open = open;
	});
}

import { promises as fs, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * An absolute path with every link in it resolved, as far as it exists and may be looked at; the rest is appended
 * unchanged. Never throws.
 */
export function realPathOf(path: string): string {
	const rest: string[] = [];
	for (let prefix = path; ; prefix = dirname(prefix)) {
		try {
			return join(realpathSync.native(prefix), ...rest);
		} catch {
			// Whatever the reason, the folder above may still be resolved: a missing name, a circle of links, no rights.
			if (dirname(prefix) === prefix) return path;
			rest.unshift(basename(prefix));
		}
	}
}

/** The same, without holding anything up. */
export async function findRealPath(path: string): Promise<string> {
	const rest: string[] = [];
	for (let prefix = path; ; prefix = dirname(prefix)) {
		const real = await fs.realpath(prefix).catch(() => undefined);
		if (real !== undefined) return join(real, ...rest);
		if (dirname(prefix) === prefix) return path;
		rest.unshift(basename(prefix));
	}
}

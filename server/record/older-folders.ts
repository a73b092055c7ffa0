import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { retryReadIfBusy } from '../bootstrap/retry.mjs';
import { lazy } from '../memoize.ts';
import { listFolder } from './list-folder.ts';

const olderLoadSchema = lazy(() =>
	z.object({
		...{ session: z.string(), agent: z.string(), type: z.string(), transcript: z.string(), since: z.number() },
		isPrivate: z.optional(z.literal(false)),
	}),
);

/** What versions up to November 2026 wrote: a file for each agent that had loaded, and one for each holder of private data. */
const [AGENTS, HOLDERS] = ['private-agents', 'private-sessions'] as const;

export const OLDER_FOLDERS = [AGENTS, HOLDERS];

export interface Older {
	readonly loads: readonly z.infer<ReturnType<typeof olderLoadSchema>>[];
	/** Digests of the names of holders. */
	readonly marks: readonly string[];
	/** When one of the folders changed last. Milliseconds since 1970. */
	readonly changed: number;
}

/** @param onUnreadable gets the paths of invalid files. @returns undefined if there is nothing of older versions */
export async function readOlder(data: string, onUnreadable: (path: string) => void): Promise<Older | undefined> {
	const [agents, marks] = await Promise.all([listFolder(join(data, AGENTS)), listFolder(join(data, HOLDERS))]);
	if (agents === undefined && marks === undefined) return undefined;
	const files = (agents ?? []).filter((name) => /^[0-9a-f]+(\.open)?\.json$/.test(name));
	const loads = files.map(async (name) => {
		const path = join(data, AGENTS, name);
		try {
			return olderLoadSchema().parse(JSON.parse(await retryReadIfBusy(() => fs.readFile(path, 'utf8'))));
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onUnreadable(path);
			return undefined;
		}
	});
	const changes = OLDER_FOLDERS.map(
		async (name) => (await fs.stat(join(data, name)).catch(() => undefined))?.mtimeMs ?? 0,
	);
	return {
		loads: (await Promise.all(loads)).filter((load) => load !== undefined),
		marks: marks ?? [],
		changed: Math.max(...(await Promise.all(changes))),
	};
}

import { FileSystem } from '../../../server/paths/file-system.ts';
import type { Place, ProtectedPath } from '../../../server/paths/place.ts';
import { reachedBy } from '../../../server/paths/reached-by.ts';

export const MAP = { path: '/home/u/.config/context-broker/context-map.toml', isFolder: false };
export const CATALOG = { path: '/home/u/private/catalog.md', isFolder: false };
export const TRANSCRIPTS = { path: '/home/u/.claude/projects/-p/S/subagents', isFolder: true };
export const PROTECTED: readonly ProtectedPath[] = [MAP, CATALOG, TRANSCRIPTS];

/** Links by their path, each to an absolute one. */
export const LINKS: Readonly<Record<string, string>> = {
	'/home/u/project/link.md': '/home/u/private/catalog.md',
	'/home/u/project/linked': '/home/u/private',
	'/home/u/project/deep': '/home/u/private/sub',
	'/tmp/home': '/home/u',
};

/** A place. */
export function place(fields: Partial<Place> = {}): Place {
	return {
		cwd: '/home/u/project',
		home: '/home/u',
		platform: 'linux',
		...fields,
	};
}

/** Where paths lead in a file system that has only these links. */
const system = new FileSystem(
	'linux',
	() => 0,
	async (path) => LINKS[path] ?? '',
);
export const realPath = (path: string) => system.realPath(path, new Map());

/** The name of what is reached, or `nothing`. */
export async function reached(tool: string, input: unknown, where: Place = place()): Promise<string> {
	const found = await reachedBy(tool, input, PROTECTED, where, realPath);
	return found === undefined ? 'nothing' : found.target.path.slice(found.target.path.lastIndexOf('/') + 1);
}

/** What a shell command reaches. */
export async function reachedIn(command: string, fields: Partial<Place> = {}): Promise<string> {
	return await reached('Bash', { command }, place(fields));
}

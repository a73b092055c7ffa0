import type { Place, ProtectedPath } from '../../../server/protection/place.ts';
import { reachedBy } from '../../../server/protection/reached-by.ts';

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

/** A place in a file system that has only the links given. */
export function place(fields: Partial<Place> = {}, links = LINKS): Place {
	return {
		cwd: '/home/u/project',
		home: '/home/u',
		environment: { HOME: '/home/u', NOTES: '/home/u/private', USER: 'u' },
		platform: 'linux',
		realPath: (path) => follow(path, links),
		...fields,
	};
}

/** The name of what is reached, or `nothing`. */
export function reached(tool: string, input: unknown, where: Place = place()): string {
	const found = reachedBy(tool, input, PROTECTED, where);
	return found === undefined ? 'nothing' : found.target.path.slice(found.target.path.lastIndexOf('/') + 1);
}

/** What a shell command reaches. */
export function reachedIn(command: string, fields: Partial<Place> = {}): string {
	return reached('Bash', { command }, place(fields));
}

function follow(path: string, links: Readonly<Record<string, string>>): string {
	for (const [link, to] of Object.entries(links)) {
		if (path === link || path.startsWith(`${link}/`)) return follow(to + path.slice(link.length), links);
	}
	return path;
}

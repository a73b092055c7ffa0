import { join } from 'node:path';
import type { HookEvent } from '../claude-code/hooks.ts';
import type { FileSystem } from '../paths/file-system.ts';
import { literalText, type Pattern } from '../paths/pattern.ts';
import { namesIn } from '../paths/spellings.ts';
import type { Target } from '../paths/targets.ts';
import type { Touch } from '../paths/touches.ts';

/** Limits for one call: folders, links in them, and links that are resolved at once. */
const MAX_FOLDERS = 20;
const MAX_LINKS = 5_000;
const MAX_AT_ONCE = 64;

export interface Link {
	readonly path: string;
	readonly real: string;
}

/** Finds the index of the target to which a real path belongs. */
export function leadsTo(targets: readonly Target[], platform: NodeJS.Platform): (real: string) => number | undefined {
	const places = new Map<string, number>();
	for (const [index, { forms }] of targets.entries()) {
		for (const form of forms) if (!places.has(form.join('/'))) places.set(form.join('/'), index);
	}
	return (real) => {
		let path = '';
		for (const name of namesIn(real, platform)) {
			path += `${path === '' ? '' : '/'}${name}`;
			const index = places.get(path);
			if (index !== undefined) return index;
		}
		return undefined;
	};
}

/** Links that a wildcard can match, or a recursive read in the working folder follows. Named paths are resolved anyway. */
export async function linksInReach(
	{ cwd, tool_input }: HookEvent,
	touched: readonly Touch[] | undefined,
	system: Pick<FileSystem, 'realPath' | 'entriesOf'>,
): Promise<Link[]> {
	const folders = new Set(touched?.flatMap(({ path, foldersOnly }) => (foldersOnly ? [] : folderBeforeWildcard(path))));
	if (/\s-\w*[RLH]|--dereference|--follow/.test(tool_input)) folders.add(cwd);
	const looked = [...folders].slice(0, MAX_FOLDERS).map(async (folder) => {
		const entries = await system.entriesOf(folder);
		return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
	});
	const links = (await Promise.all(looked)).flat().slice(0, MAX_LINKS);
	const found: Link[] = [];
	for (let at = 0; at < links.length; at += MAX_AT_ONCE) {
		const some = links.slice(at, at + MAX_AT_ONCE);
		found.push(...(await Promise.all(some.map(async (path) => ({ path, real: await system.realPath(path) })))));
	}
	return found;
}

function folderBeforeWildcard(path: Pattern): string[] {
	const parts = path.split('/');
	const at = parts.findIndex((part) => /(?<!\\)[*?[]/.test(part));
	const folder = at < 0 ? undefined : literalText(parts.slice(0, at).join('/'));
	return folder === undefined ? [] : [at === 1 ? `${folder}/` : folder];
}

import { join, resolve } from 'node:path';
import type { HookEvent } from '../claude-code/hooks.ts';
import type { FileSystem } from '../protection/file-system.ts';
import { foldName } from '../protection/fold.ts';
import type { Place } from '../protection/place.ts';
import type { Target } from '../protection/targets.ts';

/** How many folders are looked through for one call, how many links in them, and how many of those at once. */
const FOLDERS = 20;
const MAX_LINKS = 5_000;
const AT_ONCE = 64;

/** A symbolic link, and where it leads: absolute. */
export interface Link {
	readonly path: string;
	readonly real: string;
}

/** Which of some targets a link leads to, by where it leads. */
export function leadsTo(targets: readonly Target[], platform: NodeJS.Platform): (real: string) => number | undefined {
	const places = new Map<string, number>();
	for (const [index, { forms }] of targets.entries()) {
		for (const form of forms) if (!places.has(form.join('/'))) places.set(form.join('/'), index);
	}
	return (real) => {
		const parts = real.split(/[/\\]/).filter((part) => part !== '');
		let path = '';
		for (const [at, part] of parts.entries()) {
			path += `${at === 0 ? '' : '/'}${foldName(part, platform)}`;
			const index = places.get(path);
			if (index !== undefined && (at === parts.length - 1 || targets[index]?.isFolder)) return index;
		}
		return undefined;
	};
}

/**
 * Links that a wildcard can stand for, or that a recursive read follows: in the working folder, and in the folders that
 * the call names before a wildcard. A path that a call names is resolved anyhow.
 */
export async function linksInReach(
	{ cwd, tool_input }: HookEvent,
	{ home }: Pick<Place, 'home'>,
	system: Pick<FileSystem, 'realPath' | 'entriesOf'>,
): Promise<Link[]> {
	if (!/[*?[{]|\s-\w*[RLH]|--dereference|--follow/.test(tool_input.replace(/^\{/, ''))) return [];
	const words = tool_input.split(/[\s"'`;|&()<>=]+|\\[nt"]/).filter((word) => /[*?[{]/.test(word));
	const named = words.map((word) => word.slice(0, word.search(/[*?[{]/))).filter((word) => word.includes('/'));
	const folders = named.map((word) => resolve(cwd, word.replace(/^~(?=\/)/, home).replace(/[^/]*$/, '')));
	const looked = [...new Set([cwd, ...folders])].slice(0, FOLDERS).map(async (folder) => {
		const entries = await system.entriesOf(folder);
		return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
	});
	const links = (await Promise.all(looked)).flat().slice(0, MAX_LINKS);
	const found: Link[] = [];
	for (let at = 0; at < links.length; at += AT_ONCE) {
		const some = links.slice(at, at + AT_ONCE);
		found.push(...(await Promise.all(some.map(async (path) => ({ path, real: await system.realPath(path) })))));
	}
	return found;
}

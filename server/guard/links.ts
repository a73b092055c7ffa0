import { promises as fs } from 'node:fs';
import { join, resolve } from 'node:path';
import { foldName } from '../protection/fold.ts';
import type { Place } from '../protection/place.ts';
import type { Target } from '../protection/targets.ts';
import type { HookEvent } from './hook.ts';

/** How many folders are looked through for one call, how many links in them, and how many of those at once. */
const FOLDERS = 20;
const MAX_LINKS = 5_000;
const AT_ONCE = 64;

/** A symbolic link, and where it leads: absolute. */
export interface Link {
	readonly path: string;
	readonly real: string;
}

/** Whether what a link leads to can be one of some targets, or lie in one: by names alone, since links can be many. */
export function leadsTo(targets: readonly Target[], platform: NodeJS.Platform): (real: string) => boolean {
	const files = new Set(
		targets.filter(({ isFolder }) => !isFolder).flatMap(({ forms }) => forms.map((form) => form.at(-1))),
	);
	const folders = targets.filter(({ isFolder }) => isFolder).flatMap(({ forms }) => forms);
	return (real) => {
		const parts = real.split(/[/\\]/).map((part) => foldName(part, platform));
		return files.has(parts.at(-1)) || folders.some((form) => parts.includes(form.at(-1) ?? ''));
	};
}

/**
 * Links that a wildcard can stand for, or that a recursive read follows: in the working folder, and in the folders that
 * the call names before a wildcard. A path that a call names is resolved anyhow.
 */
export async function linksInReach({ cwd, tool_input }: HookEvent, { home }: Place): Promise<string[]> {
	if (!/[*?[{]|\s-\w*[RLH]|--dereference|--follow/.test(tool_input.replace(/^\{/, ''))) return [];
	const words = tool_input.split(/[\s"'`;|&()<>=]+|\\[nt"]/).filter((word) => /[*?[{]/.test(word));
	const named = words.map((word) => word.slice(0, word.search(/[*?[{]/))).filter((word) => word.includes('/'));
	const folders = named.map((word) => resolve(cwd, word.replace(/^~(?=\/)/, home).replace(/[^/]*$/, '')));
	const found = [...new Set([cwd, ...folders])].slice(0, FOLDERS).map(async (folder) => {
		const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
		const links = entries.filter((entry) => entry.isSymbolicLink());
		return links.map(({ name }) => join(folder, name));
	});
	return (await Promise.all(found)).flat().slice(0, MAX_LINKS);
}

/**
 * Where links lead, a few at a time.
 *
 * @param known by path, what was looked up before; added to
 */
export async function resolveLinks(links: readonly string[], known: Map<string, string>): Promise<Link[]> {
	const found: Link[] = [];
	for (let at = 0; at < links.length; at += AT_ONCE) {
		const resolving = links.slice(at, at + AT_ONCE).map(async (path) => {
			const real = known.get(path) ?? (await fs.realpath(path).catch(() => path));
			known.set(path, real);
			return { path, real };
		});
		found.push(...(await Promise.all(resolving)));
	}
	return found;
}

import { promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Place } from '../paths/place.ts';
import { absolutePath, namesIn } from '../paths/spellings.ts';
import { mentionsIn, withoutCode } from './references.ts';

/** A folder and those above it, the nearest first. */
export function foldersUp(folder: string): string[] {
	const above = dirname(folder);
	return above === folder ? [folder] : [folder, ...foldersUp(above)];
}

/** Versions such as 2.1.332 read AGENTS.md if there is no CLAUDE.md. */
const NAMES = ['CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md'];

/** Claude Code follows imports to a depth of 5; `depth` counts the first files, too. */
const LIMITS = { files: 500, depth: 6, characters: 1_000_000 };

export interface Import {
	readonly importer: string;
	readonly path: string;
}

/**
 * All imports in instructions. Claude Code may ask before it follows one to another folder. The answer can come at any
 * time, so those count as well.
 *
 * @param folders of projects, which have instructions in themselves or in `.claude`
 * @param own folders such as `~/.claude`
 */
export async function importsOf(
	folders: readonly string[],
	own: readonly string[],
	place: Omit<Place, 'cwd'>,
): Promise<Import[]> {
	const places = [...own, ...folders.flatMap((folder) => [folder, join(folder, '.claude')])];
	const rules = await Promise.all(
		places.filter((place) => !folders.includes(place)).map((place) => markdownBelow(join(place, 'rules'))),
	);
	const first = [...places.flatMap((place) => NAMES.map((name) => join(place, name))), ...rules.flat()];
	const found: Import[] = [];
	const seen = new Set<string>();
	let next = first;
	for (let depth = 0; depth < LIMITS.depth && next.length > 0; depth++) {
		const files = next.filter((file) => seen.size < LIMITS.files && !seen.has(file) && seen.add(file));
		const imports = (await Promise.all(files.map((file) => importsIn(file, place)))).flat();
		found.push(...imports);
		next = imports.map(({ path }) => path);
	}
	return found;
}

async function importsIn(importer: string, place: Omit<Place, 'cwd'>): Promise<Import[]> {
	const text = await readText(importer);
	if (text === undefined) return [];
	const imports = mentionsIn(withoutCode(text)).map((path) => absolutePath(path, dirname(importer), place));
	// The importer can be a link to a private file.
	return [importer, ...imports].map((path) => ({ importer, path }));
}

/** The text of a file; undefined if it cannot be read, or is far too long for a prompt. */
export async function readText(file: string): Promise<string | undefined> {
	const stats = await fs.stat(file).catch(() => undefined);
	if (stats?.isFile() !== true || stats.size > LIMITS.characters) return undefined;
	return await fs.readFile(file, 'utf8').catch(() => undefined);
}

export async function markdownBelow(folder: string): Promise<string[]> {
	const names = await fs.readdir(folder, { recursive: true }).catch(() => []);
	return names
		.filter((name) => name.endsWith('.md'))
		.slice(0, LIMITS.files)
		.map((name) => join(folder, name));
}

/** Whether a file becomes part of a prompt, now or later: instructions, rules, skills, commands, agents. */
export function isPromptFile(path: string, config: string, platform: NodeJS.Platform): boolean {
	const [names, own] = [namesIn(path, platform), namesIn(config, platform)];
	if (/^(?:CLAUDE|CLAUDE\.local|AGENTS)\.md$/i.test(names.at(-1) ?? '')) return true;
	const parts = own.every((name, at) => name === names[at]) ? ['.claude', ...names.slice(own.length)] : names;
	return parts.some((part, index) => part === '.claude' && PROMPT_FOLDERS.includes(parts[index + 1] ?? ''));
}

const PROMPT_FOLDERS = ['rules', 'skills', 'commands', 'agents'];

import { fold, foldName } from './fold.ts';
import { literalPath, literalText, MAX_PATH_LENGTH, type Pattern, withoutParents } from './pattern.ts';
import type { Place, ProtectedPath } from './place.ts';
import { canonical, componentsOf, namesIn } from './spellings.ts';
import type { Access } from './touches.ts';
import { matchesName } from './wildcards.ts';

/** A folded absolute path's components, without `.` and `..`. */
export type Components = readonly Pattern[];

/** Resolves every link in an absolute path, as far as the path exists. */
export type RealPath = (path: string) => Promise<string>;

/** A protected path, prepared for comparisons. */
export interface Target {
	readonly isFolder: boolean;
	/** Folded components: as written, and with links resolved. */
	readonly forms: readonly (readonly string[])[];
}

export async function targetOf(
	{ path, isFolder }: ProtectedPath,
	{ home, platform, shellHomes = [] }: Omit<Place, 'cwd'>,
	realPath: RealPath,
): Promise<Target> {
	const variants = await pathVariants(literalPath(path, platform), platform, realPath);
	const forms = variants.map((variant) => variant.map((part) => literalText(part) ?? part));
	// In what a call touches, `~` stands for the home folder alone.
	const moved = shellHomes
		.map((each) => namesIn(each, platform))
		.flatMap((names) => {
			const below = forms.filter((form) => names.every((name, at) => name === form[at]));
			return below.map((form) => [...namesIn(home, platform), ...form.slice(names.length)]);
		});
	return { isFolder, forms: [...forms, ...moved] };
}

/**
 * The paths that an absolute path can mean: as written; with links resolved; and, if it has a `..`, with each link resolved
 * before the `..` behind it, as the system does. In a pattern, only the part before the first wildcard is resolved.
 */
export async function pathVariants(
	absolute: Pattern,
	platform: NodeJS.Platform,
	realPath: RealPath,
): Promise<Components[]> {
	const parts = componentsOf(canonical(absolute, platform), platform);
	const lexical = withoutParents(parts, platform);
	const variants = [lexical];
	if (absolute.length <= MAX_PATH_LENGTH) {
		variants.push(await resolved(lexical, platform, realPath));
		if (parts.includes('..')) variants.push(await resolved(parts, platform, realPath));
	}
	// A `..` or a link can lead to where another spelling begins.
	const isMac = platform === 'darwin';
	const plain = variants.map((each) =>
		isMac ? componentsOf(canonical(`/${each.join('/')}`, platform), platform) : each,
	);
	const folded = plain.map((variant) => variant.map((part) => foldName(part, platform)));
	return [...new Map(folded.map((variant) => [variant.join('/'), variant])).values()];
}

async function resolved(parts: Components, platform: NodeJS.Platform, realPath: RealPath): Promise<Pattern[]> {
	const texts = parts.map(literalText);
	const end = texts.indexOf(undefined);
	const known = end < 0 ? texts : texts.slice(0, end);
	if (known.length === 0) return [...parts];
	const path = known.join('/');
	// Windows takes a drive alone for the working folder there.
	const named = platform === 'win32' ? path.replace(/^[a-z]:$/i, '$&/') : `/${path}`;
	const real = canonical(literalPath(await realPath(named), platform), platform);
	return withoutParents([...componentsOf(real, platform), ...parts.slice(known.length)], platform);
}

/**
 * Where a path lies relative to a protected path.
 *
 * @returns 0 if it is the protected path or in the protected folder; n if it is a folder n levels above; otherwise Infinity
 */
export function levelsAbove({ forms, isFolder }: Target, path: Components, coversHidden: boolean): number {
	const descend = (form: readonly string[], depth: number, at: number): number => {
		const [part, name] = [path[at], form[depth]];
		if (part === undefined) return form.length - depth;
		if (part === '**') {
			const isPassed = name !== undefined && (coversHidden || !name.startsWith('.'));
			return Math.min(descend(form, depth, at + 1), isPassed ? descend(form, depth + 1, at) : Number.POSITIVE_INFINITY);
		}
		if (name === undefined) return isFolder ? 0 : Number.POSITIVE_INFINITY;
		return matchesName(part, name, coversHidden) ? descend(form, depth + 1, at + 1) : Number.POSITIVE_INFINITY;
	};
	return Math.min(...forms.map((form) => descend(form, 0, 0)));
}

/** Whether access to a folder `levels` above excludes a protected path. Files in a protected folder can have any name. */
export function isExcluded(
	{ globs = [], excluded = [] }: Access,
	{ forms, isFolder }: Target,
	levels: number,
	platform: NodeJS.Platform,
): boolean {
	// Always without case, because a search can be told to ignore it.
	const fits = (glob: Pattern, name = '') => matchesName(fold(glob, platform).toLowerCase(), name.toLowerCase(), true);
	const names = globs.map((glob) => glob.slice(glob.lastIndexOf('/') + 1));
	return forms.every((form) => {
		if (!isFolder && names.length > 0 && !names.some((name) => name === '' || fits(name, form.at(-1)))) return true;
		return excluded.some((path) => {
			const parts = path.split('/').filter((part) => part !== '' && !/^(?:\.|~|\*+)$/.test(part));
			const start = path.startsWith('/') ? 0 : form.length - levels;
			return form.some(
				(_, at) => at >= start && parts.length > 0 && parts.every((part, index) => fits(part, form[at + index])),
			);
		});
	});
}

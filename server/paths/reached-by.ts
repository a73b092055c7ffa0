import type { Evidence } from '../errors.ts';
import { literalText } from './pattern.ts';
import type { Place, ProtectedPath } from './place.ts';
import {
	type Components,
	isExcluded,
	levelsAbove,
	pathVariants,
	type RealPath,
	type Target,
	targetOf,
} from './targets.ts';
import type { Touch } from './touches.ts';
import { touchesOf } from './touches-of.ts';

export { targetOf, touchesOf };

/** The word of a call that reaches a protected path, and how it does. */
export type Finding = Pick<Evidence, 'word' | 'how'>;

/** A call's touches, with their links resolved. */
export type ResolvedTouches = readonly (Touch & { readonly variants: readonly Components[] })[];

/** Resolves the links in a call's touches. @returns undefined if the call cannot be checked */
export async function resolveTouches(
	touched: readonly Touch[] | undefined,
	platform: NodeJS.Platform,
	realPath: RealPath,
): Promise<ResolvedTouches | undefined> {
	const looks = touched?.map(async (touch) => ({
		...touch,
		variants: await pathVariants(touch.path, platform, realPath),
	}));
	return looks && (await Promise.all(looks));
}

/**
 * The first protected path that a call reaches. A call that cannot be checked counts as reaching the first path.
 *
 * @returns what reaches it, and the path's index
 */
export function firstReached(
	call: ResolvedTouches | undefined,
	targets: readonly Target[],
	platform: NodeJS.Platform,
): (Finding & { readonly index: number }) | undefined {
	if (targets.length === 0) return undefined;
	if (call === undefined) return { index: 0, word: '', how: 'too_complex' };
	for (const [index, target] of targets.entries()) {
		const finding = findingOf(call, target, platform);
		if (finding !== undefined) return { index, ...finding };
	}
	return undefined;
}

function findingOf(call: ResolvedTouches, target: Target, platform: NodeJS.Platform): Finding | undefined {
	for (const { path, word, levels = 0, coversHidden = false, foldersOnly = false, variants, ...access } of call) {
		if (foldersOnly && !target.isFolder) continue;
		for (const [at, variant] of variants.entries()) {
			const above = levelsAbove(target, variant, coversHidden);
			if (above === 0) return { word, how: literalText(path) === undefined ? 'pattern' : at === 0 ? 'named' : 'link' };
			if (Number.isFinite(above) && above <= levels && !isExcluded(access, target, above, platform))
				return { word, how: 'search' };
		}
	}
	return undefined;
}

/** Whether a tool call would read, search, copy or change a protected path. */
export async function reachedBy<P extends ProtectedPath>(
	tool: string,
	input: unknown,
	protectedPaths: readonly P[],
	place: Place,
	realPath: RealPath,
): Promise<(Finding & { readonly target: P }) | undefined> {
	const call = await resolveTouches(touchesOf(tool, input, place), place.platform, realPath);
	const targets = await Promise.all(protectedPaths.map((path) => targetOf(path, place, realPath)));
	const first = firstReached(call, targets, place.platform);
	const target = first && protectedPaths[first.index];
	return target && { target, word: first.word, how: first.how };
}

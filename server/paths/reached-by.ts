import type { Evidence } from '../errors.ts';
import { textOf } from './pattern.ts';
import type { Place, ProtectedPath } from './place.ts';
import {
	type Components,
	leavesOut,
	levelsAbove,
	type RealPath,
	readingsOf,
	type Target,
	targetOf,
} from './targets.ts';
import type { Touch } from './touches.ts';
import { touchesOf } from './touches-of.ts';

export { targetOf, touchesOf };

/** What in a call reaches a protected path, and how. */
export type Finding = Pick<Evidence, 'word' | 'how'>;

/** What a call touches, with where the links in it lead. */
export type LookedUp = readonly (Touch & { readonly readings: readonly Components[] })[];

/** Looks up where the links in what a call touches lead. @returns undefined if the call can't be judged */
export async function lookUp(
	touched: readonly Touch[] | undefined,
	platform: NodeJS.Platform,
	realPath: RealPath,
): Promise<LookedUp | undefined> {
	const looks = touched?.map(async (touch) => ({
		...touch,
		readings: await readingsOf(touch.path, platform, realPath),
	}));
	return looks && (await Promise.all(looks));
}

/**
 * The first protected path that a call would reach; one that can't be judged counts as reaching the very first.
 *
 * @returns what reaches it, and its index
 */
export function firstReached(
	call: LookedUp | undefined,
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

function findingOf(call: LookedUp, target: Target, platform: NodeJS.Platform): Finding | undefined {
	for (const { path, word, levels = 0, coversHidden = false, foldersOnly = false, readings, ...use } of call) {
		if (foldersOnly && !target.isFolder) continue;
		for (const [at, reading] of readings.entries()) {
			const above = levelsAbove(target, reading, coversHidden);
			if (above === 0) return { word, how: textOf(path) === undefined ? 'pattern' : at === 0 ? 'named' : 'link' };
			if (Number.isFinite(above) && above <= levels && !leavesOut(use, target, above, platform))
				return { word, how: 'search' };
		}
	}
	return undefined;
}

/** Whether a tool call would read, search, copy or change what is protected. */
export async function reachedBy<P extends ProtectedPath>(
	tool: string,
	input: unknown,
	protectedPaths: readonly P[],
	place: Place,
	realPath: RealPath,
): Promise<(Finding & { readonly target: P }) | undefined> {
	const call = await lookUp(touchesOf(tool, input, place), place.platform, realPath);
	const targets = await Promise.all(protectedPaths.map((path) => targetOf(path, place, realPath)));
	const first = firstReached(call, targets, place.platform);
	const target = first && protectedPaths[first.index];
	return target && { target, word: first.word, how: first.how };
}

import type { Evidence } from '../errors.ts';
import { isAbsolutePattern } from './absolute.ts';
import { textOf } from './pattern.ts';
import type { Place, ProtectedPath } from './place.ts';
import {
	type Components,
	endsLike,
	folderParts,
	leavesOut,
	namedIn,
	type RealPath,
	readingsOf,
	relationTo,
	type Target,
	targetOf,
} from './targets.ts';
import type { PathTouch, TextTouch, Touched } from './touches.ts';
import { touchesOf } from './touches-of.ts';

export { targetOf, touchesOf };

/** What in a call reaches a protected path, and how. */
export type Finding = Pick<Evidence, 'word' | 'how'>;

/** What a call touches, with where the links in it lead. */
export interface LookedUp {
	readonly platform: NodeJS.Platform;
	readonly paths: readonly PathLookedUp[];
	readonly texts: readonly TextTouch[];
}

interface PathLookedUp {
	readonly touch: PathTouch;
	readonly isPattern: boolean;
	readonly readings: readonly Components[];
}

/** Looks up where the links in what a call touches lead. @returns undefined if the call can't be judged */
export async function lookUp(
	touched: Touched | undefined,
	platform: NodeJS.Platform,
	realPath: RealPath,
): Promise<LookedUp | undefined> {
	if (touched === undefined) return undefined;
	const paths = touched.paths.map(async (touch) => ({
		touch,
		isPattern: textOf(touch.path) === undefined,
		readings: isAbsolutePattern(touch.path) ? await readingsOf(touch.path, platform, realPath) : [],
	}));
	return { platform, paths: await Promise.all(paths), texts: touched.texts };
}

/**
 * The first protected path that a call would reach; one that can't be judged counts as reaching the very first.
 *
 * @returns what reaches it, and its index
 */
export function firstReached(
	call: LookedUp | undefined,
	targets: readonly Target[],
): (Finding & { readonly index: number }) | undefined {
	if (targets.length === 0) return undefined;
	if (call === undefined) return { index: 0, word: '', how: 'too_complex' };
	for (const [index, target] of targets.entries()) {
		const finding = findingOf(call, target);
		if (finding !== undefined) return { index, ...finding };
	}
	return undefined;
}

function findingOf({ paths, texts, platform }: LookedUp, target: Target): Finding | undefined {
	for (const { touch, isPattern, readings } of paths) {
		if (touch.foldersOnly && !target.isFolder) continue;
		const { word, levels } = touch;
		if (isPattern && endsLike(touch.path, target, platform)) return { word, how: 'pattern' };
		for (const [at, reading] of readings.entries()) {
			const { isAt, levelsAbove } = relationTo(target, reading, touch.coversHidden);
			if (isAt) return { word, how: isPattern ? 'pattern' : at === 0 ? 'named' : 'link' };
			const isAbove = Number.isFinite(levelsAbove) && levelsAbove <= levels;
			if (isAbove && !leavesOut(touch.globs, target, platform)) return { word, how: 'search' };
		}
	}
	for (const { text, folders } of texts) {
		const parts = folders.map((folder) => folderParts(folder, platform)).filter((each) => each !== undefined);
		const word = namedIn(text, target, folders.length === 0 ? undefined : parts);
		if (word !== undefined) return { word, how: 'named' };
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
	const first = firstReached(call, targets);
	const target = first && protectedPaths[first.index];
	return target && { target, word: first.word, how: first.how };
}

import { absolutePattern, isAbsolutePattern } from './absolute.ts';
import { foldName } from './fold.ts';
import { LIMITS, TooComplexError } from './limits.ts';
import { literalPath, type Pattern } from './pattern.ts';
import type { Place } from './place.ts';
import { readingsOf } from './readings.ts';
import { endsLike, relationTo, type Target } from './targets.ts';

/** How a path is used. */
export interface Use {
	/** Folders so many levels above a protected path reach it as well: 1 for a listing, Infinity for a recursive read. */
	readonly levels?: number;
	/** Whether wildcards stand for hidden names; in a shell they do not. */
	readonly coversHidden?: boolean;
	/** What the use leaves out of what lies below a folder. */
	readonly leavesOut?: (target: Target) => boolean;
	/** Only protected folders count. */
	readonly foldersOnly?: boolean;
}

/** What one call reaches, found piece by piece, within the limits. */
export class Inspection {
	readonly place: Place;
	readonly targets: readonly Target[];
	/** The working folder of the call. */
	readonly cwd: Pattern;
	readonly #seen = new Set<string>();
	readonly #resolved = new Map<string, string>();
	#work = 0;
	#found = Number.POSITIVE_INFINITY;

	constructor(targets: readonly Target[], place: Place) {
		this.place = place;
		this.targets = targets;
		this.cwd = literalPath(place.cwd, place.platform);
	}

	/** Index of the first protected path that is reached; Infinity where none is. */
	get found(): number {
		return this.#found;
	}

	/** Takes note of those that a test finds. */
	note(isReached: (target: Target) => boolean): void {
		for (const [index, target] of this.targets.entries()) {
			if (index >= this.#found) return;
			if (isReached(target)) this.#found = index;
		}
	}

	/**
	 * Takes note of what a path reaches.
	 *
	 * @throws TooComplexError
	 */
	look(path: Pattern, cwd: Pattern, use: Use = {}): void {
		const { levels = 0, coversHidden = false, leavesOut, foldersOnly = false } = use;
		const key = `${levels} ${coversHidden} ${foldersOnly} ${cwd} ${path}`;
		if (leavesOut === undefined && this.#seen.has(key)) return;
		if (leavesOut === undefined) this.#seen.add(key);
		const absolute = absolutePattern(path, cwd, this.place);
		this.spend(absolute.length);
		const counts = (target: Target) => target.isFolder || !foldersOnly;
		const folded = absolute
			.split('/')
			.map((part) => foldName(part, this.place.platform))
			.join('/');
		this.note((target) => counts(target) && endsLike(folded, target));
		if (!isAbsolutePattern(absolute)) return;
		for (const reading of readingsOf(absolute, (link) => this.#resolve(link), this.place.platform)) {
			this.note((target) => {
				if (!counts(target)) return false;
				const { isAt, levelsAbove } = relationTo(target, reading, coversHidden);
				return isAt || (Number.isFinite(levelsAbove) && levelsAbove <= levels && leavesOut?.(target) !== true);
			});
		}
	}

	/** @throws TooComplexError where more was to be gone through than the limits allow */
	spend(work: number): void {
		this.#work += work;
		if (this.#work > LIMITS.work) throw new TooComplexError('too much to go through');
	}

	#resolve(path: string): string {
		const known = this.#resolved.get(path);
		if (known !== undefined) return known;
		if (this.#resolved.size >= LIMITS.resolutions) throw new TooComplexError('too many paths');
		const real = this.place.realPath(path);
		this.#resolved.set(path, real);
		return real;
	}
}

import { absolutePattern, isAbsolutePattern } from './absolute.ts';
import { foldName } from './fold.ts';
import { LIMITS, TooComplexError } from './limits.ts';
import { literalPath, type Pattern, rawText, textOf } from './pattern.ts';
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

/** What in a call reaches a protected path, and how. */
export interface Finding {
	/** As it is written; '' where it is the call as a whole. */
	readonly word: string;
	/** `search`: a recursive read, or a listing, from a folder above. `too_complex`: the call could not be judged. */
	readonly how: 'named' | 'link' | 'pattern' | 'search' | 'too_complex';
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
	#finding: Finding | undefined;

	constructor(targets: readonly Target[], place: Place) {
		this.place = place;
		this.targets = targets;
		this.cwd = literalPath(place.cwd, place.platform);
	}

	/** Index of the first protected path that is reached; Infinity where none is. */
	get found(): number {
		return this.#found;
	}

	/** What reaches it. */
	get finding(): Finding | undefined {
		return this.#finding;
	}

	/** Takes note of those that a test finds. */
	note(find: (target: Target) => Finding | undefined): void {
		for (const [index, target] of this.targets.entries()) {
			if (index >= this.#found) return;
			const finding = find(target);
			if (finding === undefined) continue;
			this.#found = index;
			this.#finding = finding;
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
		const word = rawText(path);
		this.note((target) => (counts(target) && endsLike(folded, target) ? { word, how: 'pattern' } : undefined));
		if (!isAbsolutePattern(absolute)) return;
		const readings = readingsOf(absolute, (link) => this.#resolve(link), this.place.platform);
		for (const [index, reading] of readings.entries()) {
			const how = textOf(absolute) === undefined ? 'pattern' : index === 0 ? 'named' : 'link';
			this.note((target) => {
				if (!counts(target)) return undefined;
				const { isAt, levelsAbove } = relationTo(target, reading, coversHidden);
				if (isAt) return { word, how };
				const isSwept = Number.isFinite(levelsAbove) && levelsAbove <= levels && leavesOut?.(target) !== true;
				return isSwept ? { word, how: 'search' } : undefined;
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

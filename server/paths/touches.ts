import { absolutePattern, literalPath, MAX_PATH_LENGTH, type Pattern, rawText } from './pattern.ts';
import type { Place } from './place.ts';
import { canonical } from './spellings.ts';

/** How a path is accessed. */
export interface Access {
	/** How many levels below a folder the access reaches: Infinity for a recursive read. */
	readonly levels?: number;
	/** Whether wildcards match hidden names; in a shell they do not. */
	readonly coversHidden?: boolean;
	/** Whether only protected folders count, not files. */
	readonly foldersOnly?: boolean;
	/** A folder's access is limited to these names. */
	readonly globs?: readonly Pattern[];
	/** A folder's access excludes these names or paths. */
	readonly excluded?: readonly Pattern[];
}

/** A path that a call accesses, whether or not it exists. */
export interface Touch extends Access {
	/** Absolute, may contain `..`. */
	readonly path: Pattern;
	/** As written in the call, with known variables substituted. */
	readonly word: string;
}

/** Far beyond any ordinary call: UTF-16 code units to examine, paths, and levels of nesting. */
const LIMITS = { work: 4_000_000, paths: 10_000, depth: 100 } as const;

/** A call is too large or too deeply nested to check. Such a call is refused. */
export class TooComplexError extends Error {}

/** @throws TooComplexError */
export function requireDepth(depth: number): void {
	if (depth > LIMITS.depth) throw new TooComplexError(`more than ${LIMITS.depth} levels`);
}

/** Collects what one call touches, within the limits. */
export class Touches {
	readonly place: Place;
	/** The call's working folder. */
	readonly cwd: Pattern;
	readonly #touches = new Map<string, Touch>();
	#work = 0;

	constructor(place: Place) {
		this.place = place;
		this.cwd = canonical(literalPath(place.cwd, place.platform), place.platform);
	}

	get all(): readonly Touch[] {
		return [...this.#touches.values()];
	}

	/** @throws TooComplexError */
	add(pattern: Pattern, folder: Pattern, access: Access = {}, word = rawText(pattern)): void {
		// Not at MAX_PATH_LENGTH: a path that only `.` and `..` make long can still be opened.
		if (pattern.length > 32 * MAX_PATH_LENGTH) return;
		const path = absolutePattern(pattern, folder, this.place);
		this.spend(path.length);
		const key = `${JSON.stringify(access)} ${access.levels} ${path}`;
		if (this.#touches.has(key)) return;
		if (this.#touches.size >= LIMITS.paths) throw new TooComplexError('too many paths');
		this.#touches.set(key, { ...access, path, word });
	}

	/** Counts examined code units. @throws TooComplexError above the limit */
	spend(work: number): void {
		this.#work += work;
		if (this.#work > LIMITS.work) throw new TooComplexError('too much to go through');
	}
}

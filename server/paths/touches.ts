import { absolutePattern, literalPath, MAX_PATH_LENGTH, type Pattern, rawText } from './pattern.ts';
import type { Place } from './place.ts';
import { canonical } from './spellings.ts';

/** How a path is used. */
export interface Use {
	/** Folders so many levels above a protected path reach it as well: Infinity for a recursive read. */
	readonly levels?: number;
	/** Whether wildcards stand for hidden names; in a shell they do not. */
	readonly coversHidden?: boolean;
	/** Only protected folders count. */
	readonly foldersOnly?: boolean;
	/** Names that the use of a folder is limited to. */
	readonly globs?: readonly Pattern[];
	/** Names, or paths, that the use of a folder leaves out. */
	readonly excluded?: readonly Pattern[];
}

/** A path that a call touches, whatever lies there. */
export interface Touch extends Use {
	/** Absolute. `..` is left in it. */
	readonly path: Pattern;
	/** As it is written, with what is known put in. */
	readonly word: string;
}

/** No ordinary call comes near: characters (UTF-16 code units) to go through, paths, levels of nesting. */
const LIMITS = { work: 4_000_000, paths: 10_000, depth: 100 } as const;

/** A call is too large or too deep to be judged: it is refused. */
export class TooComplexError extends Error {}

/** @throws TooComplexError */
export function requireDepth(depth: number): void {
	if (depth > LIMITS.depth) throw new TooComplexError(`more than ${LIMITS.depth} levels`);
}

/** Gathers what one call touches, within the limits. */
export class Touches {
	readonly place: Place;
	/** The working folder of the call. */
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
	add(pattern: Pattern, folder: Pattern, use: Use = {}, word = rawText(pattern)): void {
		// A system opens what only `.` and `..` make long.
		if (pattern.length > 32 * MAX_PATH_LENGTH) return;
		const path = absolutePattern(pattern, folder, this.place);
		this.spend(path.length);
		const key = `${JSON.stringify(use)} ${use.levels} ${path}`;
		if (this.#touches.has(key)) return;
		if (this.#touches.size >= LIMITS.paths) throw new TooComplexError('too many paths');
		this.#touches.set(key, { ...use, path, word });
	}

	/** @throws TooComplexError if more was to be gone through than the limits allow */
	spend(work: number): void {
		this.#work += work;
		if (this.#work > LIMITS.work) throw new TooComplexError('too much to go through');
	}
}

import { absolutePattern } from './absolute.ts';
import { fold } from './fold.ts';
import { literalPath, MAX_PATH_LENGTH, type Pattern, rawText, withoutParents } from './pattern.ts';
import type { Place } from './place.ts';

/** How a path is used. */
export interface Use {
	/** Folders so many levels above a protected path reach it as well: 1 for a listing, Infinity for a recursive read. */
	readonly levels?: number;
	/** Whether wildcards stand for hidden names; in a shell they do not. */
	readonly coversHidden?: boolean;
	/** Only protected folders count. */
	readonly foldersOnly?: boolean;
	/** Names that the use of a folder is limited to. */
	readonly globs?: readonly Pattern[];
}

/** A path that a call touches, whatever lies there. */
export interface PathTouch extends Required<Use> {
	/** Absolute, unless its start is UNKNOWN. `..` is left in it. */
	readonly path: Pattern;
	/** As it is written. */
	readonly word: string;
}

/** A text in a call that can name paths, in whatever language. */
export interface TextTouch {
	/** See `searchable`. */
	readonly text: string;
	/** The working folders of the program that it is; without any, paths are only mentioned in it. */
	readonly folders: readonly Pattern[];
}

/** What can be said of a call without a look at the file system, and without knowing what is protected. */
export interface Touched {
	readonly paths: readonly PathTouch[];
	readonly texts: readonly TextTouch[];
}

/** No ordinary call comes near. Beyond, it is not judged but refused. */
const LIMITS = {
	/** Code units (UTF-16) gone through in scripts and expanded words. */
	work: 4_000_000,
	paths: 10_000,
	/** Objects within objects, scripts within scripts. */
	depth: 100,
} as const;

/** A call is too large or too deep to be judged. */
export class TooComplexError extends Error {}

/** @throws TooComplexError */
export function requireDepth(depth: number): void {
	if (depth > LIMITS.depth) throw new TooComplexError(`more than ${LIMITS.depth} levels`);
}

/** Gathers what one call touches, within the limits. */
export class Touches implements Touched {
	readonly place: Place;
	/** The working folder of the call. */
	readonly cwd: Pattern;
	readonly #paths = new Map<string, PathTouch>();
	readonly #texts = new Map<string, TextTouch>();
	#work = 0;

	constructor(place: Place) {
		this.place = place;
		this.cwd = literalPath(place.cwd, place.platform);
	}

	get paths(): readonly PathTouch[] {
		return [...this.#paths.values()];
	}

	get texts(): readonly TextTouch[] {
		return [...this.#texts.values()];
	}

	/** @throws TooComplexError */
	path(pattern: Pattern, cwd: Pattern, use: Use = {}, word = rawText(pattern)): void {
		// Neither is opened by a system; what only `.` and `..` make long is.
		if (pattern.length > 32 * MAX_PATH_LENGTH) return;
		const { levels = 0, coversHidden = false, foldersOnly = false, globs = [] } = use;
		let path = absolutePattern(pattern, cwd, this.place);
		this.spend(path.length);
		// Each character can have a `\\` before it.
		if (path.length > 2 * MAX_PATH_LENGTH) path = `/${withoutParents(path.split('/')).join('/')}`;
		if (path.length > 2 * MAX_PATH_LENGTH) return;
		const key = `${levels} ${coversHidden} ${foldersOnly} ${globs.join(' ')}\n${path}`;
		if (this.#paths.has(key)) return;
		if (this.#paths.size >= LIMITS.paths) throw new TooComplexError('too many paths');
		this.#paths.set(key, { path, word, levels, coversHidden, foldersOnly, globs });
	}

	/** @throws TooComplexError */
	text(text: string, folders: readonly Pattern[] = []): void {
		this.spend(text.length);
		if (!/[/\\'"`]/.test(text)) return;
		this.#texts.set(`${folders.join(' ')}\n${text}`, { text: searchable(text, this.place.platform), folders });
	}

	/** @throws TooComplexError if more was to be gone through than the limits allow */
	spend(work: number): void {
		this.#work += work;
		if (this.#work > LIMITS.work) throw new TooComplexError('too much to go through');
	}
}

/** A text prepared to be searched for paths. */
export function searchable(text: string, platform: NodeJS.Platform): string {
	const divided = platform === 'win32' ? text.replaceAll('\\', '/') : text;
	return fold(divided, platform).replace(/\/(?:\.?\/)+/g, '/');
}

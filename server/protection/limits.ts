/**
 * What one call may cost. Beyond it, a call is not judged but refused: the safe answer, and no ordinary call comes near.
 */
export const LIMITS = {
	/** Code units (UTF-16) gone through in commands, scripts within them and expanded words, and `COSTS`. */
	work: 8_000_000,
	/** Questions to the file system. */
	resolutions: 10_000,
	/** Objects within objects, scripts within scripts. */
	depth: 100,
} as const;

/** What is more than its code units to go through, in those. */
export const COSTS = { script: 100, command: 150, word: 15, part: 15 } as const;

/** No system opens a longer path, in UTF-16 code units; such a one is compared as it is written alone. */
export const LONGEST_PATH = 4096;

/** A call is too large or too deep to be judged. */
export class TooComplexError extends Error {}

/** @throws TooComplexError */
export function requireDepth(depth: number): void {
	if (depth > LIMITS.depth) throw new TooComplexError(`more than ${LIMITS.depth} levels`);
}

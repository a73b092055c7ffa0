import type { Random } from './random.ts';

/** What a row is run with. */
export interface Run {
	/** How many are to be tried. */
	readonly count: number;
	/** Of the whole row; the same seed gives the same inputs. */
	readonly seed: number;
	/** The random numbers of one try, from a seed of its own that a failure names. */
	random(index: number): Random;
	/** Counts what was tried. */
	tried(count?: number): void;
	/** Something did not hold. @param index which try it was @param what in a line */
	fail(index: number, what: string): void;
	/** Whether the time of the row is over: then it ends with what it has. */
	isLate(): boolean;
}

/** One line of the table. */
export interface Row {
	readonly name: string;
	/** What must hold, in a few words. */
	readonly holds: string;
	/** How many in the full run, and in the short one. */
	readonly full: number;
	readonly short: number;
	/** Seconds that it gets at most, in the full run and in the short one. */
	readonly seconds: readonly [full: number, short: number];
	/** Undefined where it can be tried here; else why it can't. */
	readonly unavailable?: () => string | undefined;
	readonly run: (run: Run) => Promise<void>;
}

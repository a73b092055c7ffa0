import type { Certainty } from '../redaction/occurrences.ts';

/** Where an entry was found. Lines and columns are counted from 1, columns in UTF-16 code units. */
export interface Place {
	readonly line: number;
	readonly column: number;
	/** The private file's line. */
	readonly entry: number;
	readonly certainty: Certainty;
}

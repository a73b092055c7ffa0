import type { ErrorCode } from '../../../../server/errors.ts';
import type { Random } from '../../random.ts';

/** A file behind a key. */
export interface HostileFile {
	readonly path: string;
	/** What may come of reading it: texts and codes of errors. */
	readonly may: Outcomes;
	/** A step of what is done to it while it is read. */
	readonly meddle?: () => void;
	/** What must come of reading it once nothing is done to it any more; by default whatever may. */
	readonly last?: () => Outcomes;
	/** Lets go of what was opened for it. */
	readonly close?: () => void;
}

export interface Outcomes {
	readonly texts?: readonly string[];
	readonly codes?: readonly ErrorCode[];
}

/** Where one is made. */
export interface Place {
	/** An empty folder of its own. */
	readonly folder: string;
	readonly random: Random;
}

/** Makes a file of one kind. */
export type Kind = (place: Place) => HostileFile | Promise<HostileFile>;

/** A text that no other file has. */
export function uniqueText(random: Random): string {
	return `# ${random.below(2 ** 31)}-${random.below(2 ** 31)}\n${'- an entry\n'.repeat(random.below(500))}`;
}

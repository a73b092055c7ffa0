/** What is wrong with a table of the map, found after its schema has passed it. */
export class Fault extends Error {
	/** Names and indexes from the table on; empty for the table itself. */
	readonly path: readonly PropertyKey[];

	/** @param problem a sentence without its full stop and without any text of the map */
	constructor(path: readonly PropertyKey[], problem: string) {
		super(problem);
		this.path = path;
	}
}

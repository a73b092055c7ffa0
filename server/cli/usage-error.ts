/** The command line was used wrongly. The message is one line for the person: what is wrong, and what to do. */
export class UsageError extends Error {
	/** @param message ends in a full stop; where to read more is added */
	constructor(message: string) {
		super(`${message} See "context-broker help".`);
	}
}

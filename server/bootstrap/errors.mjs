/** Why the broker is not ready (`message`) and what the user can do (`next`). Both are whole sentences. */
export class PrepareError extends Error {
	/**
	 * @param {string} message
	 * @param {string} next
	 * @param {unknown} [cause]
	 * @param {string} [plain] the message for a model, without paths
	 */
	constructor(message, next, cause, plain = message) {
		super(message, { cause });
		this.next = next;
		this.plain = plain;
	}
}

export class ClientDisconnected extends Error {}

/** @param {unknown} [cause] */
export function diskFull(cause) {
	return new PrepareError('The disk is full.', 'Free about 100 MB, then start a new session.', cause);
}

/** @param {unknown} cause from the file system @param {string} data the data folder */
export function cannotWrite(cause, data) {
	const code = isErrno(cause) ? cause.code : String(cause);
	if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(cause);
	return new PrepareError(
		`The data folder ${data} cannot be written (${code}).`,
		'Make it a folder that you can write to, then start a new session.',
		cause,
		'The data folder cannot be written.',
	);
}

/** @param {unknown} cause from the file system */
export function filesUnreadable(cause) {
	return new PrepareError(
		`The plugin's own files cannot be read (${isErrno(cause) ? cause.code : cause}).`,
		'Install the plugin again, then start a new session.',
		cause,
		"The plugin's own files cannot be read.",
	);
}

/** @param {unknown} cause from esbuild, or from loading its result */
export function notBuilt(cause) {
	const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
	return new PrepareError(
		`The broker could not be built (${reason}).`,
		'Install the plugin again. If that does not help, report this message.',
		cause,
		'The broker could not be built.',
	);
}

/** @param {unknown} error @returns {error is NodeJS.ErrnoException} */
export function isErrno(error) {
	return error instanceof Error && 'code' in error;
}

import { ERRNO_TEXTS } from '../files/read-stable.ts';

/** Why an env file was not read or written. */
export type EnvFileFailure =
	| 'not_absolute'
	| 'unreadable'
	| 'unwritable'
	| 'not_a_file'
	| 'not_text'
	| 'not_closed'
	| 'too_large';

/** In bytes: far more than any env file has. What is longer is neither read nor written. */
export const ENV_FILE_LIMIT = 1_048_576;

/** What is wrong with it, and what the user can do. */
const TEXTS: Readonly<Record<EnvFileFailure, readonly [problem: string, advice: string]>> = {
	not_absolute: ['is not named by an absolute path', 'Let CONTEXT_BROKER_ENV_FILE begin with / or ~/, or unset it.'],
	unreadable: ['can not be read', 'Make it readable for your account.'],
	unwritable: ['can not be written', 'It is as it was. Make its folder writable for your account.'],
	not_a_file: ['is not a regular file', 'Move away what is there, or let CONTEXT_BROKER_ENV_FILE name another file.'],
	not_text: ['is not text', 'It has to be UTF-8, without NUL characters.'],
	not_closed: ['has a list whose quotes do not fit', 'Write each list on one line, and nothing else in its quotes.'],
	too_large: ['is too large', `The limit is ${ENV_FILE_LIMIT} bytes.`],
};

/** An env file that was not read or not written. The message is for the user; it names the path, never the content. */
export class EnvFileError extends Error {
	override readonly name = 'EnvFileError';
	readonly code: EnvFileFailure;
	/** As it was asked for. */
	readonly path: string;

	constructor(code: EnvFileFailure, path: string, cause?: unknown) {
		const [problem, advice] = TEXTS[code];
		const errno = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
		const reason = /^E[A-Z0-9]+$/.test(errno) ? ` (${ERRNO_TEXTS[errno] ?? errno})` : '';
		super(`The env file ${path} ${problem}${reason}. ${advice}`, { cause });
		this.code = code;
		this.path = path;
	}
}

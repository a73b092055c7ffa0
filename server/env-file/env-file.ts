import { watchFile } from 'node:fs';
import { posix, win32 } from 'node:path';
import { errnoText, ReadError, type ReadFile, readStable } from '../files/read-stable.ts';
import { isAbsolutePath } from '../paths/spellings.ts';
import { assignmentsIn } from './parse.ts';

/** In bytes; far more than any env file needs. A larger file is neither read nor written. */
export const ENV_FILE_LIMIT = 1_048_576;

const TEXTS = {
	not_absolute: [
		'is not an absolute path',
		'Start CONTEXT_BROKER_ENV_FILE with / or ~/ (on Windows with a drive, a share or ~\\), or unset it.',
	],
	unreadable: ['cannot be read', 'Make it readable for your account.'],
	unwritable: ['cannot be written', 'It was not changed. Make it and its folder writable for your account.'],
	not_a_file: ['is not a regular file', 'Move it away, or set CONTEXT_BROKER_ENV_FILE to another file.'],
	not_text: ['is not text', 'It must be UTF-8, without NUL characters.'],
	not_closed: ['has a list whose quotes do not match', 'Write each list on one line, with nothing else in its quotes.'],
	too_large: ['is too large', `The limit is ${ENV_FILE_LIMIT} bytes.`],
} as const;

export type EnvFileFailure = keyof typeof TEXTS;

/** An env file that could not be read or written. The message is for the user: it names the path, never the content. */
export class EnvFileError extends Error {
	override readonly name = 'EnvFileError';
	readonly code: EnvFileFailure;
	readonly path: string;

	constructor(code: EnvFileFailure, path: string, cause?: unknown) {
		const [problem, advice] = TEXTS[code];
		const errno = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
		const reason = /^E[A-Z0-9]+$/.test(errno) ? ` (${errnoText(errno) ?? errno})` : '';
		super(`The env file ${path} ${problem}${reason}. ${advice}`, { cause });
		this.code = code;
		this.path = path;
	}
}

/**
 * @throws EnvFileError `not_absolute`: a relative path would name a different file in each working folder, and ignoring it would
 *   ignore the denials in the file
 */
export function locateEnvFile(
	environment: NodeJS.ProcessEnv,
	xdgConfig: string | undefined,
	home: string,
	platform: NodeJS.Platform = process.platform,
): string {
	const { join } = platform === 'win32' ? win32 : posix;
	const named = environment.CONTEXT_BROKER_ENV_FILE ?? '';
	// If it is unset, the client can pass its placeholder as text.
	if (named !== '' && !/^\$\{CONTEXT_BROKER_ENV_FILE\b[^}]*\}$/.test(named)) {
		if (named.startsWith('~/') || (platform === 'win32' && named.startsWith('~\\'))) return join(home, named.slice(2));
		if (!isAbsolutePath(named, platform)) throw new EnvFileError('not_absolute', named);
		return named;
	}
	const base = xdgConfig !== undefined && isAbsolutePath(xdgConfig, platform) ? xdgConfig : join(home, '.config');
	return join(base, 'context-broker', '.env');
}

/** The file's text with its byte-order mark; '' if there is no file, or a link leads nowhere. @throws EnvFileError */
export async function readEnvFile(path: string, readFile: ReadFile = readStable): Promise<string> {
	let text: string;
	try {
		const content = await readFile(path, { limit: ENV_FILE_LIMIT });
		text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
	} catch (error) {
		if (error instanceof TypeError) throw new EnvFileError('not_text', path, error); // Not UTF-8.
		if (!(error instanceof ReadError)) throw error;
		const { failure, cause = error } = error;
		if (failure === 'missing') return '';
		const code = failure === 'not_a_file' || failure === 'too_large' ? failure : 'unreadable';
		throw new EnvFileError(code, path, cause);
	}
	if (text.includes('\0')) throw new EnvFileError('not_text', path);
	// The list may continue on the next lines, with a denial.
	const isOpen = assignmentsIn(text).some(
		({ name, value, quote }) => name.startsWith('CONTEXT_BROKER_') && quote === '' && /^['"`]/.test(value),
	);
	if (isOpen) throw new EnvFileError('not_closed', path);
	return text;
}

const WATCH_INTERVAL_MS = 1_000;

/** Watches the path, so that editors may replace the file. @param later runs work when the broker is idle */
export function watchEnvFile(envFile: () => string, later: (work: () => void) => void): (listener: () => void) => void {
	return (listener) =>
		later(() => {
			try {
				watchFile(envFile(), { interval: WATCH_INTERVAL_MS, persistent: false }, listener);
				// It can have changed before.
				listener();
			} catch (error) {
				// The gate already reports why no tool is shown.
				if (!(error instanceof EnvFileError)) throw error;
			}
		});
}

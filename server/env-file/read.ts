import { ReadError, type ReadFile, readStable } from '../files/read-stable.ts';
import { ENV_FILE_LIMIT, EnvFileError } from './errors.ts';
import { assignmentsIn } from './parse.ts';

/**
 * The text of an env file, as one of its versions, with a byte-order mark where it has one, so that it can be written
 * back as it was.
 *
 * @returns '' where there is no such file, also where a link leads to none
 * @throws EnvFileError `unreadable`, `not_a_file`, `not_text`, `too_large`, `not_closed`
 */
export async function readEnvFile(path: string, readFile: ReadFile = readStable): Promise<string> {
	const content = await read(path, readFile);
	if (content.includes(0)) throw new EnvFileError('not_text', path);
	const text = decode(content, path);
	// What a list goes on with on the next lines can be a denial.
	const isOpen = assignmentsIn(text).some(
		({ name, value, quote }) => name.startsWith('CONTEXT_BROKER_') && quote === '' && /^['"`]/.test(value),
	);
	if (isOpen) throw new EnvFileError('not_closed', path);
	return text;
}

function decode(content: Buffer, path: string): string {
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
	} catch (error) {
		throw new EnvFileError('not_text', path, error);
	}
}

async function read(path: string, readFile: ReadFile): Promise<Buffer> {
	try {
		return await readFile(path, { limit: ENV_FILE_LIMIT });
	} catch (error) {
		if (!(error instanceof ReadError)) throw error;
		const { failure, cause } = error;
		if (failure === 'missing') return Buffer.alloc(0);
		const known = failure === 'not_a_file' || failure === 'too_large';
		throw new EnvFileError(known ? failure : 'unreadable', path, cause ?? error);
	}
}

import { BrokerError } from '../errors.ts';
import { decodeText } from './decode.ts';
import { ReadError, type ReadFile, readStable } from './read-stable.ts';

/** In UTF-16 code units: the maximum of `_meta["anthropic/maxResultSizeChars"]`. Claude Code cuts a longer result. */
export const CONTENT_LIMIT = 500_000;

/** In bytes: at most three for each code unit, and three for a byte-order mark. */
const BYTE_LIMIT = 3 * CONTENT_LIMIT + 3;

/** @throws BrokerError `file_missing`, `file_unreadable`, `not_markdown`, `not_a_file`, `not_text`, `too_large` */
export async function readMarkdown(path: string, readFile: ReadFile = readStable): Promise<string> {
	const content = await read(path, readFile);
	const text = decodeText(content);
	if (text === undefined) throw new BrokerError('not_text');
	if (text.length > CONTENT_LIMIT) throw tooLarge(text.length, 'characters', CONTENT_LIMIT);
	return text;
}

async function read(path: string, readFile: ReadFile): Promise<Buffer> {
	try {
		return await readFile(path, { limit: BYTE_LIMIT, acceptsName: (name) => /\.md$/i.test(name) });
	} catch (cause) {
		if (!(cause instanceof ReadError)) throw cause;
		const { failure, message, size = Number.NaN } = cause;
		if (failure === 'too_large') throw tooLarge(size, 'bytes', BYTE_LIMIT);
		const detail = failure === 'unreadable' ? `Reason: ${message}.` : undefined;
		throw new BrokerError(CODES[failure], { detail, cause });
	}
}

const CODES = {
	missing: 'file_missing',
	not_a_file: 'not_a_file',
	refused_name: 'not_markdown',
	unreadable: 'file_unreadable',
} as const;

function tooLarge(size: number, unit: string, limit: number): BrokerError {
	return new BrokerError('too_large', { detail: `It has ${size} ${unit}; the limit is ${limit}.` });
}
